/* travel.c - see travel.h. */
#include "session/travel.h"
#include "session/language.h"
#include "session/move.h"
#include "session/points.h"
#include "session/stack.h"
#include "session/threads.h"
#include "session/watch.h"

bool ses_is_after_end(const session *s)
{
    return s->machine && s->timeline && ebb_timeline_get_state(s->timeline) == EBB_TIMELINE_ENDED;
}

static ebb_status tell_why_none(session *s, ebb_error *err)
{
    machine_history history;
    s->machine->history->get(s->machine, &history);
    if (history.ended_by)
        return ebb_fail(err, EBB_NO_HISTORY, "there is no way back from here, because %s", history.ended_by);
    return ebb_fail(err, EBB_NO_HISTORY, "nothing is recorded yet, so there is no way back from here");
}

static ebb_status tell_how_to_get_one(session *s, ebb_error *err)
{
    bool always = s->language->counts_time, not_yet = !always && s->mode == SES_MODE_NATIVE;
    return ebb_fail(err, EBB_NO_HISTORY, "%s keeps no history, so there is no way back from here%s%s", always ? "this run" : "a native program",
                    always ? ": run the program without --no-record" : "", not_yet ? ": \"mode vm\" begins one" : "");
}

/* Once a program, and only to somebody who goes back. */
static void tell_doubt(session *s)
{
    machine_history history;
    s->machine->history->get(s->machine, &history);
    if (history.doubt && !s->doubt_told)
        ses_say(s, SES_NOTICE_WARNING, 0, "The past may be wrong: %s.", history.doubt);
    s->doubt_told = s->doubt_told || history.doubt;
}

ebb_status ses_need_history(session *s, ebb_error *err)
{
    if (!s->machine)
        return ebb_fail(err, EBB_GONE, "The program is not being run.");
    if (!machine_can(s->machine, MACHINE_RECORDS))
        return tell_how_to_get_one(s, err);
    if (!ebb_timeline_has_history(s->timeline))
        return tell_why_none(s, err);
    tell_doubt(s);
    return EBB_OK;
}

void ses_end_of_time(session *s)
{
    ses_stack_forget(s);
    ses_threads_leave(s);
    s->thread = s->stop_thread = 0;
    s->level = 0;
    s->language->after_end(s);
}

/* ---- standing ----------------------------------------------------------------------------------- */

void ses_stand(session *s, const machine_stop *at)
{
    machine_tid thread = at->thread;
    s->at = *at;
    ses_threads_sync(s, true);
    ses_stack_forget(s);
    if (!ses_thread_exists(s, thread) && s->threads.n > 0)
        thread = s->threads.items[0].tid;
    s->stop_thread = thread;
    ses_select(s, thread, 0);
}

void ses_look_in_passing(session *s, const machine_stop *at)
{
    s->at = *at;
    if (!ses_thread_exists(s, at->thread))
        ses_threads_sync(s, true);
    ses_stack_forget(s);
    s->stop_thread = at->thread;
    ses_select(s, at->thread, 0);
}

void ses_moved(session *s, const machine_stop *at)
{
    ses_list_forget(s);
    if (ses_is_after_end(s)) {
        ses_end_of_time(s);
        return;
    }
    bool was_after_end = s->threads.n == 0;
    ses_stand(s, at);
    if ((was_after_end || s->language->code_is_of_its_moment) && s->language->sync_code(s))
        ses_points_resolve(s);
    ses_watch_refresh(s); /* WA2: what time travel changes is no change either */
}

void ses_travel_begin(session *s)
{
    ses_stack_forget(s);
    if (s->n_travels++ > 0)
        return;
    if (ses_get_pid(s))
        s->live_pid = ses_get_pid(s);
    if (s->listener.resuming)
        s->listener.resuming(s->listener.self);
}

void ses_travel_end(session *s)
{
    if (--s->n_travels > 0)
        return;
    ses_forget_interrupts(s);
    if (s->listener.stopped)
        s->listener.stopped(s->listener.self);
}

/* ---- telling ------------------------------------------------------------------------------------ */

void ses_travel_settle(session *s, const machine_stop *at, machine_tid mover, ses_stop *stop)
{
    stop->machine = *at;
    stop->thread = s->thread;
    stop->thread_changed = mover && s->thread && s->thread != mover;
    const ses_frame *frame;
    if (s->thread && ses_frame_get(s, 0, &frame, NULL) == EBB_OK)
        stop->mid_line = frame->mid_line;
    ses_remember_stop(s, stop);
}

ses_stop_kind ses_arrival_kind(const machine_stop *at, ses_stop_kind arrived)
{
    switch (at->kind) {
    case MACHINE_STOP_HISTORY_START: return SES_STOP_HISTORY_START;
    case MACHINE_STOP_HISTORY_END: return SES_STOP_HISTORY_END;
    case MACHINE_STOP_INTERRUPTED: return SES_STOP_INTERRUPTED;
    case MACHINE_STOP_EXITED: return SES_STOP_EXITED;
    case MACHINE_STOP_KILLED: return SES_STOP_KILLED;
    default: return arrived;
    }
}

bool ses_ended_early(const machine_stop *at)
{
    return ses_arrival_kind(at, SES_STOP_STEP) != SES_STOP_STEP;
}

void ses_settle_at(session *s, const machine_stop *at, ses_stop_kind kind, ses_stop *stop)
{
    machine_tid mover = s->thread;
    ses_moved(s, at);
    if (!ses_is_after_end(s) && s->language->code_comes_later)
        ses_points_find_more(s); /* what was loaded on the way was not told */
    *stop = (ses_stop){.kind = ses_arrival_kind(at, kind)};
    ses_travel_settle(s, at, mover, stop);
}

ebb_status ses_seek(session *s, ebb_position to, machine_stop *at, ebb_error *err)
{
    ses_travel_begin(s);
    ebb_status status = ebb_timeline_seek(s->timeline, to, at, err);
    ses_travel_end(s);
    if (status == EBB_OK && !ses_is_after_end(s))
        ses_stand(s, at);
    return status;
}

ebb_status ses_instruction_before(session *s, machine_stop *at, ebb_error *err)
{
    machine_request before = {.direction = MACHINE_BACKWARD, .move = MACHINE_STEP};
    return ebb_timeline_run(s->timeline, &before, at, err);
}
