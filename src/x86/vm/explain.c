/* explain.c - what a stop of native mode means in the guest's terms. */
#include "x86/events.h"
#include "x86/inside/runtime.h"
#include "x86/modules.h"
#include "x86/points.h"
#include "x86/vm/caught.h"
#include "x86/vm/files.h"
#include "x86/vm/filters.h"
#include "x86/vm/history.h"
#include "x86/vm/replay.h"
#include "x86/vm/record.h"
#include "x86/vm/undo.h"
#include "x86/vm/verify.h"

#include <string.h>
#include <sys/ptrace.h>

bool vm_debuggee_ended(const machine_stop *stop)
{
    return stop->kind == MACHINE_STOP_EXITED || stop->kind == MACHINE_STOP_KILLED;
}

/* Whoever is told of a thread's end finds it before its last call (caught.h). */
static bool is_there(x86_vm *vm, machine_tid tid)
{
    const x86_task *task = vm_thread_find(vm, tid) ? vm_task(vm, tid) : NULL;
    return task && !task->exits;
}

bool vm_is_told(x86_vm *vm, const machine_stop *stop)
{
    if (vm->replaying && !vm_replay_is_told(vm, stop))
        return false;
    switch (stop->kind) {
    case MACHINE_STOP_SIGNAL: return vm->stop_signals >> (stop->signal - 1) & 1;
    case MACHINE_STOP_TRAP: return vm->stop_signals >> (SIGTRAP - 1) & 1;
    case MACHINE_STOP_THREAD_START: return vm->wants[MACHINE_EVENT_THREAD_START];
    case MACHINE_STOP_THREAD_END: return (vm->wants[MACHINE_EVENT_THREAD_END] && is_there(vm, stop->thread)) || stop->thread == vm->ends_with;
    case MACHINE_STOP_FORKED: return vm->wants[MACHINE_EVENT_FORK];
    case MACHINE_STOP_POINT: return stop->n_points > 0;
    case MACHINE_STOP_STEP: return false; /* it was ours */
    default: return true;
    }
}

/* Back from a handler that came between being told of a point and passing it. */
static bool is_still_to_be_skipped(const x86_task *task, const struct user_regs_struct *regs)
{
    return task->skip_after_handler && regs->rip == task->skip_pc && regs->rsp == task->skip_sp;
}

ebb_status vm_explain_point(x86_vm *vm, machine_stop *stop, ebb_error *err)
{
    x86_process *p = x86_of(vm->native);
    x86_task *task = vm_task(vm, stop->thread);
    struct user_regs_struct *regs;
    EBB_TRY(vm_regs(vm, stop->thread, &regs, err));
    bool again = is_still_to_be_skipped(task, regs);
    stop->kind = MACHINE_STOP_POINT;
    stop->place = regs->rip;
    stop->n_points = 0;
    bool modules_changed;
    if (!again && x86_loader_reached(p, stop->place, &modules_changed) && modules_changed) {
        stop->kind = MACHINE_STOP_MODULES;
        if (x86_points_at(p, task, stop->place, stop) == 0)
            x86_skip_point(task);
        stop->n_points = 0; /* a point of the user's at the same place is met again at once */
        return EBB_OK;
    }
    x86_skip_point(task);
    if (!again)
        x86_points_at(p, task, stop->place, stop);
    return EBB_OK;
}

bool vm_is_stuck(x86_vm *vm, const machine_stop *stop)
{
    return stop->kind == MACHINE_STOP_TRAP && stop->place == vm->exports.stuck + 1;
}

static ebb_status explain_stuck(const x86_tcb *tcb, ebb_error *err)
{
    static const char *const texts[] = {
#define X(name, text) [name] = text,
        X86_STUCK_REASONS(X)
#undef X
    };
    const char *why = tcb->stuck < sizeof texts / sizeof texts[0] ? texts[tcb->stuck] : "?";
    return ebb_fail(err, EBB_UNSUPPORTED, "VM mode can't go on at 0x%lx: %s", (unsigned long)tcb->target, why);
}

/* With all its repetitions unless the time is over before. */
static ebb_status execute_stuck(x86_vm *vm, machine_tid tid, uint64_t at, machine_stop *stop, ebb_error *err)
{
    bool done;
    uint64_t limit = vm_undo_limit(vm); /* once it is reached, there is another */
    EBB_TRY(vm_repeat(vm, tid, &done, stop, err));
    if (done && (stop->kind != MACHINE_STOP_STEP || stop->place != at))
        return EBB_OK;
    do
        EBB_TRY(vm_step_once(vm, tid, 0, stop, err));
    while (stop->kind == MACHINE_STOP_STEP && stop->place == at && vm->time < limit);
    return EBB_OK;
}

