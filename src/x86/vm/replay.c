/* replay.c - runs a copy that replays. */
#include "x86/vm/replay.h"
#include "base/log.h"
#include "x86/interrupted.h"
#include "x86/events.h"
#include "x86/points.h"
#include "x86/recorded.h"
#include "x86/regs.h"
#include "x86/inside/runtime.h"
#include "x86/vm/caught.h"
#include "x86/vm/edits.h"
#include "x86/vm/feed.h"
#include "x86/vm/history_private.h"
#include "x86/vm/undo.h"
#include "x86/vm/verify.h"

#include <signal.h>
#include <string.h>

/* ---- where it ends ---------------------------------------------------------------------------- */

/* The recording says nothing of how the call went: the thread is in it, as the live one is. */
static ebb_status stand_in_call(x86_vm *vm, machine_tid tid, machine_stop *stop, ebb_error *err)
{
    struct user_regs_struct *now, r;
    EBB_TRY(vm_regs(vm, tid, &now, err));
    r = *now;
    if (!vm_is_syscall_at(vm, r.rip))
        return EBB_OK;
    r.orig_rax = r.rax;
    r.rax = (uint64_t)-X86_RESTART_SYS;
    r.rip += 2;
    stop->place = r.rip;
    return vm_set_regs(vm, tid, &r, err);
}

static ebb_status end(x86_vm *vm, machine_tid tid, machine_stop *stop, ebb_error *err)
{
    *stop = (machine_stop){.thread = tid};
    EBB_TRY(vm_get(vm, tid, VM_REG(rip), &stop->place, err));
    if (vm->scratch) {
        stop->kind = MACHINE_STOP_HISTORY_END;
        return EBB_OK;
    }
    EBB_TRY(stand_in_call(vm, tid, stop, err));
    vm_history_tell_end(vm, stop);
    return EBB_OK;
}

/* ---- what comes from outside ------------------------------------------------------------------ */

/* A step that is passed over must still be one: points would be stepped past. */
static ebb_status step_once(x86_vm *vm, machine_tid tid, machine_stop *stop, ebb_error *err)
{
    machine_request step = {.move = MACHINE_STEP, .thread = tid};
    bool quiet = vm->quiet;
    vm->quiet = false;
    ebb_status status = vm_step(vm, &step, stop, err);
    vm->quiet = quiet;
    return status;
}

/* What comes from outside comes at a position, not just at a time. */
static bool stands_at(x86_vm *vm, machine_tid tid, uint64_t place)
{
    uint64_t rip;
    if (vm_get(vm, tid, VM_REG(rip), &rip, NULL) != EBB_OK || rip == place)
        return true;
    return rip + 2 == place && vm_is_syscall_at(vm, rip);
}

/* A step that leads to a point stops there like any other move. */
static void meet_points(x86_vm *vm, machine_stop *stop)
{
    x86_task *task = vm_task(vm, stop->thread);
    if (task && x86_points_at(x86_of(vm->native), task, stop->place, stop))
        stop->kind = MACHINE_STOP_POINT;
}

static bool is_news(x86_vm *vm, machine_stop *stop)
{
    if (stop->kind == MACHINE_STOP_STEP && !vm->quiet)
        meet_points(vm, stop);
    return stop->kind != MACHINE_STOP_STEP && vm_is_told(vm, stop);
}

/* The same, towards what comes from outside.  A system call has events of its own, which come first: if that is met instead (we are asked again, at the same
 * moment), the recording is false. */
static ebb_status step_towards(x86_vm *vm, machine_tid tid, machine_stop *stop, ebb_error *err)
{
    ebb_position here = {.timestamp = vm->time}, before = vm->steps_from;
    EBB_TRY(vm_get(vm, tid, VM_REG(rip), &here.place, err));
    if (ebb_position_compare(here, before) == 0)
        return ebb_fail(err, EBB_DIVERGED, "Replay diverged from what was recorded: it can't go on from 0x%lx at %lu.", (unsigned long)here.place,
                        (unsigned long)here.timestamp);
    vm->steps_from = here;
    ebb_status status = step_once(vm, tid, stop, err);
    vm->steps_from = before;
    return status;
}

