/* park.c - into translated code and out of it again. */
#include "base/log.h"
#include "x86/calls.h"
#include "x86/events.h"
#include "x86/inside/runtime.h"
#include "x86/inside/writes.h"
#include "x86/interrupted.h"
#include "x86/vm/births.h"
#include "x86/vm/caught.h"
#include "x86/vm/feed.h"
#include "x86/vm/private.h"
#include "x86/vm/undo.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

/* ---- entering --------------------------------------------------------------------------------- */

/* What a call is made again as. */
static uint64_t number_again(uint64_t rax, uint64_t orig_rax)
{
    return -(int64_t)rax == X86_RESTART_BLOCK ? SYS_restart_syscall : orig_rax;
}

/* A system call that the kernel was about to restart is made again by the guest's own instruction; the point there
 * has been passed already. */
static ebb_status restart_in_guest(x86_vm *vm, vm_thread *t, uint64_t *rip, uint64_t *skip_at, ebb_error *err)
{
    uint64_t rax, orig_rax;
    EBB_TRY(vm_get(vm, t->tid, VM_REG(rax), &rax, err));
    EBB_TRY(vm_get(vm, t->tid, VM_REG(orig_rax), &orig_rax, err));
    if ((int64_t)orig_rax < 0 || !x86_will_restart(rax))
        return EBB_OK;
    *rip -= 2;
    *skip_at = *rip;
    t->open_at = *rip;
    return vm_set(vm, t->tid, VM_REG(rax), number_again(rax, orig_rax), err);
}

ebb_status vm_enter(x86_vm *vm, vm_thread *t, ebb_error *err)
{
    uint64_t rip;
    EBB_TRY(vm_get(vm, t->tid, VM_REG(rip), &rip, err));
    x86_task *task = vm_task(vm, t->tid);
    uint64_t skip_at = task->skip && task->skip_pc == rip ? rip : 0; /* MA4 */
    task->skip = false;
    EBB_TRY(restart_in_guest(vm, t, &rip, &skip_at, err));
    x86_tcb tcb;
    EBB_TRY(vm_read_tcb(vm, t, &tcb, err));
    tcb.target = rip;
    tcb.skip_at = skip_at;
    tcb.link = 0;
    tcb.source = 0;
    tcb.open_at = t->open_at == rip || tcb.open_at == rip ? rip : 0; /* GT1 */
    tcb.told_at = t->told_at == rip ? rip : 0;
    t->open_at = t->told_at = 0;
    tcb.counter = vm->time;
    tcb.thread = (uint32_t)t->tid;
    tcb.stop_wanted = 0;
    tcb.yield = t->settles ? X86_YIELD_TO_EBB : t->yields ? X86_YIELD_AT_TICK : X86_YIELD_NOT;
    t->gives_way = false;
    tcb.ticket = t->entry_ticket = vm->next_ticket++;
    tcb.has_ticket = 1;
    tcb.one_more = t->one_more;
    t->one_more = false;
    EBB_TRY(vm_take_trap_flag(vm, t, &tcb, err));
    tcb.guard = 1;
    EBB_TRY(vm_get(vm, t->tid, VM_REG(gs_base), &tcb.guest_gs_base, err));
    EBB_TRY(machine_write(vm->native, t->tcb, &tcb, sizeof tcb, err));
    EBB_TRY(vm_set(vm, t->tid, VM_REG(gs_base), t->tcb, err));
    EBB_TRY(vm_set(vm, t->tid, VM_REG(rip), tcb.enter, err));
    t->entered = true;
    return EBB_OK;
}

/* ---- parking ---------------------------------------------------------------------------------- */

/* A value that no thread has seen, so that none goes to sleep on it (TU4). */
static ebb_status next_served(x86_vm *vm, uint32_t *served, ebb_error *err)
{
    EBB_TRY(machine_read(vm->native, vm->runtime + offsetof(x86_runtime, turn.served), served, sizeof *served, err));
    ++*served;
    return EBB_OK;
}