/* What translated code leaves to the CPU. */
static ebb_status step_stuck(x86_vm *vm, machine_tid tid, machine_stop *stop, ebb_error *err)
{
    enum { CS_64_BIT = 0x33 };
    uint64_t before, cs;
    uint8_t code[2];
    vm_errand errand;
    EBB_TRY(vm_get(vm, tid, VM_REG(rip), &before, err));
    EBB_TRY(vm_errand_at(vm, tid, &errand, err));
    if (machine_read(vm->native, before, code, sizeof code, NULL) == EBB_OK && memcmp(code, "\xcd\x80", 2) == 0) {
        if (vm->replaying) /* RX3: nobody recorded it, and nothing is asked of the world */
            return ebb_fail(err, EBB_DIVERGED, "Replay diverged from what was recorded: it came to a system call by the 32-bit way.");
        vm->flush = true; /* the old way into the kernel: it may change what code there is */
        vm_record_stop(vm, "the program made a system call by the 32-bit way");
    }
    EBB_TRY(execute_stuck(vm, tid, before, stop, err));
    if (stop->kind != MACHINE_STOP_STEP)
        return EBB_OK;
    if (errand.kind == VM_ERRAND_ASK && stop->place == errand.end)
        EBB_TRY(vm_record_stepped_ask(vm, tid, err));
    EBB_TRY(vm_get(vm, tid, VM_REG(cs), &cs, err));
    if (cs != CS_64_BIT)
        return ebb_fail(err, EBB_UNSUPPORTED, "VM mode can't go on at 0x%lx: the program went to 32-bit code there", (unsigned long)before);
    return EBB_OK;
}

/* The last look at the program, if that makes sense already: threads that were waited for may be about to end. */
static bool has_seen_end(x86_vm *vm)
{
    enum { MOST_LOOKS = 20 };
    if (vm_verify_record(vm))
        return true;
    return !vm_verify_awaits_end(vm) && ++vm->n_last_looks % MOST_LOOKS == 0; /* however long that takes on a busy machine */
}

/* The time is known now, and the call is made in the next round. */
static ebb_status look_before_call(x86_vm *vm, machine_tid tid, const x86_tcb *tcb, machine_stop *stop, ebb_error *err)
{
    bool has_seen = true;
    if (tcb->stuck == X86_STUCK_FILES)
        EBB_TRY(vm_files_before(vm, tid, err));
    else
        has_seen = has_seen_end(vm);
    vm_thread_find(vm, tid)->open_at = has_seen ? tcb->target : 0;
    *stop = (machine_stop){.kind = MACHINE_STOP_STEP, .thread = tid, .place = tcb->target};
    return EBB_OK;
}

/* Live: the thread's end is told before its last call, which is made in the next round. */
static ebb_status look_before_end(x86_vm *vm, machine_tid tid, const x86_tcb *tcb, machine_stop *stop, ebb_error *err)
{
    vm_thread_find(vm, tid)->open_at = tcb->target;
    *stop = (machine_stop){.kind = vm->threads.n > 1 ? MACHINE_STOP_THREAD_END : MACHINE_STOP_STEP, .thread = tid, .place = tcb->target};
    return EBB_OK;
}

