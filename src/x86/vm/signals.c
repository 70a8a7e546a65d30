/* signals.c - signals on their way to a parked thread.
 *
 * The kernel itself delivers them, in one single step: the thread then stands at the first instruction of the handler, and
 * nothing of the program has been executed.  That is so only if there is a handler, or if the signal ends the program.
 * One without any effect is not delivered: the step would execute an instruction, and could pass a point or
 * wait in a system call.
 *
 * VS1  a signal that comes by itself, not by a fault of the program, is told and delivered where its thread is at a tick or around a system
 *      call, and so is the thread that executed before it: one timestamp says where that was.  If something is to be told on the way
 *      there (a point), the signal waits until the user moves on. */
#include "x86/events.h"
#include "x86/vm/private.h"
#include "x86/vm/replay.h"
#include "x86/vm/record.h"

#include <signal.h>
#include <sys/ptrace.h>

static bool has_no_effect_by_default(int signal)
{
    switch (signal) {
    case SIGCHLD:
    case SIGCONT:
    case SIGURG:
    case SIGWINCH: return true;
    default: return vm_is_stop_signal(signal);
    }
}

bool vm_drop_ignored(x86_vm *vm, vm_thread *t)
{
    x86_signal_sets sets;
    if (!t->deliver || vm->replaying || !x86_proc_signals(vm_host_of(vm, t->tid), &sets))
        return false;
    uint64_t bit = (uint64_t)1 << (t->deliver - 1);
    bool ignored = (sets.ignored & bit) || (!(sets.caught & bit) && has_no_effect_by_default(t->deliver));
    /* The user may give a thread a signal that it blocks: it comes when the thread lets it. */
    bool put_off = !ignored && (sets.blocked & bit) && tgkill(x86_of(vm->native)->pid, vm_host_of(vm, t->tid), t->deliver) == 0;
    if (!ignored && !put_off)
        return false;
    if (vm_is_stop_signal(t->deliver) && !((sets.ignored | sets.caught | sets.blocked) & bit))
        vm_stop_for_real(vm, t);
    t->deliver = 0;
    t->quiet = t->decided = false;
    return true;
}

int vm_signal_of(const machine_stop *stop)
{
    return stop->kind == MACHINE_STOP_SIGNAL ? stop->signal : stop->kind == MACHINE_STOP_TRAP ? SIGTRAP : 0;
}

bool vm_when_signalled(void *layer, pid_t tid, int signal)
{
    x86_vm *vm = layer;
    uint64_t rip;
    bool may_be = vm->installed && (signal == SIGSEGV || signal == SIGBUS);
    if (!may_be || vm_get(vm, tid, VM_REG(rip), &rip, NULL) != EBB_OK || rip != vm->exports.copy_insn)
        return false;
    return vm_set(vm, tid, VM_REG(rip), rip + 2, NULL) == EBB_OK;
}

void vm_keep_info(x86_vm *vm, vm_thread *t, int signal)
{
    const x86_task *task = vm_task(vm, t->tid);
    if (task && task->signal == signal) /* else it has been moved since, and it is kept already */
        ptrace(PTRACE_GETSIGINFO, vm_host_of(vm, t->tid), 0, &t->info);
}

void vm_plan_delivery(x86_vm *vm, const machine_stop *stop)
{
    int signal = vm_signal_of(stop);
    vm_thread *t = signal ? vm_thread_find(vm, stop->thread) : NULL;
    if (!t)
        return;
    vm_keep_info(vm, t, signal);
    t->deliver = vm->replaying || vm->pass_signals >> (signal - 1) & 1 ? signal : 0;
    t->quiet = t->deliver && !vm_is_told(vm, stop);
    t->decided = false;
}

/* ---- to where it may be delivered ------------------------------------------------------------- */

/* Not from an instruction that failed, nor from a call that was denied. */
static bool comes_by_itself(const machine_stop *stop)
{
    bool denied = stop->signal == SIGSYS && stop->signal_code > 0;
    return stop->kind == MACHINE_STOP_SIGNAL && !vm_is_fault(stop) && !denied;
}

/* What the thread has met already comes first. */
static bool has_more_to_tell(const x86_vm *vm, machine_tid tid)
{
    for (size_t i = 0; i < vm->pending.n; i++)
        if (vm->pending.items[i].thread == tid && !comes_by_itself(&vm->pending.items[i]))
            return true;
    return false;
}

/* *stop is a step if the thread got there. */
static ebb_status settle(x86_vm *vm, machine_tid tid, machine_stop *stop, ebb_error *err)
{
    vm_thread *t = vm_thread_find(vm, tid);
    uint64_t mask;
    ebb_status status = EBB_OK;
    *stop = (machine_stop){.kind = MACHINE_STOP_STEP, .thread = tid};
    if (!t || t->settled || !t->tcb)
        return EBB_OK;
    bool held = vm_hold_signals(vm, tid, &mask);
    while (status == EBB_OK && t && !t->settled && stop->kind == MACHINE_STOP_STEP) {
        t->settles = true;
        status = vm_run_alone(vm, tid, stop, err);
        if ((t = vm_thread_find(vm, tid)))
            t->settles = false;
    }
    if (held && t)
        vm_release_signals(vm, tid, mask);
    return status;
}

