/* run.c - machine_ops.resume in VM mode.
 *
 * One round: threads get the signals they are due, enter, run until native mode has something to tell, and are parked
 * again.  What native mode tells is then put in the guest's terms; if it is nothing for the user, there is another
 * round. */
#include "base/log.h"
#include "base/sizes.h"
#include "x86/events.h"
#include "x86/inside/runtime.h"
#include "x86/interrupted.h"
#include "x86/modules.h"
#include "x86/points.h"
#include "x86/vm/caught.h"
#include "x86/vm/files.h"
#include "x86/vm/filters.h"
#include "x86/vm/history.h"
#include "x86/vm/replay.h"
#include "x86/vm/private.h"
#include "x86/vm/record.h"
#include "x86/vm/tree.h"
#include "x86/vm/undo.h"
#include "x86/vm/verify.h"

#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>

/* ---- threads ---------------------------------------------------------------------------------- */

vm_thread *vm_thread_find(x86_vm *vm, machine_tid tid)
{
    for (size_t i = 0; i < vm->threads.n; i++)
        if (vm->threads.items[i].tid == tid)
            return &vm->threads.items[i];
    return NULL;
}

/* FI1: a new thread still has the gs of the one that made it. */
static vm_filter *inherited_filter(x86_vm *vm, machine_tid tid)
{
    uint64_t tcb;
    if (!vm->filters.n || vm->threads.n == 0)
        return vm->first_filter;
    if (vm_get(vm, tid, VM_REG(gs_base), &tcb, NULL) == EBB_OK)
        for (size_t i = 0; i < vm->threads.n; i++)
            if (vm->threads.items[i].tcb == tcb)
                return vm->threads.items[i].filter;
    return vm->first_filter;
}

static void add_new_threads(x86_vm *vm)
{
    const x86_process *p = x86_of(vm->native);
    for (size_t k = 0; k < p->tasks.n; k++) {
        const x86_task *task = p->tasks.items[k];
        if (task->state != X86_STOPPED || task->exits || vm_thread_find(vm, task->tid))
            continue;
        vm_thread added = {.tid = task->tid, .number = ++vm->n_numbers, .settled = true, .filter = inherited_filter(vm, task->tid)};
        if (!vm->replaying)
            x86_task_name(p, task, added.name, sizeof added.name);
        ebb_vec_push(&vm->threads, added);
    }
}

void vm_refresh_threads(x86_vm *vm)
{
    add_new_threads(vm); /* while those are still there that made them */
    for (size_t i = vm->threads.n; i-- > 0;) {
        const x86_task *task = vm_task(vm, vm->threads.items[i].tid);
        if (!task || task->state != X86_STOPPED || task->exits) {
            if (vm->threads.items[i].tcb)
                ebb_vec_push(&vm->spare_regions, vm->threads.items[i].tcb);
            ebb_vec_remove(&vm->threads, i);
        }
    }
}

/* A thread that was born while others were being parked stands in the runtime. */
static ebb_status park_newborns(x86_vm *vm, ebb_error *err)
{
    for (size_t i = 0; i < vm->threads.n && vm->installed; i++) {
        vm_thread *t = &vm->threads.items[i];
        uint64_t rip;
        if (t->tcb)
            continue;
        EBB_TRY(vm_get(vm, t->tid, VM_REG(rip), &rip, err));
        if (rip == vm->exports.cloned)
            EBB_TRY(vm_park(vm, t, false, err));
    }
    return EBB_OK;
}

ebb_status vm_look_at_threads(x86_vm *vm, ebb_error *err)
{
    vm_refresh_threads(vm);
    return park_newborns(vm, err);
}

static ebb_status enter_all(x86_vm *vm, machine_tid only, ebb_error *err)
{
    if (vm->replaying)
        EBB_TRY(vm_replay_board(vm, vm->last, err));
    EBB_TRY(vm_turn_reset(vm, err));
    vm_order_threads(vm);
    for (size_t i = 0; i < vm->order.n; i++) {
        vm_thread *t = &vm->threads.items[vm->order.items[i]];
        if (!t->entered && (!only || t->tid == only) && vm_task(vm, t->tid)->host)
            EBB_TRY(vm_enter(vm, t, err));
    }
    return vm_poke_u32(vm, vm->runtime + offsetof(x86_runtime, turn.tickets), vm->next_ticket, err);
}

