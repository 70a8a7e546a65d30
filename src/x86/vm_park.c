/* vm_park.c - into translated code and out of it again. */
#include "base/log.h"
#include "x86/inside/runtime.h"
#include "x86/vm_private.h"

#include <sys/syscall.h>

/* What the kernel leaves in rax of a thread that was stopped inside a system call which it will restart;
 * never seen by a program. */
enum { RESTART_FIRST = 512, RESTART_NOINTR = 513, RESTART_NOHAND = 514, RESTART_BLOCK = 516 };

static bool will_restart(uint64_t rax)
{
    int64_t error = -(int64_t)rax;
    return error == RESTART_FIRST || error == RESTART_NOINTR || error == RESTART_NOHAND || error == RESTART_BLOCK;
}

static ebb_status read_tcb(x86_vm *vm, const vm_thread *t, x86_tcb *tcb, ebb_error *err)
{
    return machine_read(vm->native, t->tcb, tcb, sizeof *tcb, err);
}

static ebb_status poke_u64(x86_vm *vm, uint64_t address, uint64_t value, ebb_error *err)
{
    return machine_write(vm->native, address, &value, sizeof value, err);
}

static ebb_status poke_u32(x86_vm *vm, uint64_t address, uint32_t value, ebb_error *err)
{
    return machine_write(vm->native, address, &value, sizeof value, err);
}

/* ---- entering --------------------------------------------------------------------------------- */

/* A system call that the kernel was about to restart is made again by the guest's own instruction. */
static ebb_status restart_in_guest(x86_vm *vm, const vm_thread *t, uint64_t *rip, ebb_error *err)
{
    uint64_t rax, orig_rax;
    VM_TRY(vm_get(vm, t->tid, vm->reg_rax, &rax, err));
    VM_TRY(vm_get(vm, t->tid, vm->reg_orig_rax, &orig_rax, err));
    if ((int64_t)orig_rax < 0 || !will_restart(rax))
        return EBB_OK;
    *rip -= 2;
    uint64_t again = -(int64_t)rax == RESTART_BLOCK ? SYS_restart_syscall : orig_rax;
    return vm_set(vm, t->tid, vm->reg_rax, again, err);
}

ebb_status vm_enter(x86_vm *vm, vm_thread *t, ebb_error *err)
{
    if (!t->tcb)
        VM_TRY(vm_thread_prepare(vm, t, err));
    uint64_t rip, enter;
    VM_TRY(vm_get(vm, t->tid, vm->reg_rip, &rip, err));
    VM_TRY(restart_in_guest(vm, t, &rip, err));
    VM_TRY(poke_u64(vm, t->tcb + offsetof(x86_tcb, target), rip, err));
    VM_TRY(poke_u64(vm, t->tcb + offsetof(x86_tcb, link), 0, err));
    VM_TRY(poke_u64(vm, t->tcb + offsetof(x86_tcb, counter), vm->time, err));
    VM_TRY(poke_u32(vm, t->tcb + offsetof(x86_tcb, stop_wanted), 0, err));
    VM_TRY(machine_read(vm->native, t->tcb + offsetof(x86_tcb, enter), &enter, sizeof enter, err));
    VM_TRY(vm_get(vm, t->tid, vm->reg_gs_base, &t->gs_base, err));
    VM_TRY(vm_set(vm, t->tid, vm->reg_gs_base, t->tcb, err));
    VM_TRY(vm_set(vm, t->tid, vm->reg_rip, enter, err));
    t->entered = true;
    return EBB_OK;
}

/* ---- parking ---------------------------------------------------------------------------------- */

/* Whoever had the turn has it no more; whoever waited for it will ask again. */
static ebb_status end_turn(x86_vm *vm, ebb_error *err)
{
    uint64_t turn = vm->runtime + offsetof(x86_runtime, turn);
    VM_TRY(poke_u64(vm, turn + offsetof(x86_turn, owner), 0, err));
    return poke_u32(vm, turn + offsetof(x86_turn, waiters), 0, err);
}

static ebb_status become_native(x86_vm *vm, vm_thread *t, uint64_t guest, ebb_error *err)
{
    VM_TRY(vm_set(vm, t->tid, vm->reg_gs_base, t->gs_base, err));
    VM_TRY(vm_set(vm, t->tid, vm->reg_rip, guest, err));
    t->entered = false;
    return end_turn(vm, err);
}

/* Runs the thread alone until it comes to one of our traps. */
static ebb_status run_to_trap(x86_vm *vm, vm_thread *t, ebb_error *err)
{
    machine_request run = {.move = MACHINE_RUN, .thread = t->tid};
    machine_stop stop;
    return vm_move_alone(vm, &run, &stop, err);
}

/* At a boundary: the count of time is taken out of its register on the way. */
static ebb_status park_at_boundary(x86_vm *vm, vm_thread *t, uint64_t guest, ebb_error *err)
{
    x86_tcb tcb;
    VM_TRY(read_tcb(vm, t, &tcb, err));
    if (tcb.tick == X86_TICK_IN_VECTOR && tcb.outside == X86_HAS_TURN) {
        VM_TRY(vm_set(vm, t->tid, vm->reg_rip, vm->exports.park, err));
        VM_TRY(run_to_trap(vm, t, err));
        VM_TRY(read_tcb(vm, t, &tcb, err));
    }
    if (tcb.outside == X86_HAS_TURN)
        vm->time = tcb.counter;
    return become_native(vm, t, guest, err);
}

