/* move.c - see move.h. */
#include "session/move.h"
#include "session/core.h"
#include "session/condition.h"
#include "session/convenience.h"
#include "session/hits.h"
#include "session/language.h"
#include "session/points.h"
#include "session/position.h"
#include "session/travel.h"
#include "session/settings_impl.h"
#include "session/signals.h"
#include "session/threads.h"
#include "session/watch.h"
#include "base/log.h"

#include <string.h>

ebb_status ses_pc(session *s, machine_tid thread, uint64_t *pc, ebb_error *err)
{
    return s->machine->ops->place(s->machine, thread, pc, err);
}

/* ---- internal points ------------------------------------------------------------------------ */

ebb_status ses_move_point(session *s, ses_move *move, ses_point_role role, uint64_t addr,
                          ses_frame_id frame, ebb_error *err)
{
    ebb_check(move->n_points < SES_MOVE_MAX_POINTS);
    ses_internal_point *point = &move->points[move->n_points];
    *point = (ses_internal_point){.role = role, .addr = addr, .frame = frame};
    machine_point what = {.kind = MACHINE_POINT_EXEC, .addr = addr, .thread = move->thread,
                          .frame = machine_can(s->machine, MACHINE_KNOWS_FRAMES) ? frame.cfa : 0}; /* spares the stops in other frames */
    EBB_TRY(s->machine->ops->point_set(s->machine, &what, &point->id, err));
    move->n_points++;
    return EBB_OK;
}

static void clear_point(session *s, ses_move *move, size_t i)
{
    if (s->machine)
        (void)!s->machine->ops->point_clear(s->machine, move->points[i].id, NULL);
    move->points[i] = move->points[--move->n_points];
}

void ses_move_clear_points(session *s, ses_move *move)
{
    while (move->n_points > 0)
        clear_point(s, move, move->n_points - 1);
}

void ses_move_clear_role(session *s, ses_move *move, ses_point_role role)
{
    for (size_t i = move->n_points; i-- > 0;)
        if (move->points[i].role == role)
            clear_point(s, move, i);
}

static bool is_in_frame(session *s, const ses_internal_point *point)
{
    return point->frame.cfa == 0 || ses_frame_id_same(ses_physical_id(s, 0), point->frame);
}

const ses_internal_point *ses_move_point_reached(session *s, const ses_move *move)
{
    const ses_frame *frame;
    if (move->n_points == 0 || ses_frame_get(s, 0, &frame, NULL) != EBB_OK)
        return NULL;
    for (size_t i = 0; i < move->n_points; i++)
        if (move->points[i].addr == frame->pc && is_in_frame(s, &move->points[i]))
            return &move->points[i];
    return NULL;
}

/* ---- resuming ------------------------------------------------------------------------------- */

static bool must_lock(session *s, const ses_move *move)
{
    if (ses_setting_is(s, "scheduler-locking", "on"))
        return true;
    return ses_setting_is(s, "scheduler-locking", "step") && move->request.move == MACHINE_STEP;
}

static machine_request next_request(session *s, const ses_move *move)
{
    machine_request request = move->request;
    request.thread = move->thread ? move->thread : s->thread;
    if (!ses_thread_exists(s, request.thread)) {
        request.thread = s->threads.n ? s->threads.items[0].tid : 0;
        request.move = MACHINE_RUN;
    }
    if (ses_watch_needs_stepping(s)) {
        request.move = MACHINE_STEP;
        request.lo = request.hi = 0;
    }
    request.only_thread = request.only_thread || must_lock(s, move);
    if (!request.quiet)
        ses_position_request(s, &request);
    request.signal = ses_thread_take_signal(s, request.thread);
    request.counts = !request.quiet;
    return request;
}

/* ---- what can happen on the way ------------------------------------------------------------- */

static void stop_as(const machine_stop *at, ses_stop_kind kind, ses_stop *stop)
{
    stop->kind = kind;
    stop->machine = *at;
    stop->thread = at->thread;
}