bool vm_is_fault(const machine_stop *stop)
{
    int s = stop->signal;
    return stop->kind == MACHINE_STOP_SIGNAL && stop->signal_code > 0 &&
           (s == SIGSEGV || s == SIGBUS || s == SIGILL || s == SIGFPE);
}

/* TU2: whoever had the turn may have given it away on the way. */
static ebb_status take_given_time(x86_vm *vm, ebb_error *err)
{
    x86_turn turn;
    EBB_TRY(vm_turn_get(vm, &turn, err));
    if (turn.owner)
        return EBB_OK; /* a thread that is ending */
    vm->time = turn.time;
    vm->last = turn.last;
    if (!vm->replaying)
        vm->turn_ends = turn.ends;
    return EBB_OK;
}

/* Whoever has the turn comes first: the others may need it to get out of the runtime. */
ebb_status vm_park_all(x86_vm *vm, const machine_stop *stop, ebb_error *err)
{
    x86_turn turn;
    machine_tid faulting = vm_is_fault(stop) ? stop->thread : 0;
    EBB_TRY(vm_turn_get(vm, &turn, err));
    for (int owners = 1; owners >= 0; owners--)
        for (size_t i = 0; i < vm->threads.n; i++) {
            vm_thread *t = &vm->threads.items[i];
            if ((t->tcb && t->tcb == turn.owner) == (owners == 1))
                EBB_TRY(vm_park(vm, t, t->tid == faulting, err));
        }
    return take_given_time(vm, err);
}

/* ---- what a stop means ------------------------------------------------------------------------ */

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

static ebb_status explain_point(x86_vm *vm, machine_stop *stop, ebb_error *err)
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

void vm_forget_runtime(x86_vm *vm)
{
    const vm_thread *last = vm_thread_find(vm, x86_of(vm->native)->executed_by);
    vm->first_filter = last ? last->filter : vm->first_filter; /* FI1 */
    vm_filters_forget_runtime(vm);
    vm->installed = vm->native_until_exec = false;
    vm->threads.n = vm->spare_regions.n = 0;
    vm->n_numbers = 0;
    vm->ignores_are_told = false;
    vm->changed.n = vm->sites.items.n = vm->sites.conditions.n = vm->pending.n = 0;
    vm->sites_copy = vm->conditions_copy = vm->watches_copy = vm->watched_bytes = (vm_copy){0};
    vm->watching = vm->watching_reads = vm->watching_stores = false;
    vm->tuning_told = (x86_tuning){0};
}

/* It ended, or another one is executed: time goes on there, one tick later (X86_STUCK_EXEC). */
static void forget_program(x86_vm *vm, const machine_stop *stop)
{
    vm_forget_runtime(vm);
    if (stop->kind != MACHINE_STOP_EXEC)
        return;
    vm->time++;
    vm->last = 0;
    vm_tree_executed(vm);
}

/* The child of a fork has a copy of the runtime, and stands where its parent called the kernel; the child of a vfork
 * shares it with its parent, and leaves it alone. */
ebb_status vm_follow(x86_vm *vm, machine_stop *stop, ebb_error *err)
{
    x86_process *p = x86_of(vm->native);
    vm_thread child = {.tid = p->pid, .number = 1, .entered = true};
    EBB_TRY(vm_get(vm, child.tid, VM_REG(gs_base), &child.tcb, err));
    child.filter = child.filter_told = vm->first_filter = inherited_filter(vm, child.tid);
    EBB_TRY(machine_read(vm->native, vm->runtime + offsetof(x86_runtime, turn.time), &vm->time, sizeof vm->time, err));
    vm->pid = p->pid;
    vm->last = child.tid;
    vm->threads.n = 0;
    vm->n_numbers = 1;
    ebb_vec_push(&vm->threads, child);
    vm->native_until_exec = p->points_lifted;
    if (!vm->native_until_exec) /* RO3: it has no ring */
        EBB_TRY(vm_poke_u64(vm, vm->runtime + offsetof(x86_runtime, ring), 0, err));
    vm_history_gap(vm, "the child of a fork is followed");
    EBB_TRY(vm_park(vm, &vm->threads.items[0], false, err));
    return vm_get(vm, child.tid, VM_REG(rip), &stop->place, err);
}