/* *tells: something else is to be told on the way there. */
static ebb_status come_to(x86_vm *vm, machine_tid tid, ebb_position due, bool *tells, machine_stop *stop, ebb_error *err)
{
    *tells = false;
    while (due.place && vm->time == due.timestamp && !*tells && !stands_at(vm, tid, due.place)) {
        EBB_TRY(step_towards(vm, tid, stop, err));
        *tells = is_news(vm, stop);
    }
    if (*tells && stop->kind == MACHINE_STOP_POINT && vm_task(vm, stop->thread))
        x86_skip_point(vm_task(vm, stop->thread));
    return EBB_OK;
}

static ebb_status reach_place(x86_vm *vm, machine_tid tid, uint64_t time, uint64_t place, ebb_error *err)
{
    machine_stop stop;
    while (place && vm->time == time && !stands_at(vm, tid, place))
        EBB_TRY(step_towards(vm, tid, &stop, err));
    if (vm->time != time)
        return ebb_fail(err, EBB_DIVERGED, "Replay diverged from what was recorded: it did not come to 0x%lx at %lu.", (unsigned long)place, (unsigned long)time);
    return EBB_OK;
}

static ebb_status enter_handler(x86_vm *vm, machine_tid tid, ebb_event *event, machine_stop *stop, ebb_error *err)
{
    size_t nbytes, n_frame;
    const uint8_t *regs = ebb_values_bytes(&event->values, &nbytes);
    uint64_t frame = ebb_values_u64(&event->values);
    const uint8_t *bytes = ebb_values_bytes(&event->values, &n_frame);
    struct user_regs_struct r;
    if (!regs || !bytes || nbytes != sizeof r)
        return ebb_fail(err, EBB_BAD_FILE, "the recording of a signal is damaged");
    memcpy(&r, regs, sizeof r);
    vm_undo_keep(vm, frame, n_frame);
    EBB_TRY(machine_write(vm->native, frame, bytes, n_frame, err));
    EBB_TRY(vm_set_regs(vm, tid, &r, err));
    vm->time++;
    *stop = (machine_stop){.kind = MACHINE_STOP_STEP, .thread = tid, .place = r.rip};
    return EBB_OK;
}

static ebb_status take_signal(x86_vm *vm, ebb_event *event, machine_stop *stop, ebb_error *err)
{
    bool is_last = event->kind == X86_RECORDED_DEATH;
    (void)ebb_values_u64(&event->values); /* which one it is: its frame says so too */
    machine_tid tid = (machine_tid)ebb_values_u64(&event->values);
    uint64_t place = ebb_values_u64(&event->values);
    if (!vm_thread_find(vm, tid))
        return ebb_fail(err, EBB_DIVERGED, "a signal was recorded for thread %lld, which is not there", (long long)tid);
    EBB_TRY(reach_place(vm, tid, event->timestamp, place, err));
    return is_last ? end(vm, tid, stop, err) : enter_handler(vm, tid, event, stop, err);
}

/* TU5 */
static ebb_status take_switch(x86_vm *vm, ebb_event *event, machine_stop *stop, ebb_error *err)
{
    machine_tid to = (machine_tid)ebb_values_u64(&event->values);
    uint64_t place = ebb_values_u64(&event->values);
    if (vm->last)
        EBB_TRY(reach_place(vm, vm->last, event->timestamp, place, err));
    if (!vm_thread_find(vm, to))
        return ebb_fail(err, EBB_DIVERGED, "the turn went to thread %lld, which is not there", (long long)to);
    vm_caught_at_event(vm, place);
    vm_thread *from = vm_thread_find(vm, vm->last);
    if (from && from->leaves)
        from->has_left = true;
    vm->time = event->timestamp + 1;
    vm->last = to;
    *stop = (machine_stop){.kind = MACHINE_STOP_STEP, .thread = to};
    EBB_TRY(vm_replay_board(vm, to, err));
    vm_caught_start(vm, vm_thread_find(vm, to), stop);
    return EBB_OK;
}