static void on_end(session *s, const machine_stop *at, ses_stop *stop)
{
    bool exited = at->kind == MACHINE_STOP_EXITED;
    stop_as(at, exited ? SES_STOP_EXITED : SES_STOP_KILLED, stop);
    if (at->was_alone)
        ses_say(s, SES_NOTICE_WARNING, at->thread, "The program made a process that traces it, so it went on to its end without ebb.");
    if (exited) {
        s->exit_code = at->exit_status;
        ses_convenience_set_int(s, "_exitcode", at->exit_status);
    } else
        ses_convenience_set_int(s, "_exitsignal", at->signal);
    if (ebb_timeline_has_history(s->timeline))
        ses_end_of_time(s);
    else
        ses_end(s);
}

static void on_modules(session *s)
{
    if (s->language->sync_code(s))
        ses_points_resolve(s);
}

static bool on_fork(session *s, ses_move *move, const machine_stop *at, ses_stop *stop)
{
    const char *word = at->vfork ? "vfork" : "fork";
    if (ebb_timeline_get_state(s->timeline) == EBB_TIMELINE_REPLAYING)
        return ses_check_catch(s, at, stop); /* what became of the child was said then */
    if (ses_get_pid(s) == at->child) {
        ses_say(s, SES_NOTICE_FORK, at->thread, "[Attaching after %s to child process %d]", word,
                (int)at->child);
        ses_say(s, SES_NOTICE_FORK, at->thread, "[Detaching after %s from the parent process]", word);
        if (!ses_thread_exists(s, move->thread) && s->threads.n > 0)
            move->thread = move->thread ? s->threads.items[0].tid : 0;
    } else
        ses_say(s, SES_NOTICE_FORK, at->thread, "[Detaching after %s from child process %d]", word,
                (int)at->child);
    return ses_check_catch(s, at, stop);
}

/* Everything that was known of the code is void: the points with it. */
static bool on_exec(session *s, ses_move *move, const machine_stop *at, ses_stop *stop)
{
    ses_say(s, SES_NOTICE_EXEC, at->thread, "process %d is executing new program: %s",
            (int)ses_get_pid(s), s->machine->ops->program(s->machine));
    ses_points_forget_machine(s);
    move->n_points = 0;
    move->arrived = NULL;
    move->thread = 0;
    move->request.move = MACHINE_RUN;
    s->language->sync_code(s);
    ses_points_resolve(s);
    return ses_check_catch(s, at, stop);
}

static void on_signal(session *s, ses_move *move, const machine_stop *at, bool *done,
                      ses_stop *stop)
{
    ses_signal_policy policy = ses_signal_policy_of(s, at->signal);
    ses_thread_put_signal(s, at->thread, policy.pass ? at->signal : 0);
    if (ses_check_catch_signal(s, at->signal, stop)) {
        stop->machine = *at;
        stop->thread = at->thread;
        *done = true;
        return;
    }
    if (policy.stop) {
        stop_as(at, SES_STOP_SIGNAL, stop);
        *done = true;
        return;
    }
    if (policy.print)
        ses_say(s, SES_NOTICE_SIGNAL, at->thread, "Program received signal %s, %s.", policy.name,
                policy.description);
    if (policy.pass && move->signalled && at->thread == move->thread)
        move->signalled(s, move);
}

/* Whether the move wants to look.  It doesn't at a point of the user's that didn't hold, at a step on behalf of a
 * watchpoint, or on the way to a breakpoint at a position. */
static bool concerns(session *s, const ses_move *move, const machine_stop *at)
{
    switch (at->kind) {
    case MACHINE_STOP_POSITION: return move->request.until;
    case MACHINE_STOP_CATCH: return move->wants_catches;
    default: return move->request.move == MACHINE_STEP || ses_move_point_reached(s, move) != NULL;
    }
}

