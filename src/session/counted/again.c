/* again.c - runs of the program: to their beginning, to a timestamp, to the next stop. */
#include "session/counted/again.h"
#include "session/breakpoints.h"
#include "session/language.h"
#include "session/move.h"
#include "session/signals.h"
#include "session/stack.h"
#include "session/verbs.h"

bool ses_is_counted(session *s)
{
    return s->language->counting->is_on(s);
}

/* Whose time is meant where no thread is named.  Another run has other thread identifiers, but the first thread is main's in each. */
machine_tid ses_again_main_thread(const session *s)
{
    for (size_t i = 0; i < s->threads.n; i++)
        if (s->threads.items[i].number == 1)
            return s->threads.items[i].tid;
    return s->thread;
}

ebb_status ses_counted_now(session *s, ebb_position *now, ebb_error *err)
{
    EBB_TRY(ses_need_debuggee(s, err));
    EBB_TRY(s->language->counting->now(s, now, err));
    if (s->thread == ses_again_main_thread(s) && now->timestamp > s->counted_runs.seen)
        s->counted_runs.seen = now->timestamp;
    return EBB_OK;
}

ebb_status ses_counted_need_main(session *s, ebb_error *err)
{
    if (s->thread == ses_again_main_thread(s))
        return EBB_OK;
    return ebb_fail(err, EBB_UNSUPPORTED,
                    "A run can be repeated up to a moment of the main thread only: ask where that stops (`thread 1`, a breakpoint in it).");
}

ebb_status ses_again_stop_at(session *s, uint64_t now, uint64_t time, ebb_error *err)
{
    return s->language->counting->stop_at(s, now, time, err);
}

/* ---- runs ---- */

/* CT2 */
void ses_again_mute(session *s, ses_muted *muted)
{
    s->is_again = true;
    s->counted_runs.differs = false;
    for (size_t i = 0; i < ses_bp_count(s); i++)
        if (ses_bp_at(s, i)->enabled)
            ebb_vec_push(muted, ses_bp_at(s, i)->number);
    for (size_t i = 0; i < muted->n; i++)
        (void)!ses_bp_enable(s, muted->items[i], 0, false, NULL);
    ses_signals_apply(s);
}

void ses_again_unmute(session *s, ses_muted *muted)
{
    s->is_again = false;
    for (size_t i = 0; i < muted->n; i++)
        (void)!ses_bp_enable(s, muted->items[i], 0, true, NULL);
    ses_signals_apply(s);
    ebb_vec_fini(muted);
}

/* Near a place the user's signals are told again: one that stopped the program there is what the position means, and its handler would come first. */
void ses_again_tell_signals(session *s, bool told)
{
    s->is_again = !told;
    ses_signals_apply(s);
}

/* ---- to a place, wherever the frames are then ---- */

static ebb_status arrived(session *s, ses_move *move, bool *done, ses_stop *stop, ebb_error *err)
{
    (void)s, (void)move, (void)err;
    stop->kind = SES_STOP_LOCATION;
    *done = true;
    return EBB_OK;
}

ebb_status ses_counted_run_to(session *s, const uint64_t *places, size_t n, ses_stop *stop, ebb_error *err)
{
    ses_move move = {.thread = s->thread, .arrived = arrived, .request.move = MACHINE_RUN};
    ebb_status status = EBB_OK;
    for (size_t i = 0; i < n && i < SES_MOVE_MAX_POINTS && status == EBB_OK; i++)
        status = ses_move_point(s, &move, SES_POINT_TARGET, places[i], (ses_frame_id){0}, err);
    if (status != EBB_OK) {
        ses_move_clear_points(s, &move);
        return status;
    }
    ses_select_innermost(s);
    return ses_move_run(s, &move, stop, err);
}

/* The timestamp that was asked for is the main thread's. */
ebb_status ses_again_run_on(session *s, ses_stop *stop, ebb_error *err)
{
    ses_move move = {.thread = ses_again_main_thread(s), .request.move = MACHINE_RUN};
    return ses_move_run(s, &move, stop, err);
}