/* Code that isn't there can't be translated: the CPU itself is asked, and faults as it should. */
static ebb_status handle_stuck(x86_vm *vm, vm_thread *t, machine_stop *stop, ebb_error *err)
{
    x86_tcb tcb;
    EBB_TRY(vm_read_tcb(vm, t, &tcb, err));
    machine_tid tid = t->tid;
    machine_stop hit = {0};
    if (tcb.stuck == X86_STUCK_WATCH)
        vm_watch_changes(vm, tid, &tcb, &hit); /* before anything moves again */
    EBB_TRY(vm_park_all(vm, stop, err));
    switch (tcb.stuck) {
    case X86_STUCK_WATCH:
        *stop = hit;
        stop->place = tcb.target;
        return vm_caught_answer_later(vm, tid, err);
    case X86_STUCK_NOTES: return vm_noting_goes_on(vm, tid, tcb.target, stop, err);
    case X86_STUCK_NO_LIST: {
        bool is_code;
        EBB_TRY(vm_tell_regions(vm, tcb.target, &is_code, err));
        if (!is_code)
            return vm_step_once(vm, tid, 0, stop, err);
        stop->kind = MACHINE_STOP_STEP;
        return EBB_OK;
    }
    case X86_STUCK_WILD:
    case X86_STUCK_UNREADABLE:
    case X86_STUCK_UNDECODABLE: return vm_step_once(vm, tid, 0, stop, err);
    case X86_STUCK_STEP: return step_stuck(vm, tid, stop, err);
    case X86_STUCK_UNTRACED: return vm_goes_alone(vm, stop, err);
    case X86_STUCK_FILTER:
        stop->kind = MACHINE_STOP_STEP;
        return vm_filter_install(vm, tid, err);
    case X86_STUCK_DENIED: return vm_denied(vm, tid, &tcb, stop, err);
    case X86_STUCK_FILES:
    case X86_STUCK_LAST:
    case X86_STUCK_EXEC: return look_before_call(vm, tid, &tcb, stop, err);
    case X86_STUCK_CALLS: return vm_caught_call(vm, tid, stop, err);
    case X86_STUCK_CALLED:
        *stop = (machine_stop){.kind = MACHINE_STOP_STEP, .thread = tid, .place = tcb.target};
        return vm_caught_answer(vm, tid, stop, err);
    case X86_STUCK_LEAVES: return look_before_end(vm, tid, &tcb, stop, err);
    case X86_STUCK_TICK:
        vm_thread_find(vm, tid)->settled = true;
        *stop = (machine_stop){.kind = MACHINE_STOP_STEP, .thread = tid, .place = tcb.target};
        return EBB_OK;
    case X86_STUCK_TRAP_FLAG:
        *stop = (machine_stop){.kind = MACHINE_STOP_STEP, .thread = tid, .place = tcb.target};
        return EBB_OK;
    case X86_STUCK_TIME:
        *stop = (machine_stop){.kind = vm_undo_waits(vm) ? MACHINE_STOP_STEP : MACHINE_STOP_POSITION, .thread = tid, .place = tcb.target};
        return EBB_OK;
    case X86_STUCK_FEED:
    case X86_STUCK_EVENT:
    case X86_STUCK_END:
    case X86_STUCK_BIRTH:
    case X86_STUCK_LEFT:
    case X86_STUCK_DIVERGED: return vm_replay_goes_on(vm, tid, (x86_stuck)tcb.stuck, stop, err);
    default: return explain_stuck(&tcb, err);
    }
}

/* A thread can be seen ending when its process, killed or ended by another one, has lost its memory already. */
static bool memory_is_gone(x86_vm *vm)
{
    uint64_t owner;
    return machine_read(vm->native, vm->runtime + offsetof(x86_runtime, turn.owner), &owner, sizeof owner, NULL) != EBB_OK;
}

/* Whatever its threads have to tell on their last way, the debuggee can't be asked about it any more. */
ebb_status vm_see_it_end(x86_vm *vm, machine_stop *stop, ebb_error *err)
{
    machine_request run = {.move = MACHINE_RUN};
    x86_process *p = x86_of(vm->native);
    while (!p->gone && stop->kind != MACHINE_STOP_EXEC) {
        EBB_TRY(vm->native->ops->resume(vm->native, &run, stop, err));
        if (stop->kind == MACHINE_STOP_INTERRUPTED)
            return EBB_OK;
    }
    if (p->gone)
        *stop = p->ending;
    vm_forget_program(vm, stop);
    return EBB_OK;
}

/* Something failed because the debuggee was killed: while it stands still, only that can happen to it. */
bool vm_is_dying(x86_vm *vm, ebb_status failure)
{
    return failure != EBB_OK && (failure == EBB_GONE || x86_of(vm->native)->gone || (vm->installed && memory_is_gone(vm)));
}

/* A fault of the runtime itself (the program may have taken its memory away): no thread can get out of it any more. */
static bool is_runtime_broken(const x86_vm *vm, const machine_stop *stop)
{
    return vm_is_fault(stop) && stop->place >= vm->image_lo && stop->place < vm->image_hi;
}