/* A thread stepped, or is at a point. */
static ebb_status on_arrival(session *s, ses_move *move, const machine_stop *at, bool *done,
                             ses_stop *stop, ebb_error *err)
{
    if (!move->request.quiet && ses_check_hits(s, at, stop)) {
        *done = true;
        return EBB_OK;
    }
    if (!move->arrived || (move->thread && at->thread != move->thread))
        return EBB_OK;
    if (!concerns(s, move, at))
        return EBB_OK;
    EBB_TRY(move->arrived(s, move, done, stop, err));
    if (*done) {
        stop->machine = *at;
        stop->thread = at->thread;
    }
    return EBB_OK;
}

/* Of a child that is followed it was said already. */
static void look_at(session *s, const machine_stop *at)
{
    machine_tid thread = at->thread;
    ses_threads_sync(s, at->kind == MACHINE_STOP_FORKED && ses_get_pid(s) == at->child);
    ses_stack_forget(s);
    if (!ses_thread_exists(s, thread) && s->threads.n > 0)
        thread = s->threads.items[0].tid;
    s->stop_thread = thread;
    ses_select(s, thread, 0);
}

static ebb_status on_trap(session *s, ses_move *move, const machine_stop *at, bool *done, ses_stop *stop, ebb_error *err)
{
    *done = true;
    stop_as(at, SES_STOP_TRAP, stop);
    return move->trapped ? move->trapped(s, move, at, done, stop, err) : EBB_OK;
}

static ebb_status handle(session *s, ses_move *move, const machine_stop *at, bool *done,
                         ses_stop *stop, ebb_error *err)
{
    switch (at->kind) {
    case MACHINE_STOP_EXITED:
    case MACHINE_STOP_KILLED:
        on_end(s, at, stop);
        *done = true;
        return EBB_OK;
    case MACHINE_STOP_INTERRUPTED:
        if (!s->interrupted && !s->interrupts.ends)
            return EBB_OK; /* of an earlier move, which has been ended by it */
        stop_as(at, SES_STOP_INTERRUPTED, stop);
        if (ses_thread_is_helper(s, at->thread) && ses_thread_exists(s, move->mover))
            stop->thread = move->mover; /* what the machine's own threads do is of no interest */
        *done = true;
        return EBB_OK;
    case MACHINE_STOP_MODULES: on_modules(s); return EBB_OK;
    case MACHINE_STOP_FORKED: *done = on_fork(s, move, at, stop); return EBB_OK;
    case MACHINE_STOP_EXEC: *done = on_exec(s, move, at, stop); return EBB_OK;
    case MACHINE_STOP_THREAD_START:
    case MACHINE_STOP_THREAD_END:
    case MACHINE_STOP_SYSCALL_ENTRY:
    case MACHINE_STOP_SYSCALL_RETURN:
    case MACHINE_STOP_THROW: *done = ses_check_catch(s, at, stop); return EBB_OK;
    case MACHINE_STOP_LOCK_BLOCKED:
    case MACHINE_STOP_LOCK_ENTERED:
    case MACHINE_STOP_WAIT:
    case MACHINE_STOP_WAITED: return EBB_OK; /* of interest to who asked for it only (java/requests.h) */
    case MACHINE_STOP_CATCH:
        *done = ses_check_catch(s, at, stop);
        return *done || !move->wants_catches ? EBB_OK : on_arrival(s, move, at, done, stop, err);
    case MACHINE_STOP_SIGNAL: on_signal(s, move, at, done, stop); return EBB_OK;
    case MACHINE_STOP_TRAP: return on_trap(s, move, at, done, stop, err);
    case MACHINE_STOP_HISTORY_START:
    case MACHINE_STOP_HISTORY_END:
        stop_as(at,
                at->kind == MACHINE_STOP_HISTORY_START ? SES_STOP_HISTORY_START
                                                       : SES_STOP_HISTORY_END,
                stop);
        *done = true;
        return EBB_OK;
    case MACHINE_STOP_POSITION:
        if (s->counted_stop == 0)
            return on_arrival(s, move, at, done, stop, err);
        s->counted_stop = 0;
        return on_trap(s, move, at, done, stop, err); /* the tick that was asked for (counted.h) */
    case MACHINE_STOP_STEP:
    case MACHINE_STOP_POINT: return on_arrival(s, move, at, done, stop, err);
    }
    ebb_unreachable();
}