/* A thread can be seen ending when its process, killed or ended by another one, has lost its memory already. */
static bool memory_is_gone(x86_vm *vm)
{
    uint64_t owner;
    return machine_read(vm->native, vm->runtime + offsetof(x86_runtime, turn.owner), &owner, sizeof owner, NULL) != EBB_OK;
}

/* Whatever its threads have to tell on their last way, the debuggee can't be asked about it any more. */
static ebb_status see_it_end(x86_vm *vm, machine_stop *stop, ebb_error *err)
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
    forget_program(vm, stop);
    return EBB_OK;
}

/* Something failed because the debuggee was killed: while it stands still, only that can happen to it. */
static bool is_dying(x86_vm *vm, ebb_status failure)
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

static ebb_status explain(x86_vm *vm, machine_stop *stop, ebb_error *err)
{
    if (stop->kind == MACHINE_STOP_EXEC && !vm->tree.folder)
        vm_history_gap(vm, "the program has executed another one");
    if (vm_debuggee_ended(stop) || stop->kind == MACHINE_STOP_EXEC) {
        forget_program(vm, stop);
        return EBB_OK;
    }
    if (x86_of(vm->native)->fork.phase == X86_FORK_HELD)
        EBB_TRY(vm_part(vm, stop, err));
    if (x86_of(vm->native)->pid != vm->pid)
        return vm_follow(vm, stop, err);
    if (memory_is_gone(vm))
        return see_it_end(vm, stop, err);
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
        return explain_point(vm, stop, err);
    }
    if (stop->kind == MACHINE_STOP_TRAP && place.kind == VM_PLACE_POINT)
        return explain_point(vm, stop, err);
    return EBB_OK;
}

/* A thread gets one signal after the other. */
static bool waits_for_delivery(x86_vm *vm, const machine_stop *stop)
{
    const vm_thread *t = vm_signal_of(stop) ? vm_thread_find(vm, stop->thread) : NULL;
    return t && t->deliver;
}

/* What happened while threads were being parked comes before anything new (MA3). */
static ebb_status take_pending(x86_vm *vm, machine_stop *stop, bool *taken, ebb_error *err)
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
            EBB_TRY(explain_point(vm, stop, err));
        else if (stop->kind == MACHINE_STOP_POINT)
            *taken = x86_points_still_set(x86_of(vm->native), stop) > 0;
    }
    return EBB_OK;
}

/* ---- running ---------------------------------------------------------------------------------- */

static int patience_ms(const x86_vm *vm, machine_tid only)
{
    if (vm->replaying) /* turns end where they ended */
        return vm_undo_patience_ms(vm);
    return vm->threads.n > 1 && !only && !vm_turns_by_time(vm) ? VM_SLICE_MS : vm_snapshots_patience_ms(vm);
}

static ebb_status run_natively(x86_vm *vm, machine_tid only, machine_tid thread, machine_stop *stop, ebb_error *err)
{
    x86_process *p = x86_of(vm->native);
    p->patience_ms = patience_ms(vm, only);
    p->wants[MACHINE_EVENT_FORK] = vm->wants[MACHINE_EVENT_FORK] || p->follow == X86_FOLLOW_CHILD;
    machine_request run = {.move = MACHINE_RUN, .thread = thread, .only_thread = only != 0};
    p->parts_itself = true;
    ebb_status status = vm->native->ops->resume(vm->native, &run, stop, err);
    p->parts_itself = false;
    p->patience_ms = 0;
    return status;
}

ebb_status vm_run_alone(x86_vm *vm, machine_tid tid, machine_stop *stop, ebb_error *err)
{
    *stop = (machine_stop){0};
    EBB_TRY(enter_all(vm, tid, err));
    EBB_TRY(run_natively(vm, tid, tid, stop, err));
    return explain(vm, stop, err);
}