ebb_status ses_again_differs(ebb_error *err)
{
    return ebb_fail(err, EBB_DIVERGED, "The program did not come there again: it does not do the same in each run, or was changed by hand.");
}

ebb_status ses_again_interrupted(ebb_error *err)
{
    return ebb_fail(err, EBB_INTERRUPTED, "Interrupted.");
}

/* CT1: a run that was killed says nothing about the program. */
ebb_status ses_again_ended(const session *s, const ses_stop *stop, uint64_t time, ebb_error *err)
{
    if (stop->kind == SES_STOP_KILLED)
        return ebb_fail(err, EBB_GONE, "The program was killed by %s before it came there.", ses_signal_name(stop->machine.signal));
    if (time <= s->counted_runs.seen)
        return ses_again_differs(err);
    return ebb_fail(err, EBB_NOT_FOUND, "The program ended before timestamp %lu.", (unsigned long)time);
}

ebb_status ses_again_begin(session *s, ses_stop *stop, ebb_error *err)
{
    if (ses_was_attached(s))
        return ebb_fail(err, EBB_UNSUPPORTED, "A program that ebb did not start can't be run again, which is how its past is reached: only what comes can be gone to.");
    if (s->machine)
        EBB_TRY(ses_kill(s, err));
    EBB_TRY(s->language->counting->begin(s, stop, err));
    if (s->machine && stop->kind == SES_STOP_INTERRUPTED)
        return ses_again_interrupted(err);
    return s->machine ? EBB_OK : ses_again_ended(s, stop, 0, err);
}

ebb_status ses_again_to_time_or_after(session *s, uint64_t time, ses_stop *stop, ebb_error *err)
{
    ebb_position now;
    EBB_TRY(ses_counted_now(s, &now, err));
    if (now.timestamp > time)
        return ebb_fail(err, EBB_NO_HISTORY, "That was before main, which has timestamp %lu.", (unsigned long)now.timestamp);
    while (now.timestamp < time) { /* it may have breakpoint instructions of its own */
        EBB_TRY(ses_trail_run(s, ses_again_main_thread(s), now.timestamp, time, stop, err));
        if (stop->kind == SES_STOP_INTERRUPTED)
            return ses_again_interrupted(err);
        if (!s->machine)
            return ses_again_ended(s, stop, time, err);
        if (stop->kind != SES_STOP_TRAP)
            return ebb_fail(err, EBB_NOT_FOUND, "Something else stopped the program before timestamp %lu.", (unsigned long)time);
        EBB_TRY(ses_counted_now(s, &now, err));
    }
    return EBB_OK;
}

ebb_status ses_again_to_time(session *s, uint64_t time, ses_stop *stop, ebb_error *err)
{
    ebb_position now;
    EBB_TRY(ses_again_to_time_or_after(s, time, stop, err));
    EBB_TRY(ses_counted_now(s, &now, err));
    if (now.timestamp == time)
        return EBB_OK;
    return ebb_fail(err, EBB_NOT_FOUND, "Timestamp %lu was counted by a child process in the program's memory (vfork): the next of its own is %lu.",
                    (unsigned long)time, (unsigned long)now.timestamp);
}

/* Where the next moves stop at nothing but what the user wants.  Another thread may be the one that stopped. */
void ses_again_forget_stop(session *s)
{
    ebb_position now;
    machine_tid selected = s->thread;
    unsigned level = s->level;
    if (!s->machine)
        return;
    ses_select(s, ses_again_main_thread(s), 0);
    if (ses_counted_now(s, &now, NULL) == EBB_OK)
        (void)!ses_again_stop_at(s, now.timestamp, SES_COUNTED_NEVER, NULL);
    ses_select(s, selected, level);
}

ebb_status ses_again_leave_tick(session *s, ses_stop *stop, ebb_error *err)
{
    return s->language->counting->leave_tick(s, stop, err);
}