ebb_status vm_turn_reset(x86_vm *vm, ebb_error *err)
{
    x86_turn turn = {.time = vm->time, .limit = vm_undo_limit(vm), .event = vm_feed_event_time(vm),
                     .ends = vm->replaying ? UINT64_MAX : vm->turn_ends, .slice = vm->replaying ? 0 : vm->slice, .chaos = vm->chaos,
                     .place = vm_last_place(vm), .last = (uint32_t)vm->last};
    EBB_TRY(next_served(vm, &turn.served, err));
    turn.tickets = vm->next_ticket = turn.served;
    return machine_write(vm->native, vm->runtime + offsetof(x86_runtime, turn), &turn, offsetof(x86_turn, n_switches), err);
}

/* TU2: whoever has the turn knows what time it is. */
static ebb_status take_time(x86_vm *vm, const vm_thread *t, const vm_place *place, ebb_error *err)
{
    x86_turn turn;
    x86_tcb tcb;
    EBB_TRY(vm_turn_get(vm, &turn, err));
    if (!t->tcb || turn.owner != t->tcb)
        return EBB_OK;
    EBB_TRY(vm_read_tcb(vm, t, &tcb, err));
    EBB_TRY(vm_count_get(vm, t->tid, &tcb, place, &vm->time, err));
    vm->time -= place->wild;
    vm->last = t->tid;
    vm->turn_ends = turn.ends;
    return vm_turn_reset(vm, err);
}

/* Of a thread inside a call, which may have kept the turn. */
static ebb_status take_time_in_call(x86_vm *vm, const vm_thread *t, ebb_error *err)
{
    return take_time(vm, t, &(vm_place){.kind = VM_PLACE_RUNTIME}, err);
}

/* Its place in the queue is kept.  If it has had the turn since it entered and has it no longer, it lost it at a tick or in a call (TU6). */
static ebb_status take_ticket(x86_vm *vm, vm_thread *t, ebb_error *err)
{
    x86_tcb tcb;
    t->queues = false;
    if (!t->tcb || !t->entered)
        return EBB_OK;
    EBB_TRY(vm_read_tcb(vm, t, &tcb, err));
    t->queues = tcb.has_ticket;
    t->ticket = tcb.ticket;
    if (!t->queues || t->ticket != t->entry_ticket)
        t->settled = tcb.outside != X86_HAS_TURN;
    return EBB_OK;
}

/* The gs base is a control block, perhaps that of the thread's parent; it becomes the guest's own, as do the vector registers
 * that count (which are so already before the door by which a thread enters). */
static ebb_status give_back_registers(x86_vm *vm, const vm_thread *t, ebb_error *err)
{
    uint64_t tcb, guest_gs, rip;
    EBB_TRY(vm_get(vm, t->tid, VM_REG(gs_base), &tcb, err));
    EBB_TRY(vm_get(vm, t->tid, VM_REG(rip), &rip, err));
    if (rip != vm->exports.enter && rip != vm->exports.sigreturned)
        EBB_TRY(vm_vectors_give_back(vm, t->tid, tcb, err));
    EBB_TRY(vm_x87_give_back(vm, t, err));
    EBB_TRY(machine_read(vm->native, tcb + offsetof(x86_tcb, guest_gs_base), &guest_gs, sizeof guest_gs, err));
    return vm_set(vm, t->tid, VM_REG(gs_base), guest_gs, err);
}

/* Its last call is recorded already, though it has not been made: the thread has ended as far as anybody is told. */
static ebb_status note_end(x86_vm *vm, vm_thread *t, ebb_error *err)
{
    uint32_t ends;
    EBB_TRY(machine_read(vm->native, t->tcb + offsetof(x86_tcb, ends), &ends, sizeof ends, err));
    t->has_left = t->has_left || ends;
    return EBB_OK;
}