static void on_interrupt(session *s, const ses_move *move, ses_stop *stop)
{
    machine_stop at = {.kind = MACHINE_STOP_INTERRUPTED,
                       .thread = move->thread ? move->thread : s->thread};
    stop_as(&at, SES_STOP_INTERRUPTED, stop);
}

static ebb_status loop(session *s, ses_move *move, ses_stop *stop, ebb_error *err)
{
    for (bool done = false; !done;) {
        if (s->interrupted) {
            on_interrupt(s, move, stop);
            break;
        }
        machine_request request = next_request(s, move);
        machine_stop at;
        ses_stack_forget(s);
        ses_ignores_tell(s);
        ebb_status status = ebb_timeline_run(s->timeline, &request, &at, err);
        ses_ignores_collect(s);
        EBB_TRY(status);
        s->at = at;
        ebb_log("%s thread %ld at 0x%lx", machine_stop_word(at.kind), (long)at.thread,
                (unsigned long)at.place);
        if (at.kind != MACHINE_STOP_EXITED && at.kind != MACHINE_STOP_KILLED)
            look_at(s, &at);
        bool is_wanted = false;
        if (move->seen)
            EBB_TRY(move->seen(s, move, &at, &is_wanted, stop, err));
        EBB_TRY(handle(s, move, &at, &done, stop, err));
        if (is_wanted && !done)
            stop_as(&at, SES_STOP_LOCATION, stop);
        done = done || is_wanted;
    }
    return EBB_OK;
}

/* ---- a whole move --------------------------------------------------------------------------- */

static void settle(session *s, machine_tid mover, ses_stop *stop)
{
    ses_forget_interrupts(s);
    ses_list_forget(s);
    if (!s->machine || ses_is_after_end(s))
        return;
    s->stop_thread = stop->thread; /* its frames stay as they are: which inlined ones are skipped
                                      was decided by breakpoints that may be gone now */
    ses_select(s, stop->thread, 0);
    stop->thread_changed = stop->thread != mover;
    const ses_frame *frame;
    if (ses_frame_get(s, 0, &frame, NULL) == EBB_OK)
        stop->mid_line = frame->mid_line;
}

/* A machine that can't go on any more is of no use: whatever is left of the debuggee ends with it.
 */
static ebb_status give_up(session *s, ebb_status status)
{
    if (s->timeline && ebb_timeline_get_state(s->timeline) == EBB_TIMELINE_POISONED)
        ses_end(s);
    return status;
}

ebb_status ses_move_within(session *s, ses_move *move, ses_stop *stop, ebb_error *err)
{
    if (ses_is_core(s))
        return ses_need_process(s, err);
    *stop = (ses_stop){.thread = s->thread};
    move->mover = s->thread;
    s->show_all_inlined = move->by_instruction;
    if (s->listener.resuming)
        s->listener.resuming(s->listener.self);
    ebb_status status = loop(s, move, stop, err);
    ses_move_clear_points(s, move);
    if (s->listener.stopped)
        s->listener.stopped(s->listener.self);
    if (status != EBB_OK)
        ses_stop_fini(stop);
    return status == EBB_OK ? EBB_OK : give_up(s, status);
}

ebb_status ses_move_run(session *s, ses_move *move, ses_stop *stop, ebb_error *err)
{
    machine_tid mover = s->thread;
    unsigned level = s->level;
    ebb_status status = ses_move_within(s, move, stop, err);
    if (status != EBB_OK) {
        ses_stack_forget(s);
        if (s->machine && ses_thread_exists(s, mover))
            ses_select(s, mover, level);
        return status;
    }
    settle(s, mover, stop);
    ses_remember_stop(s, stop);
    return EBB_OK;
}