/* All that moves threads for our own ends, so that what happens meanwhile can be told before they enter. */
static ebb_status prepare(x86_vm *vm, machine_tid thread, ebb_error *err)
{
    EBB_TRY(vm_leave_natives_calls(vm, err));
    if (!vm->filters_checked)
        EBB_TRY(vm_filters_check(vm, err));
    vm->filters_checked = true;
    if (!vm->installed)
        EBB_TRY(vm_install(vm, thread, err));
    vm_history_after_gap(vm);
    vm_tree_go_on(vm);
    EBB_TRY(vm_tell_changes(vm, thread, err));
    EBB_TRY(vm_caught_tell(vm, err));
    for (size_t i = 0; i < vm->threads.n; i++) {
        if (!vm->threads.items[i].tcb)
            EBB_TRY(vm_thread_prepare(vm, &vm->threads.items[i], err));
        EBB_TRY(vm_filters_tell(vm, &vm->threads.items[i], err));
        if (!vm->replaying) /* nothing of the kernel's is left to guard against */
            EBB_TRY(vm_guard_begin(vm, &vm->threads.items[i], err));
    }
    return EBB_OK;
}

/* One errand of a thread that the program steps. */
static ebb_status run_traced_errand(x86_vm *vm, machine_tid tid, const vm_errand *errand, machine_stop *stop, ebb_error *err)
{
    vm_thread_find(vm, tid)->one_more = true;
    EBB_TRY(vm_run_alone(vm, tid, stop, err));
    vm_thread *t = vm_thread_find(vm, tid);
    bool is_instruction = errand->kind == VM_ERRAND_ASK || errand->kind == VM_ERRAND_SAVE;
    bool answered = t && is_instruction && stop->kind == MACHINE_STOP_STEP && stop->place == errand->end;
    return answered ? vm_trap_after_ask(vm, t, stop, err) : EBB_OK;
}

/* One instruction of a thread that the program steps (traced.c). */
static ebb_status run_traced(x86_vm *vm, machine_tid tid, machine_stop *stop, ebb_error *err)
{
    x86_task *task = vm_task(vm, tid);
    vm_errand errand;
    uint64_t before, after;
    EBB_TRY(vm_get(vm, tid, VM_REG(rip), &before, err));
    if (x86_site_at(x86_of(vm->native), before) && !(task->skip && task->skip_pc == before)) {
        *stop = (machine_stop){.thread = tid};
        return explain_point(vm, stop, err);
    }
    EBB_TRY(vm_errand_at(vm, tid, &errand, err));
    if (errand.kind != VM_ERRAND_NONE && errand.kind != VM_ERRAND_OLD && !errand.forks)
        return run_traced_errand(vm, tid, &errand, stop, err);
    task->skip = false;
    EBB_TRY(vm_gets_turn(vm, tid, err));
    EBB_TRY(vm_turn_reset(vm, err));
    EBB_TRY(run_natively(vm, tid, tid, stop, err));
    EBB_TRY(explain(vm, stop, err));
    if (stop->kind == MACHINE_STOP_TRAP && vm_get(vm, tid, VM_REG(rip), &after, NULL) == EBB_OK && vm_step_ticks(vm, before, after))
        vm->time++;
    return EBB_OK;
}

static ebb_status settle_pending(x86_vm *vm, machine_stop *stop, ebb_error *err)
{
    EBB_TRY(prepare(vm, stop->thread, err));
    return vm_settle_signal(vm, stop, err);
}

/* In a copy only the thread that is aboard can do something for us. */
static machine_tid who_prepares(x86_vm *vm, machine_tid thread)
{
    const x86_task *task = vm_thread_find(vm, thread) ? vm_task(vm, thread) : NULL;
    if (task && task->host)
        return thread;
    return vm->replaying ? vm_task_aboard(vm)->tid : vm->threads.items[0].tid;
}

static ebb_status run_once(x86_vm *vm, machine_tid only, machine_tid thread, machine_stop *stop, ebb_error *err)
{
    bool done;
    do {
        EBB_TRY(vm_look_at_threads(vm, err));
        EBB_TRY(take_pending(vm, stop, &done, err));
        if (done)
            return vm_signal_of(stop) ? settle_pending(vm, stop, err) : EBB_OK;
        EBB_TRY(vm_deliver_all(vm, only, stop, &done, err));
        if (!done)
            return EBB_OK;
        EBB_TRY(vm_look_at_threads(vm, err));
        EBB_TRY(prepare(vm, who_prepares(vm, thread), err));
    } while (vm->pending.n);
    const vm_thread *traced = vm_traced_thread(vm, only);
    if (traced)
        return run_traced(vm, traced->tid, stop, err);
    EBB_TRY(vm_undo_look(vm, err));
    EBB_TRY(enter_all(vm, only, err));
    EBB_TRY(run_natively(vm, only, thread, stop, err));
    EBB_TRY(explain(vm, stop, err));
    return vm_settle_signal(vm, stop, err);
}