static ebb_status become_native(x86_vm *vm, vm_thread *t, uint64_t guest, ebb_error *err)
{
    if (!vm->replaying)
        EBB_TRY(note_end(vm, t, err));
    EBB_TRY(give_back_registers(vm, t, err));
    EBB_TRY(vm_keep_trap_flag(vm, t, err));
    EBB_TRY(vm_poke_u32(vm, t->tcb + offsetof(x86_tcb, guard), 0, err));
    EBB_TRY(vm_set(vm, t->tid, VM_REG(rip), guest, err));
    EBB_TRY(machine_read(vm->native, t->tcb + offsetof(x86_tcb, told_at), &t->told_at, sizeof t->told_at, err));
    t->entered = false;
    return EBB_OK;
}

/* A point that was not to be met is still not to be met. */
static ebb_status keep_skip(x86_vm *vm, vm_thread *t, const vm_place *place, ebb_error *err)
{
    uint64_t skip_at;
    EBB_TRY(machine_read(vm->native, t->tcb + offsetof(x86_tcb, skip_at), &skip_at, sizeof skip_at, err));
    if (skip_at == place->guest || place->passed_point)
        x86_skip_point(vm_task(vm, t->tid));
    return EBB_OK;
}

/* Runs the thread alone until it comes to one of our traps. */
static ebb_status run_to_trap(x86_vm *vm, vm_thread *t, ebb_error *err)
{
    machine_request run = {.move = MACHINE_RUN, .thread = t->tid};
    machine_stop stop;
    return vm_move_alone(vm, &run, &stop, err);
}

static ebb_status park_at_boundary(x86_vm *vm, vm_thread *t, const vm_place *place, ebb_error *err)
{
    EBB_TRY(take_time(vm, t, place, err));
    EBB_TRY(become_native(vm, t, place->guest, err));
    if (place->wild)
        EBB_TRY(vm_take_back_transfer(vm, t->tid, place->guest, err));
    return keep_skip(vm, t, place, err);
}

static ebb_status unspill_flags(x86_vm *vm, vm_thread *t, uint64_t spilled, ebb_error *err)
{
    enum { BY_LAHF = 0xd5, OVERFLOW = 0x800, RESUME = 0x10000 /* the CPU's, in a fault */ };
    uint64_t flags;
    EBB_TRY(vm_get(vm, t->tid, VM_REG(eflags), &flags, err));
    flags = (flags & ~(uint64_t)(BY_LAHF | OVERFLOW | RESUME)) | (spilled >> 8 & BY_LAHF) | (spilled & 1 ? OVERFLOW : 0);
    return vm_set(vm, t->tid, VM_REG(eflags), flags, err);
}

static ebb_status unspill(x86_vm *vm, vm_thread *t, const vm_place *place, ebb_error *err)
{
    x86_tcb tcb;
    EBB_TRY(vm_read_tcb(vm, t, &tcb, err));
    for (unsigned i = 0; i < X86_N_GPRS; i++)
        if (place->spilled >> i & 1)
            EBB_TRY(vm_set(vm, t->tid, vm_gprs[i], tcb.spills[i], err));
    return place->in_condition ? unspill_flags(vm, t, tcb.spill_flags, err) : EBB_OK;
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
        EBB_TRY(vm_set(vm, t->tid, vm_gprs[i], tcb->regs[i], err));
    EBB_TRY(vm_set(vm, t->tid, VM_REG(rax), rax, err));
    return vm_set(vm, t->tid, VM_REG(eflags), tcb->rflags, err);
}

bool vm_is_plain_call(uint64_t number)
{
    const x86_call_row *row = x86_call_row_of(number);
    return !row || row->border == X86_BORDER_MADE;
}

/* After the instruction that makes system calls, the call done or about to be restarted: the thread looks as if it had
 * made it natively. */
