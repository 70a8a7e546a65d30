#include "x86/vm_private.h"

enum { N_SAVED = 20 };

/* The general registers of a thread that works for us meanwhile. */
typedef struct saved_regs {
    uint64_t values[N_SAVED];
} saved_regs;

static const char *const saved_names[] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "r8", "r9",
                                          "r10", "r11", "r12", "r13", "r14", "r15", "eflags", "rip", "orig_rax"};

static ebb_status save(x86_vm *vm, machine_tid tid, saved_regs *saved, ebb_error *err)
{
    for (size_t i = 0; i < sizeof saved_names / sizeof saved_names[0]; i++)
        VM_TRY(vm_get(vm, tid, machine_reg_by_name(vm->native, saved_names[i]), &saved->values[i], err));
    return EBB_OK;
}

static ebb_status restore(x86_vm *vm, machine_tid tid, const saved_regs *saved, ebb_error *err)
{
    for (size_t i = 0; i < sizeof saved_names / sizeof saved_names[0]; i++)
        VM_TRY(vm_set(vm, tid, machine_reg_by_name(vm->native, saved_names[i]), saved->values[i], err));
    return EBB_OK;
}

static ebb_status set_named(x86_vm *vm, machine_tid tid, const char *name, uint64_t value, ebb_error *err)
{
    return vm_set(vm, tid, machine_reg_by_name(vm->native, name), value, err);
}

/* Something else happened: it is kept, and told when the debuggee is resumed for the user. */
static bool keep_for_later(x86_vm *vm, machine_tid tid, const machine_stop *stop)
{
    bool ours = stop->thread == tid && (stop->kind == MACHINE_STOP_STEP || stop->kind == MACHINE_STOP_TRAP);
    if (!ours)
        ebb_vec_push(&vm->pending, *stop);
    return !ours;
}

ebb_status vm_move_alone(x86_vm *vm, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    machine_request r = *request;
    r.only_thread = true;
    do {
        VM_TRY(vm->native->ops->resume(vm->native, &r, stop, err));
        if (stop->kind == MACHINE_STOP_EXITED || stop->kind == MACHINE_STOP_KILLED) {
            ebb_vec_push(&vm->pending, *stop);
            return ebb_fail(err, EBB_GONE, "The program is not running any more.");
        }
    } while (keep_for_later(vm, r.thread, stop));
    return EBB_OK;
}

static ebb_status syscall_at_rip(x86_vm *vm, machine_tid tid, uint64_t rip, const uint64_t args[6], long number, uint64_t *result, ebb_error *err)
{
    static const char *const names[6] = {"rdi", "rsi", "rdx", "r10", "r8", "r9"};
    for (int i = 0; i < 6; i++)
        VM_TRY(set_named(vm, tid, names[i], args[i], err));
    VM_TRY(vm_set(vm, tid, vm->reg_rax, (uint64_t)number, err));
    VM_TRY(vm_set(vm, tid, vm->reg_rip, rip, err)); /* also: no system call is to be restarted */
    machine_request step = {.move = MACHINE_STEP, .thread = tid};
    machine_stop stop;
    VM_TRY(vm_move_alone(vm, &step, &stop, err));
    return vm_get(vm, tid, vm->reg_rax, result, err);
}

ebb_status vm_remote_syscall(x86_vm *vm, machine_tid tid, long number, const uint64_t args[6], uint64_t *result, ebb_error *err)
{
    static const uint8_t syscall_insn[2] = {0x0f, 0x05};
    uint8_t old[2];
    saved_regs saved;
    uint64_t rip;
    VM_TRY(save(vm, tid, &saved, err));
    VM_TRY(vm_get(vm, tid, vm->reg_rip, &rip, err));
    VM_TRY(machine_read(vm->native, rip, old, sizeof old, err));
    VM_TRY(machine_write(vm->native, rip, syscall_insn, sizeof syscall_insn, err));
    ebb_status status = syscall_at_rip(vm, tid, rip, args, number, result, err);
    VM_TRY(machine_write(vm->native, rip, old, sizeof old, err));
    VM_TRY(restore(vm, tid, &saved, err));
    return status;
}

static ebb_status call_until_trap(x86_vm *vm, machine_tid tid, ebb_error *err)
{
    machine_request run = {.move = MACHINE_RUN, .thread = tid};
    machine_stop stop;
    return vm_move_alone(vm, &run, &stop, err);
}

ebb_status vm_remote_call(x86_vm *vm, machine_tid tid, uint64_t function, uint64_t stack, const uint64_t args[2], uint64_t *result, ebb_error *err)
{
    saved_regs saved;
    VM_TRY(save(vm, tid, &saved, err));
    uint64_t sp = (stack & ~(uint64_t)15) - 8;
    VM_TRY(machine_write(vm->native, sp, &vm->exports.trap, 8, err));
    VM_TRY(set_named(vm, tid, "rdi", args[0], err));
    VM_TRY(set_named(vm, tid, "rsi", args[1], err));
    VM_TRY(vm_set(vm, tid, vm->reg_rsp, sp, err));
    VM_TRY(vm_set(vm, tid, vm->reg_rip, function, err));
    ebb_status status = call_until_trap(vm, tid, err);
    if (status == EBB_OK)
        status = vm_get(vm, tid, vm->reg_rax, result, err);
    ebb_error ignored;
    ebb_status restored = restore(vm, tid, &saved, status == EBB_OK ? err : &ignored);
    return status == EBB_OK ? restored : status;
}