/* Some faults (SIGILL, SIGFPE) and traps are about the address of the instruction: it is the guest's. */
static void tell_guest_address(x86_vm *vm, uint64_t host, machine_stop *stop)
{
    bool has_one = vm_is_fault(stop) || stop->kind == MACHINE_STOP_TRAP;
    vm_thread *t = has_one ? vm_thread_find(vm, stop->thread) : NULL;
    if (!t || (uint64_t)t->info.si_addr != host)
        return;
    t->info.si_addr = (void *)stop->place;
    stop->signal_addr = stop->place;
    ptrace(PTRACE_SETSIGINFO, vm_host_of(vm, t->tid), 0, &t->info);
}

ebb_status vm_explain(x86_vm *vm, machine_stop *stop, ebb_error *err)
{
    if (stop->kind == MACHINE_STOP_EXEC && !vm->tree.folder)
        vm_history_gap(vm, "the program has executed another one");
    if (vm_debuggee_ended(stop) || stop->kind == MACHINE_STOP_EXEC) {
        vm_forget_program(vm, stop);
        return EBB_OK;
    }
    if (x86_of(vm->native)->fork.phase == X86_FORK_HELD)
        EBB_TRY(vm_part(vm, stop, err));
    if (x86_of(vm->native)->pid != vm->pid)
        return vm_follow(vm, stop, err);
    if (memory_is_gone(vm))
        return vm_see_it_end(vm, stop, err);
    if (is_runtime_broken(vm, stop))
        return ebb_fail(err, EBB_UNSUPPORTED,
                        "VM mode's own code failed inside the program (signal %d, address 0x%lx).  Kill it, and run it in native mode.",
                        stop->signal, (unsigned long)stop->signal_addr);
    EBB_TRY(vm_guard_check(stop, err));
    vm_refresh_threads(vm);
    vm_thread *t = vm_thread_find(vm, stop->thread);
    if (!t)
        return vm_park_all(vm, stop, err);
    if (vm_is_stuck(vm, stop))
        return handle_stuck(vm, t, stop, err);
    if (stop->kind == MACHINE_STOP_SIGNAL || stop->kind == MACHINE_STOP_TRAP)
        ptrace(PTRACE_GETSIGINFO, vm_host_of(vm, t->tid), 0, &t->info);
    vm_place place;
    uint64_t host = stop->place;
    EBB_TRY(vm_place_of(vm, t, host, &place, err));
    EBB_TRY(vm_park_all(vm, stop, err));
    EBB_TRY(vm_get(vm, stop->thread, VM_REG(rip), &stop->place, err));
    tell_guest_address(vm, host, stop);
    if (vm_is_fault(stop) && place.in_condition) { /* CD3 */
        vm_task(vm, stop->thread)->signal = vm_task(vm, stop->thread)->deliver = 0;
        return vm_explain_point(vm, stop, err);
    }
    if (stop->kind == MACHINE_STOP_TRAP && place.kind == VM_PLACE_POINT)
        return vm_explain_point(vm, stop, err);
    return EBB_OK;
}

/* A thread gets one signal after the other. */
static bool waits_for_delivery(x86_vm *vm, const machine_stop *stop)
{
    const vm_thread *t = vm_signal_of(stop) ? vm_thread_find(vm, stop->thread) : NULL;
    return t && t->deliver;
}

/* What happened while threads were being parked comes before anything new (MA3). */
ebb_status vm_take_pending(x86_vm *vm, machine_stop *stop, bool *taken, ebb_error *err)
{
    *taken = false;
    while (vm->pending.n && !*taken && !waits_for_delivery(vm, &vm->pending.items[0])) {
        *stop = vm->pending.items[0];
        ebb_vec_remove(&vm->pending, 0);
        *taken = true;
        if (vm_debuggee_ended(stop))
            return EBB_OK;
        EBB_TRY(vm_look_at_threads(vm, err));
        if (stop->kind == MACHINE_STOP_THREAD_END) {
            *taken = vm_is_told(vm, stop);
            continue;
        }
        *taken = vm_thread_find(vm, stop->thread) != NULL;
        if (!*taken)
            continue;
        EBB_TRY(vm_get(vm, stop->thread, VM_REG(rip), &stop->place, err));
        if (stop->kind == MACHINE_STOP_POINT && stop->n_points == 0)
            EBB_TRY(vm_explain_point(vm, stop, err));
        else if (stop->kind == MACHINE_STOP_POINT)
            *taken = x86_points_still_set(x86_of(vm->native), stop) > 0;
    }
    return EBB_OK;
}