static ebb_status take_edit(x86_vm *vm, const ebb_event *event, machine_stop *stop, ebb_error *err)
{
    ebb_edit edit;
    EBB_TRY(ebb_edit_read(event, &edit, err));
    if (vm->last)
        EBB_TRY(reach_place(vm, vm->last, edit.at.timestamp, edit.at.place, err));
    vm_caught_at_event(vm, edit.at.place);
    *stop = (machine_stop){.kind = MACHINE_STOP_STEP, .thread = vm->last, .place = edit.at.place};
    vm_undo_cut(vm, "something was changed by hand there");
    return vm_edit_again(vm, &edit, err);
}

/* VY1 */
static ebb_status take_hash(x86_vm *vm, const ebb_event *event, machine_stop *stop, ebb_error *err)
{
    ebb_values values = event->values;
    uint64_t place = ebb_values_u64(&values);
    EBB_TRY(reach_place(vm, vm->last, event->timestamp, place, err));
    *stop = (machine_stop){.kind = MACHINE_STOP_STEP, .thread = vm->last, .place = place};
    return vm_verify_check(vm, event, err);
}

static ebb_status take_event(x86_vm *vm, machine_stop *stop, ebb_error *err)
{
    ebb_event event;
    EBB_TRY(vm_feed_take(vm, &event, err));
    switch (event.kind) {
    case X86_RECORDED_SIGNAL:
    case X86_RECORDED_DEATH: return take_signal(vm, &event, stop, err);
    case EBB_EVENT_EDIT: return take_edit(vm, &event, stop, err);
    case EBB_EVENT_HASH: return take_hash(vm, &event, stop, err);
    default: return take_switch(vm, &event, stop, err);
    }
}

/* The user stood at a point when he made a change: whoever comes by has to be told of that before the change, and not after it. */
static bool tells_point(x86_vm *vm, uint64_t place, machine_stop *stop)
{
    x86_task *task = vm_task(vm, vm->last);
    if (vm->quiet || !task || (task->skip && task->skip_pc == place) || !vm_feed_edits(vm))
        return false;
    *stop = (machine_stop){.kind = MACHINE_STOP_STEP, .thread = vm->last, .place = place};
    if (!is_news(vm, stop))
        return false;
    x86_skip_point(task);
    return true;
}

/* What came with it: in the frame of its handler, or by itself. */
static siginfo_t info_of(ebb_event *event, int signal)
{
    enum { INFO_AT = 312 }; /* in the kernel's frame: a return address, its ucontext */
    siginfo_t info = {.si_signo = signal};
    size_t n, at = 0;
    if (event->kind == X86_RECORDED_SIGNAL) {
        (void)ebb_values_bytes(&event->values, &n); /* registers */
        (void)ebb_values_u64(&event->values);
        at = INFO_AT;
    }
    const uint8_t *bytes = ebb_values_bytes(&event->values, &n);
    if (bytes && n >= at + sizeof info)
        memcpy(&info, bytes + at, sizeof info);
    info.si_signo = signal;
    return info;
}

/* The stop that the recorded signal was, before it is delivered. */
static bool stands_before_signal(x86_vm *vm, machine_stop *stop)
{
    ebb_event event;
    if (!vm_feed_signal(vm, &event))
        return false;
    *stop = (machine_stop){.kind = MACHINE_STOP_SIGNAL, .signal = (int)ebb_values_u64(&event.values) & 0x7f};
    stop->thread = (machine_tid)ebb_values_u64(&event.values);
    stop->place = ebb_values_u64(&event.values);
    vm_thread *t = vm_thread_find(vm, stop->thread);
    if (!t || !stop->signal || stop->thread != vm->last || !stands_at(vm, stop->thread, stop->place))
        return false;
    t->info = info_of(&event, stop->signal);
    stop->signal_code = t->info.si_code;
    stop->signal_addr = vm_is_fault(stop) ? (machine_addr)t->info.si_addr : 0;
    return true;
}