static ebb_status unspill(x86_vm *vm, vm_thread *t, ebb_error *err)
{
    x86_tcb tcb;
    VM_TRY(read_tcb(vm, t, &tcb, err));
    VM_TRY(vm_set(vm, t->tid, vm->reg_rax, tcb.spill_rax, err));
    return vm_set(vm, t->tid, vm->reg_rcx, tcb.spill_rcx, err);
}

static ebb_status step_host(x86_vm *vm, vm_thread *t, ebb_error *err)
{
    machine_request step = {.move = MACHINE_STEP, .thread = t->tid};
    machine_stop stop;
    return vm_move_alone(vm, &step, &stop, err);
}

/* Gives the thread the guest's registers from its control block; `rax` is what the kernel left there. */
static ebb_status load_guest_regs(x86_vm *vm, vm_thread *t, const x86_tcb *tcb, uint64_t rax, ebb_error *err)
{
    for (unsigned i = 0; i < X86_N_GPRS; i++)
        VM_TRY(vm_set(vm, t->tid, vm->reg_gprs[i], tcb->regs[i], err));
    VM_TRY(vm_set(vm, t->tid, vm->reg_rax, rax, err));
    return vm_set(vm, t->tid, vm->reg_eflags, tcb->rflags, err);
}

/* In a system call that is going to be restarted: the thread looks as if it had made it natively. */
static ebb_status park_in_syscall(x86_vm *vm, vm_thread *t, const x86_tcb *tcb, uint64_t rax, ebb_error *err)
{
    uint64_t orig_rax;
    VM_TRY(vm_get(vm, t->tid, vm->reg_orig_rax, &orig_rax, err));
    VM_TRY(load_guest_regs(vm, t, tcb, rax, err));
    VM_TRY(vm_set(vm, t->tid, vm->reg_rcx, tcb->target, err));
    VM_TRY(become_native(vm, t, tcb->target, err));
    return vm_set(vm, t->tid, vm->reg_orig_rax, orig_rax, err);
}

/* Before the instruction that makes the system call: it has not happened. */
static ebb_status park_before_syscall(x86_vm *vm, vm_thread *t, const x86_tcb *tcb, ebb_error *err)
{
    VM_TRY(load_guest_regs(vm, t, tcb, tcb->regs[X86_RAX], err));
    return become_native(vm, t, tcb->target - 2, err);
}

/* A new thread, at the first instruction after the clone that made it (entry.S). */
static ebb_status park_newborn(x86_vm *vm, vm_thread *t, ebb_error *err)
{
    uint64_t rsp, guest;
    VM_TRY(vm_get(vm, t->tid, vm->reg_rsp, &rsp, err));
    VM_TRY(machine_read(vm->native, rsp - 8, &guest, sizeof guest, err));
    VM_TRY(vm_set(vm, t->tid, vm->reg_rcx, guest, err));
    t->gs_base = 0;
    VM_TRY(vm_set(vm, t->tid, vm->reg_gs_base, 0, err));
    return vm_set(vm, t->tid, vm->reg_rip, guest, err);
}

/* In the runtime: *done, or the thread was moved on and has to be looked at again. */
static ebb_status park_in_runtime(x86_vm *vm, vm_thread *t, uint64_t rip, bool *done, ebb_error *err)
{
    *done = true;
    x86_tcb tcb;
    uint64_t rax, insn = vm->exports.syscall_insn;
    VM_TRY(vm_get(vm, t->tid, vm->reg_rax, &rax, err));
    if (rip == vm->exports.cloned && rax == 0)
        return park_newborn(vm, t, err);
    VM_TRY(read_tcb(vm, t, &tcb, err));
    if (tcb.outside == X86_IN_SYSCALL && rip == insn)
        return park_before_syscall(vm, t, &tcb, err);
    if (tcb.outside == X86_IN_SYSCALL && rip == insn + 2 && will_restart(rax))
        return park_in_syscall(vm, t, &tcb, rax, err);
    *done = false;
    VM_TRY(poke_u32(vm, t->tcb + offsetof(x86_tcb, stop_wanted), 1, err));
    return run_to_trap(vm, t, err);
}

ebb_status vm_park(x86_vm *vm, vm_thread *t, bool at_fault, ebb_error *err)
{
    for (;;) {
        uint64_t rip;
        vm_place place;
        VM_TRY(vm_get(vm, t->tid, vm->reg_rip, &rip, err));
        VM_TRY(vm_place_of(vm, t, rip, &place, err));
        ebb_log("park %ld at 0x%lx: kind %d guest 0x%lx", (long)t->tid, rip, place.kind, place.guest);
        switch (place.kind) {
        case VM_PLACE_NATIVE:
            return t->entered ? become_native(vm, t, rip, err) : EBB_OK;
        case VM_PLACE_BOUNDARY: return park_at_boundary(vm, t, place.guest, err);
        case VM_PLACE_BETWEEN:
            if (!at_fault) {
                VM_TRY(step_host(vm, t, err));
                break;
            }
            if (place.spilled)
                VM_TRY(unspill(vm, t, err));
            return park_at_boundary(vm, t, place.guest, err);
        case VM_PLACE_RUNTIME: {
            bool done;
            VM_TRY(park_in_runtime(vm, t, rip, &done, err));
            if (done)
                return EBB_OK;
            break;
        }
        }
    }
}
