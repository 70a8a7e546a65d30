#include "x86/vm_private.h"

/* Something else happened: it is kept, and told when the debuggee is resumed for the user. */
static bool keep_for_later(x86_vm *vm, machine_tid tid, const machine_stop *stop)
{
    bool ours = stop->thread == tid && (stop->kind == MACHINE_STOP_STEP || stop->kind == MACHINE_STOP_TRAP);
    if (!ours)
        ebb_vec_push(&vm->pending, *stop);
    return !ours;
}

static bool has_ended(x86_vm *vm, machine_tid tid)
{
    const x86_task *task = vm_task(vm, tid);
    return !task || task->exits;
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
    } while (keep_for_later(vm, r.thread, stop) && !has_ended(vm, r.thread));
    return EBB_OK;
}

static ebb_status syscall_at_rip(x86_vm *vm, machine_tid tid, const struct user_regs_struct *saved, const uint64_t args[6], long number, uint64_t *result, ebb_error *err)
{
    struct user_regs_struct r = *saved;
    r.rax = (uint64_t)number;
    r.orig_rax = (uint64_t)-1; /* no system call is to be restarted */
    r.rdi = args[0], r.rsi = args[1], r.rdx = args[2], r.r10 = args[3], r.r8 = args[4], r.r9 = args[5];
    VM_TRY(vm_set_regs(vm, tid, &r, err));
    machine_request step = {.move = MACHINE_STEP, .thread = tid};
    machine_stop stop;
    VM_TRY(vm_move_alone(vm, &step, &stop, err));
    return vm_get(vm, tid, VM_REG(rax), result, err);
}

ebb_status vm_remote_syscall(x86_vm *vm, machine_tid tid, long number, const uint64_t args[6], uint64_t *result, ebb_error *err)
{
    static const uint8_t syscall_insn[2] = {0x0f, 0x05};
    uint8_t old[2];
    struct user_regs_struct *now, saved;
    VM_TRY(vm_regs(vm, tid, &now, err));
    saved = *now;
    VM_TRY(machine_read(vm->native, saved.rip, old, sizeof old, err));
    VM_TRY(machine_write(vm->native, saved.rip, syscall_insn, sizeof syscall_insn, err));
    ebb_status status = syscall_at_rip(vm, tid, &saved, args, number, result, err);
    VM_TRY(machine_write(vm->native, saved.rip, old, sizeof old, err));
    VM_TRY(vm_set_regs(vm, tid, &saved, err));
    return status;
}

ebb_status vm_remote_call(x86_vm *vm, machine_tid tid, uint64_t function, uint64_t stack, const uint64_t args[2], uint64_t *result, ebb_error *err)
{
    struct user_regs_struct *now, saved, r;
    VM_TRY(vm_regs(vm, tid, &now, err));
    r = saved = *now;
    r.rdi = args[0], r.rsi = args[1];
    r.rsp = (stack & ~(uint64_t)15) - 8;
    r.rip = function;
    r.orig_rax = (uint64_t)-1;
    VM_TRY(vm_poke_u64(vm, r.rsp, vm->exports.trap, err));
    VM_TRY(vm_set_regs(vm, tid, &r, err));
    machine_request run = {.move = MACHINE_RUN, .thread = tid};
    machine_stop stop;
    VM_TRY(vm_move_alone(vm, &run, &stop, err));
    VM_TRY(vm_get(vm, tid, VM_REG(rax), result, err));
    return vm_set_regs(vm, tid, &saved, err);
}