/* Whether the user is to be told of a signal before it is delivered.  One that interrupts a call finds the thread before it. */
static ebb_status tell_signal(x86_vm *vm, bool *tells, machine_stop *stop, ebb_error *err)
{
    machine_stop before;
    *tells = !vm->quiet && stands_before_signal(vm, &before) && vm_is_told(vm, &before);
    if (!*tells)
        return EBB_OK;
    *stop = before;
    vm_plan_delivery(vm, stop);
    return vm_get(vm, stop->thread, VM_REG(rip), &stop->place, err);
}

/* On the way: what is to be told before the event comes first. */
static ebb_status meet_event(x86_vm *vm, machine_stop *stop, ebb_error *err)
{
    ebb_position due;
    bool tells = false;
    if (vm->last && vm_feed_due(vm, &due.timestamp, &due.place)) {
        EBB_TRY(come_to(vm, vm->last, due, &tells, stop, err));
        tells = tells || (vm->time == due.timestamp && tells_point(vm, due.place, stop));
        if (!tells && vm->time == due.timestamp)
            EBB_TRY(vm_caught_before_event(vm, due.place, &tells, stop, err));
    }
    if (!tells)
        EBB_TRY(tell_signal(vm, &tells, stop, err));
    return tells ? EBB_OK : take_event(vm, stop, err);
}

/* ---- threads ---------------------------------------------------------------------------------- */

x86_task *vm_task_aboard(x86_vm *vm)
{
    return x86_task_first_alive(x86_of(vm->native));
}

ebb_status vm_replay_board(x86_vm *vm, machine_tid tid, ebb_error *err)
{
    x86_task *from = vm_task_aboard(vm), *to = tid ? vm_task(vm, tid) : from;
    if (!from || !to)
        return ebb_fail(err, EBB_DIVERGED, "replay has no thread %lld", (long long)tid);
    if (to == from)
        return EBB_OK;
    EBB_TRY(x86_regs_fetch_all(from, err));
    to->host = from->host;
    from->host = 0;
    to->regs_dirty = to->xstate_dirty = true;
    return EBB_OK;
}

static ebb_status birth(x86_vm *vm, machine_tid parent, ebb_error *err)
{
    x86_birth b;
    x86_process *p = x86_of(vm->native);
    x86_task *maker = vm_task(vm, parent);
    EBB_TRY(machine_read(vm->native, vm->runtime + offsetof(x86_runtime, feed.birth), &b, sizeof b, err));
    EBB_TRY(x86_regs_fetch_all(maker, err));
    x86_task *t = x86_task_add(p, (pid_t)b.thread);
    *t = (x86_task){.tid = (pid_t)b.thread, .state = X86_STOPPED, .regs = maker->regs, .regs_valid = true, .xstate_valid = true};
    t->xstate = ebb_alloc(X86_XSTATE_MAX);
    memcpy(t->xstate, maker->xstate, X86_XSTATE_MAX);
    t->regs.rax = 0;
    t->regs.rsp = b.stack ? b.stack : t->regs.rsp;
    t->regs.fs_base = b.has_fs_base ? b.fs_base : t->regs.fs_base;
    vm_thread newborn = {.tid = (machine_tid)b.thread, .number = ++vm->n_numbers, .newborn = true};
    EBB_TRY(machine_read(vm->native, vm_thread_find(vm, parent)->tcb + offsetof(x86_tcb, name), newborn.name, sizeof newborn.name, err));
    ebb_vec_push(&vm->threads, newborn);
    vm_undo_cut(vm, "a thread began there");
    return EBB_OK;
}

/* It made the call that ends it, after which another thread had the turn.  ebb may have held it back from that, live: then it comes again. */
static ebb_status left(x86_vm *vm, machine_tid tid, machine_stop *stop, ebb_error *err)
{
    bool any = true;
    if (vm_feed_is_dry(vm))
        EBB_TRY(vm_feed_more(vm, &any, err));
    if (!any || vm_feed_event_time(vm) != vm->time)
        return end(vm, tid, stop, err);
    vm_thread *t = vm_thread_find(vm, tid);
    vm_undo_cut(vm, "a thread ended there");
    if (!t->leaves)
        vm_caught_leaving(vm, t, stop);
    t->leaves = true;
    return stop->kind == MACHINE_STOP_STEP ? take_event(vm, stop, err) : EBB_OK;
}