static ebb_status park_in_syscall(x86_vm *vm, vm_thread *t, const x86_tcb *tcb, uint64_t rax, ebb_error *err)
{
    uint64_t orig_rax;
    EBB_TRY(vm_get(vm, t->tid, VM_REG(orig_rax), &orig_rax, err));
    EBB_TRY(take_time_in_call(vm, t, err));
    EBB_TRY(load_guest_regs(vm, t, tcb, rax, err));
    EBB_TRY(vm_set(vm, t->tid, VM_REG(rcx), tcb->target, err));
    EBB_TRY(vm_set(vm, t->tid, VM_REG(r11), tcb->rflags | (tcb->trap_flag ? VM_FLAG_TRAP : 0), err));
    EBB_TRY(become_native(vm, t, tcb->target, err));
    if (!x86_will_restart(rax))
        EBB_TRY(vm_caught_later(vm, t, tcb->regs[X86_RAX], err));
    return vm_set(vm, t->tid, VM_REG(orig_rax), orig_rax, err);
}

/* Before the instruction that makes the system call: it has not happened. */
static ebb_status park_before_syscall(x86_vm *vm, vm_thread *t, const x86_tcb *tcb, ebb_error *err)
{
    EBB_TRY(take_time_in_call(vm, t, err));
    EBB_TRY(load_guest_regs(vm, t, tcb, tcb->regs[X86_RAX], err));
    EBB_TRY(become_native(vm, t, tcb->target - 2, err));
    x86_skip_point(vm_task(vm, t->tid));
    return EBB_OK;
}

/* A new thread, at the first instruction after the clone that made it (entry.S). */
static ebb_status park_newborn(x86_vm *vm, vm_thread *t, ebb_error *err)
{
    uint64_t guest = vm_birth_take(vm, (pid_t)t->tid);
    EBB_TRY(vm_set(vm, t->tid, VM_REG(rcx), guest, err));
    EBB_TRY(give_back_registers(vm, t, err));
    return vm_set(vm, t->tid, VM_REG(rip), guest, err);
}

ebb_status vm_park_forked(x86_vm *vm, vm_thread *t, ebb_error *err)
{
    x86_tcb tcb;
    EBB_TRY(vm_read_tcb(vm, t, &tcb, err));
    EBB_TRY(vm_set(vm, t->tid, VM_REG(rcx), tcb.target, err));
    return become_native(vm, t, tcb.target, err);
}

/* A system call of the runtime's own that would be restarted, a wait for the turn: there is nothing to wait for now. */
static ebb_status end_own_wait(x86_vm *vm, vm_thread *t, uint64_t rax, ebb_error *err)
{
    uint64_t orig_rax;
    EBB_TRY(vm_get(vm, t->tid, VM_REG(orig_rax), &orig_rax, err));
    if ((int64_t)orig_rax < 0 || !x86_will_restart(rax))
        return EBB_OK;
    EBB_TRY(vm_set(vm, t->tid, VM_REG(rax), (uint64_t)-EINTR, err));
    return vm_set(vm, t->tid, VM_REG(orig_rax), (uint64_t)-1, err);
}

/* TU4; the turn begins anew before anybody waits for it again. */
static ebb_status keep_from_sleeping(x86_vm *vm, ebb_error *err)
{
    uint32_t served;
    EBB_TRY(next_served(vm, &served, err));
    return vm_poke_u32(vm, vm->runtime + offsetof(x86_runtime, turn.served), served, err);
}

/* The thread came out of the runtime because it has changed what is watched. */
static ebb_status keep_watch_hit(x86_vm *vm, const vm_thread *t, ebb_error *err)
{
    x86_tcb tcb;
    machine_stop hit;
    if (!vm->watching)
        return EBB_OK;
    EBB_TRY(vm_read_tcb(vm, t, &tcb, err));
    if (tcb.stuck == X86_STUCK_WATCH && vm_watch_changes(vm, t->tid, &tcb, &hit))
        ebb_vec_push(&vm->pending, hit);
    return EBB_OK;
}

/* What is left of the way out of the runtime (entry.S). */
static ebb_status leave_runtime(x86_vm *vm, vm_thread *t, const x86_tcb *tcb, ebb_error *err)
{
    EBB_TRY(load_guest_regs(vm, t, tcb, tcb->regs[X86_RAX], err));
    return vm_set(vm, t->tid, VM_REG(rip), tcb->jump, err);
}