bool vm_until_reached(const x86_vm *vm, const machine_request *request, uint64_t place)
{
    return vm->time > request->until_time || (vm->time == request->until_time && place >= request->until_place);
}

/* Also if a signal came at that very moment: the thread gets it when it moves on.  The child of a fork, if it is followed, takes
 * its parent's place. */
static bool is_back(x86_vm *vm, const vm_back *back, const machine_stop *stop)
{
    uint64_t sp;
    if (back && stop->kind == MACHINE_STOP_FORKED && !vm_thread_find(vm, back->tid))
        return true;
    if (back && back->until && stop->kind == MACHINE_STOP_POINT && vm_until_reached(vm, back->until, stop->place))
        return true;
    return back && (!back->tid || stop->thread == back->tid) && stop->place == back->pc &&
           (stop->kind == MACHINE_STOP_POINT || stop->kind == MACHINE_STOP_SIGNAL) &&
           (!back->sp || (vm_get(vm, stop->thread, VM_REG(rsp), &sp, NULL) == EBB_OK && sp == back->sp));
}

/* For a snapshot or a checkpoint: nobody else wanted it to stop. */
static bool is_for_history(x86_vm *vm, const machine_stop *stop)
{
    return stop->kind == MACHINE_STOP_INTERRUPTED && x86_of(vm->native)->is_paused;
}

ebb_status vm_run_until(x86_vm *vm, machine_tid only, machine_tid thread, const vm_back *back, machine_stop *stop, ebb_error *err)
{
    for (;;) {
        *stop = (machine_stop){0};
        EBB_TRY(run_once(vm, only, thread, stop, err));
        if (is_for_history(vm, stop)) {
            if (!vm->replaying)
                vm_snapshots_take(vm);
            else
                vm_undo_waits(vm);
            thread = only ? only : stop->thread;
            continue;
        }
        vm_plan_delivery(vm, stop);
        if (vm_is_told(vm, stop) || (vm->awaited && vm->last == vm->awaited))
            return EBB_OK;
        if (is_back(vm, back, stop)) {
            vm_task(vm, stop->thread)->skip_after_handler = false;
            stop->kind = MACHINE_STOP_STEP;
            return EBB_OK;
        }
        thread = only ? only : stop->thread;
    }
}

ebb_status vm_run_on(x86_vm *vm, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    x86_task *task = vm_task(vm, request->thread);
    uint64_t rip;
    EBB_TRY(vm_get(vm, request->thread, VM_REG(rip), &rip, err));
    if (!task->has_event && x86_site_at(x86_of(vm->native), rip))
        x86_skip_point(task); /* MA4 */
    return vm_run_until(vm, request->only_thread ? request->thread : 0, request->thread, NULL, stop, err);
}

/* At the right time already: the place only, before the time is over. */
static ebb_status run_to_place(x86_vm *vm, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    machine_point_id point;
    vm_back back = {.pc = request->until_place};
    EBB_TRY(x86_point_set_internal(x86_of(vm->native), back.pc, &point, err));
    vm->limit = request->until_time + 1;
    ebb_status status = vm_run_until(vm, 0, request->thread, &back, stop, err);
    if (status == EBB_OK && stop->kind == MACHINE_STOP_STEP)
        stop->kind = MACHINE_STOP_POSITION;
    if (x86_point_clear(vm->native, point, NULL) != EBB_OK)
        return status; /* an exec, or the end, took it */
    return status;
}

static ebb_status run_until_position(x86_vm *vm, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    uint64_t rip;
    EBB_TRY(vm_get(vm, request->thread, VM_REG(rip), &rip, err));
    if (vm->replaying)
        return vm_replay_until(vm, request, stop, err);
    if (vm_until_reached(vm, request, rip) && (vm->time != request->until_time || rip != request->until_place))
        return ebb_fail(err, EBB_NO_HISTORY, "that position is in the past");
    *stop = (machine_stop){.kind = MACHINE_STOP_POSITION, .thread = request->thread, .place = rip};
    if (vm->time < request->until_time) {
        vm->limit = request->until_time;
        EBB_TRY(vm_run_on(vm, request, stop, err));
    }
    if (stop->kind != MACHINE_STOP_POSITION || stop->place >= request->until_place)
        return EBB_OK;
    machine_request rest = *request;
    rest.thread = stop->thread;
    return run_to_place(vm, &rest, stop, err);
}