ebb_status vm_replay_goes_on(x86_vm *vm, machine_tid tid, x86_stuck why, machine_stop *stop, ebb_error *err)
{
    bool any = true;
    *stop = (machine_stop){.kind = MACHINE_STOP_STEP, .thread = tid};
    ebb_log("replay gives up at %llu: %d", (unsigned long long)vm->time, (int)why);
    switch (why) {
    case X86_STUCK_FEED:
        EBB_TRY(vm_feed_more(vm, &any, err));
        return any ? EBB_OK : end(vm, tid, stop, err);
    case X86_STUCK_EVENT: return vm_feed_is_dry(vm) ? vm_feed_more(vm, &any, err) : meet_event(vm, stop, err);
    case X86_STUCK_END: return end(vm, tid, stop, err);
    case X86_STUCK_BIRTH:
        EBB_TRY(birth(vm, tid, err));
        return vm_caught_answer(vm, tid, stop, err);
    case X86_STUCK_LEFT: return left(vm, tid, stop, err);
    default: return vm_feed_diverged(vm, err);
    }
}

/* It ended the program, or the user did not let it through. */
static ebb_status end_by_signal(x86_vm *vm, machine_tid tid, machine_stop *stop, ebb_error *err)
{
    ebb_newest newest = ebb_copies_newest(vm->history->copies);
    if (newest.has_ended && newest.at.timestamp <= vm->time)
        return end(vm, tid, stop, err);
    *stop = (machine_stop){.kind = MACHINE_STOP_STEP, .thread = tid};
    return vm_get(vm, tid, VM_REG(rip), &stop->place, err);
}

ebb_status vm_replay_signal(x86_vm *vm, vm_thread *t, machine_stop *stop, ebb_error *err)
{
    ebb_event event;
    t->deliver = 0;
    t->quiet = false;
    bool any = true;
    if (vm_feed_is_dry(vm))
        EBB_TRY(vm_feed_more(vm, &any, err));
    if (!any || !vm_feed_signal(vm, &event))
        return end_by_signal(vm, t->tid, stop, err);
    EBB_TRY(vm_feed_take(vm, &event, err));
    return take_signal(vm, &event, stop, err);
}

/* ---- before a step ---------------------------------------------------------------------------- */

/* A signal that was told is delivered by whoever moves the thread. */
static bool is_due(x86_vm *vm)
{
    uint64_t time, place;
    const vm_thread *last = vm_thread_find(vm, vm->last);
    return vm_feed_due(vm, &time, &place) && time == vm->time && (!last || (!last->deliver && stands_at(vm, vm->last, place)));
}

static ebb_status tell_call(x86_vm *vm, bool *tells, machine_stop *stop, ebb_error *err)
{
    uint64_t time, place;
    *tells = false;
    return vm_feed_due(vm, &time, &place) ? vm_caught_before_event(vm, place, tells, stop, err) : EBB_OK;
}

/* *tells: a signal is to be told before it is delivered, or one was the end. */
static ebb_status take_due(x86_vm *vm, bool *tells, machine_stop *stop, ebb_error *err)
{
    *tells = false;
    while (!*tells && is_due(vm)) {
        EBB_TRY(tell_call(vm, tells, stop, err));
        if (*tells)
            return EBB_OK;
        EBB_TRY(tell_signal(vm, tells, stop, err));
        if (*tells)
            return EBB_OK;
        EBB_TRY(take_event(vm, stop, err));
        *tells = stop->kind != MACHINE_STOP_STEP;
    }
    return EBB_OK;
}

ebb_status vm_replay_before_step(x86_vm *vm, machine_tid tid, bool *waits, machine_stop *stop, ebb_error *err)
{
    EBB_TRY(take_due(vm, waits, stop, err));
    if (*waits)
        return EBB_OK;
    if (vm->last && vm->last != tid) {
        vm->awaited = tid;
        ebb_status status = vm_run_until(vm, 0, vm->last, NULL, stop, err);
        vm->awaited = 0;
        EBB_TRY(status);
        *waits = vm->last != tid;
    }
    return *waits ? EBB_OK : vm_replay_board(vm, tid, err);
}