ebb_status vm_settle_signal(x86_vm *vm, machine_stop *stop, ebb_error *err)
{
    vm_thread *t = comes_by_itself(stop) ? vm_thread_find(vm, stop->thread) : NULL;
    if (!t || vm->replaying) /* a recorded one is told where it was delivered: whoever moves on from there delivers it */
        return EBB_OK;
    machine_stop signal = *stop;
    vm_keep_info(vm, t, signal.signal); /* before it moves */
    siginfo_t info = t->info;
    if (has_more_to_tell(vm, vm->last) || has_more_to_tell(vm, signal.thread)) {
        ebb_vec_push(&vm->pending, signal);
        stop->kind = MACHINE_STOP_STEP;
        return EBB_OK;
    }
    EBB_TRY(settle(vm, vm->last, stop, err));
    if (stop->kind == MACHINE_STOP_STEP)
        EBB_TRY(settle(vm, signal.thread, stop, err));
    t = vm_thread_find(vm, signal.thread);
    if (!t)
        return EBB_OK; /* it was killed */
    t->info = info;
    EBB_TRY(vm_get(vm, t->tid, VM_REG(rip), &signal.place, err));
    if (stop->kind == MACHINE_STOP_STEP)
        *stop = signal;
    else
        ebb_vec_push(&vm->pending, signal);
    return EBB_OK;
}

/* ---- delivery --------------------------------------------------------------------------------- */

ebb_status vm_deliver(x86_vm *vm, vm_thread *t, machine_stop *stop, ebb_error *err)
{
    x86_task *task = vm_task(vm, t->tid);
    machine_tid tid = t->tid;
    if (vm->replaying)
        return vm_replay_signal(vm, t, stop, err);
    int signal = t->deliver;
    t->deliver = 0;
    t->quiet = t->decided = false;
    vm_interruption at;
    EBB_TRY(vm_gets_turn(vm, tid, err));
    EBB_TRY(vm_record_interrupted(vm, t, signal, &at, err));
    bool skips = (task->skip && task->skip_pc == at.place) || task->skip_after_handler;
    uint64_t skip_pc = task->skip_pc, skip_sp = task->skip_sp;
    bool has_info = t->info.si_signo == signal;
    siginfo_t info = has_info ? t->info : (siginfo_t){.si_signo = signal};
    task->injected_info = has_info ? &t->info : NULL;
    if (task->signal && has_info) /* it stands before a signal: perhaps a trap of ours, by which it was parked since */
        ptrace(PTRACE_SETSIGINFO, vm_host_of(vm, tid), 0, &t->info);
    vm_record_deadly(vm, tid, &at, &info);
    EBB_TRY(vm_step_once(vm, tid, signal, stop, err));
    if (vm_thread_find(vm, tid))
        vm_thread_find(vm, tid)->settled = stop->kind == MACHINE_STOP_STEP; /* the entry of a handler ticks */
    if ((task = vm_task(vm, tid))) { /* whatever native mode thought of the point here */
        task->injected = 0; /* if it is blocked, it comes like any other later */
        task->injected_info = NULL;
        task->skip = false;
        task->skip_after_handler = skips;
        task->skip_pc = skip_pc;
        task->skip_sp = skip_sp;
    }
    if (task && stop->kind == MACHINE_STOP_STEP)
        vm_record_survived(vm);
    return task && stop->kind == MACHINE_STOP_STEP ? vm_record_signal(vm, tid, &at, err) : EBB_OK;
}

/* Not every moment is passed on the way into a handler (TR4): one that is asked for is told. */
static bool time_has_come(x86_vm *vm, machine_tid tid, machine_stop *stop)
{
    uint64_t place = 0;
    if (vm->time < vm->limit || vm_get(vm, tid, VM_REG(rip), &place, NULL) != EBB_OK)
        return false;
    *stop = (machine_stop){.kind = MACHINE_STOP_POSITION, .thread = tid, .place = place};
    return true;
}

ebb_status vm_deliver_all(x86_vm *vm, machine_tid only, machine_stop *stop, bool *goes_on, ebb_error *err)
{
    *goes_on = true;
    for (size_t i = 0; i < vm->threads.n && *goes_on; i++) {
        vm_thread *t = &vm->threads.items[i];
        if (!t->deliver || (only && t->tid != only) || vm_drop_ignored(vm, t))
            continue;
        machine_tid tid = t->tid;
        EBB_TRY(vm_gets_turn(vm, tid, err));
        *goes_on = !time_has_come(vm, tid, stop);
        if (!*goes_on)
            return EBB_OK;
        EBB_TRY(vm_deliver(vm, t, stop, err));
        *goes_on = stop->kind == MACHINE_STOP_STEP && !time_has_come(vm, tid, stop);
    }
    return EBB_OK;
}