static ebb_status run_limited(x86_vm *vm, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    ebb_status status = run_until_position(vm, request, stop, err);
    vm->limit = UINT64_MAX;
    return status;
}

/* The child of a vfork, until it is a program of its own. */
static ebb_status run_to_exec(x86_vm *vm, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    EBB_TRY(vm->native->ops->resume(vm->native, request, stop, err));
    if (vm_debuggee_ended(stop) || stop->kind == MACHINE_STOP_EXEC)
        forget_program(vm, stop);
    return EBB_OK;
}

/* What the user says of the signal that the thread was told of. */
static void accept_signal(vm_thread *t, int signal)
{
    if (!signal && (t->quiet || t->decided))
        return;
    t->deliver = signal;
    t->decided = signal != 0;
}

static ebb_status move(x86_vm *vm, machine_request *request, machine_stop *stop, ebb_error *err)
{
    vm_thread *t = vm_thread_find(vm, request->thread);
    if (!t)
        return ebb_fail(err, EBB_NOT_FOUND, "There is no thread %lld.", (long long)request->thread);
    if (vm->native_until_exec)
        return run_to_exec(vm, request, stop, err);
    if (vm->installed) {
        vm_history_after_gap(vm); /* before single steps; else as soon as the runtime is there */
        vm_tree_go_on(vm);
    }
    vm_tick_in_call(vm);
    if (!vm->replaying) /* what is delivered in the past is in the recording */
        accept_signal(t, request->signal);
    vm->ends_with = request->only_thread || request->move == MACHINE_STEP ? request->thread : 0;
    if (request->move == MACHINE_STEP)
        return vm_step(vm, request, stop, err);
    if (request->until)
        return run_limited(vm, request, stop, err);
    return vm_run_on(vm, request, stop, err);
}

/* The rest of it may be done by another ebb, for a child that was made meanwhile. */
static ebb_status move_one_or_both(x86_vm *vm, machine_request *request, machine_stop *stop, ebb_error *err)
{
    if (!vm->tree.folder)
        return move(vm, request, stop, err);
    if (sigsetjmp(vm->tree.home, 1))
        return vm_tree_wake(vm, stop, err);
    vm->tree.is_moving = true;
    ebb_status status = move(vm, request, stop, err);
    vm->tree.is_moving = false;
    return status;
}

/* When the timeline is the one who moves, it says it. */
static uint64_t forgets_from(const x86_vm *vm, const machine_request *r)
{
    if (r->forgets)
        return 0;
    return r->quiet || vm->noting ? UINT64_MAX : vm->time + X86_UNDO_FAR;
}

ebb_status vm_run(x86_vm *vm, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    machine_request r = *request;
    EBB_TRY(x86_check_alive(x86_of(vm->native), err));
    vm_refresh_threads(vm);
    *stop = (machine_stop){0};
    if (!r.thread && vm->threads.n)
        r.thread = vm->threads.items[0].tid;
    vm->quiet = r.until && r.quiet;
    vm_caught_begin(vm, &r);
    vm->counts_hits = r.counts;
    vm->forgets_from = forgets_from(vm, &r);
    vm_watch_by_code(vm, vm->replaying);
    ebb_status status = move_one_or_both(vm, &r, stop, err);
    vm_watch_by_code(vm, false);
    vm_ignores_collect(vm);
    vm->quiet = vm->counts_hits = vm->ignores_are_told = false;
    const x86_task *told = status == EBB_OK && !vm_debuggee_ended(stop) ? vm_task(vm, stop->thread) : NULL;
    if (told && !told->exits)
        status = vm_gets_turn(vm, stop->thread, err); /* its position is that of the stop */
    if (!x86_of(vm->native)->let_go && is_dying(vm, status))
        status = see_it_end(vm, stop, err);
    if (status == EBB_OK && vm_debuggee_ended(stop) && !vm->replaying) {
        vm_record_exit(vm, stop);
        vm_history_note_end(vm, stop);
    }
    if (status == EBB_OK)
        vm_caught_show(&vm->base, stop);
    return status;
}