/* ---- what is told ----------------------------------------------------------------------------- */

static bool is_fault(const machine_stop *stop)
{
    int s = stop->signal;
    return stop->kind == MACHINE_STOP_SIGNAL && stop->signal_code > 0 && (s == SIGSEGV || s == SIGBUS || s == SIGILL || s == SIGFPE || s == SIGTRAP);
}

static bool is_recorded(x86_vm *vm, const machine_stop *stop)
{
    machine_stop recorded;
    return stands_before_signal(vm, &recorded) && recorded.signal == stop->signal && recorded.thread == stop->thread;
}

bool vm_replay_is_told(x86_vm *vm, const machine_stop *stop)
{
    if (stop->kind == MACHINE_STOP_SIGNAL)
        return !vm->quiet && (is_fault(stop) || is_recorded(vm, stop));
    return !vm->quiet || stop->kind == MACHINE_STOP_POSITION || stop->kind == MACHINE_STOP_HISTORY_END || stop->kind == MACHINE_STOP_INTERRUPTED ||
           vm_debuggee_ended(stop);
}

/* ---- to a moment ------------------------------------------------------------------------------ */

static bool is_reached(x86_vm *vm, const machine_request *request, machine_stop *stop)
{
    machine_tid tid = vm->last ? vm->last : request->thread;
    uint64_t place;
    if (vm_get(vm, tid, VM_REG(rip), &place, NULL) != EBB_OK || !vm_until_reached(vm, request, place))
        return false;
    *stop = (machine_stop){.kind = MACHINE_STOP_POSITION, .thread = tid, .place = place};
    return true;
}

ebb_status vm_replay_edits(x86_vm *vm, ebb_error *err)
{
    uint64_t place;
    machine_stop stop;
    while (vm_feed_edits_now(vm, &place) && (!vm->last || stands_at(vm, vm->last, place)))
        EBB_TRY(take_event(vm, &stop, err));
    return EBB_OK;
}

/* VP2 */
static ebb_status step_to_place(x86_vm *vm, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    while (!is_reached(vm, request, stop)) {
        bool tells;
        EBB_TRY(take_due(vm, &tells, stop, err));
        if (tells)
            return EBB_OK;
        EBB_TRY(step_once(vm, vm->last ? vm->last : request->thread, stop, err));
        vm_plan_delivery(vm, stop);
        if (is_news(vm, stop))
            return EBB_OK;
    }
    return EBB_OK;
}

static ebb_status go_to_moment(x86_vm *vm, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    if (is_reached(vm, request, stop))
        return EBB_OK;
    if (vm->time < request->until_time) {
        vm->limit = request->until_time;
        EBB_TRY(vm_run_on(vm, request, stop, err));
        if (stop->kind != MACHINE_STOP_POSITION || (vm->noting && vm->noting->is_over))
            return EBB_OK;
        if (!is_reached(vm, request, stop) && !vm->quiet)
            meet_points(vm, stop); /* the first instruction of that time: translated code did not come to it */
        if (stop->kind == MACHINE_STOP_POINT)
            return EBB_OK;
    }
    vm->limit = UINT64_MAX;
    return step_to_place(vm, request, stop, err);
}

/* What translated code looks at by itself: the execution must not be past an answer that it has not asked for. */
static ebb_status check_asked(x86_vm *vm, ebb_error *err)
{
    uint64_t time, place;
    ebb_event event;
    bool is_missed = !vm->scratch && !vm_feed_is_dry(vm) && !vm_feed_due(vm, &time, &place) && vm_feed_event_time(vm) <= vm->time;
    return is_missed ? vm_feed_take(vm, &event, err) : EBB_OK;
}

ebb_status vm_replay_until(x86_vm *vm, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    EBB_TRY(go_to_moment(vm, request, stop, err));
    if (stop->kind != MACHINE_STOP_POSITION)
        return EBB_OK;
    EBB_TRY(check_asked(vm, err));
    return vm_replay_edits(vm, err);
}