/* In the runtime: *done, or the thread was moved on and has to be looked at again. */
static ebb_status park_in_runtime(x86_vm *vm, vm_thread *t, uint64_t rip, bool *done, ebb_error *err)
{
    *done = true;
    x86_tcb tcb;
    uint64_t rax, insn = vm->exports.syscall_insn;
    EBB_TRY(vm_get(vm, t->tid, VM_REG(rax), &rax, err));
    if (rip == vm->exports.cloned && rax == 0)
        return park_newborn(vm, t, err);
    if (rip == vm->exports.forked && rax == 0)
        return vm_park_forked(vm, t, err);
    EBB_TRY(vm_read_tcb(vm, t, &tcb, err));
    if (rip >= vm->exports.leave && rip < vm->exports.left) {
        *done = false;
        return leave_runtime(vm, t, &tcb, err);
    }
    if (tcb.outside == X86_IN_SYSCALL && rip >= vm->exports.guest_syscall && rip <= insn)
        return park_before_syscall(vm, t, &tcb, err);
    if (tcb.outside == X86_IN_SYSCALL && rip == insn + 2 && (x86_will_restart(rax) || vm_is_plain_call(tcb.regs[X86_RAX])))
        return park_in_syscall(vm, t, &tcb, rax, err);
    *done = false;
    if (rip != vm->exports.forked && rip != vm->exports.cloned) /* a fork that was interrupted is the guest's, and is made now */
        EBB_TRY(end_own_wait(vm, t, rax, err));
    EBB_TRY(vm_poke_u32(vm, t->tcb + offsetof(x86_tcb, stop_wanted), 1, err));
    EBB_TRY(keep_from_sleeping(vm, err));
    EBB_TRY(run_to_trap(vm, t, err));
    return keep_watch_hit(vm, t, err);
}

/* What native mode has to tell of the thread is kept, so that it can be moved. */
static void take_event(x86_vm *vm, const vm_thread *t)
{
    x86_task *task = vm_task(vm, t->tid);
    if (!task->has_event)
        return;
    task->has_event = false;
    vm_keep_stop(vm, &task->event);
}

/* One look at where the thread stands, and what it takes to come nearer to a parked state. */
static ebb_status park_from(x86_vm *vm, vm_thread *t, uint64_t rip, bool at_fault, bool *done, ebb_error *err)
{
    vm_place place;
    EBB_TRY(vm_place_of(vm, t, rip, &place, err));
    ebb_log("park %ld at 0x%lx: kind %d guest 0x%lx", (long)t->tid, rip, place.kind, place.guest);
    *done = true;
    switch (place.kind) {
    case VM_PLACE_NATIVE: return t->entered ? become_native(vm, t, rip, err) : EBB_OK;
    case VM_PLACE_BOUNDARY:
    case VM_PLACE_POINT: return park_at_boundary(vm, t, &place, err);
    case VM_PLACE_BETWEEN:
        if (at_fault) {
            EBB_TRY(unspill(vm, t, &place, err));
            return park_at_boundary(vm, t, &place, err);
        }
        *done = false;
        return step_host(vm, t, err);
    case VM_PLACE_RUNTIME: return park_in_runtime(vm, t, rip, done, err);
    }
    return EBB_OK;
}

ebb_status vm_park(x86_vm *vm, vm_thread *t, bool at_fault, ebb_error *err)
{
    EBB_TRY(take_ticket(vm, t, err));
    bool done = false;
    for (const x86_task *task = vm_task(vm, t->tid); task && !task->exits && !done; task = vm_task(vm, t->tid)) {
        uint64_t rip;
        EBB_TRY(vm_get(vm, t->tid, VM_REG(rip), &rip, err));
        take_event(vm, t);
        EBB_TRY(park_from(vm, t, rip, at_fault, &done, err));
    }
    return EBB_OK;
}
