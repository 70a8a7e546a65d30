/* breakpoints.c - breakpoints at positions: two stops, of which one is told. */
#include "session/breakpoints.h"
#include "session/counted/again.h"
#include "session/hits.h"
#include "session/language.h"
#include "session/verbs.h"

#include <string.h>

/* That of the enabled ones which comes first, and not before `time`; NULL: none. */
static ses_bp *next_breakpoint(session *s, uint64_t time)
{
    ses_bp *next = NULL;
    for (size_t i = 0; i < s->breakpoints.n; i++) {
        ses_bp *bp = s->breakpoints.items[i];
        if (bp->is_position && bp->view.enabled && bp->time >= time && (!next || bp->time < next->time))
            next = bp;
    }
    return next;
}

/* It counts as a hit, and is a stop unless the breakpoint's condition or its count of ignored hits says no. */
static void hit(session *s, ses_bp *bp, ses_stop *stop, bool *stops)
{
    *stops = bp->places.n == 0 || ses_bp_passes(s, bp, &bp->places.items[0], s->thread);
    if (!*stops)
        return;
    stop->kind = SES_STOP_BREAKPOINT;
    stop->n_breakpoints = 0;
    ses_stop_add_breakpoint(s, stop, bp);
}

/* The second stop: from the timestamp to the place.  Other breakpoints are out of the way meanwhile. */
static ebb_status run_to_breakpoint(session *s, ses_bp *bp, ses_stop *stop, bool *stops, ebb_error *err)
{
    ses_muted muted = {0};
    *stops = true;
    bool is_line = bp->default_file && strchr(ses_bp_where(bp), ':');
    ses_position to = {.time = bp->time, .line = is_line ? ebb_strdup(ses_bp_where(bp)) : NULL};
    for (size_t i = 0; i < bp->locations.n; i++)
        ebb_vec_push(&to.places, bp->locations.items[i].spot);
    ses_position_keep_line(&to);
    ses_again_mute(s, &muted);
    ebb_status status = ses_again_to_place(s, &to, stop, err);
    ses_again_unmute(s, &muted);
    ses_position_fini(&to);
    if (status == EBB_OK && s->machine)
        hit(s, bp, stop, stops);
    return status;
}

typedef struct leg {
    bool is_tick; /* it ended at the tick that it was to end at, or after it, */
    ses_bp *at;   /* at that of this breakpoint; NULL: after it */
} leg;

static void say_not_passed(session *s, int number, uint64_t time)
{
    ses_say(s, SES_NOTICE_WARNING, 0, "Breakpoint %d: that place is not passed at timestamp %lu.", number, (unsigned long)time);
}

/* To the next of them or to another stop, from where the counter can be read. */
static ebb_status run_leg(session *s, uint64_t now, leg *done, ses_stop *stop, ebb_error *err)
{
    ebb_position then;
    ses_bp *bp = next_breakpoint(s, now + 1);
    uint64_t time = bp ? bp->time : SES_COUNTED_NEVER;
    *done = (leg){0};
    EBB_TRY(ses_trail_run(s, 0, now, time, stop, err));
    done->is_tick = bp && s->machine && stop->kind == SES_STOP_TRAP && ses_counted_now(s, &then, NULL) == EBB_OK && then.timestamp >= time;
    if (!done->is_tick)
        ses_again_forget_stop(s); /* something else stopped it, or ended it */
    else if (then.timestamp == time)
        done->at = next_breakpoint(s, time);
    else /* a child counted that one (x86/counter.h) */
        say_not_passed(s, bp->view.number, time);
    return EBB_OK;
}

/* Whether it is one that is told; else the program stands at or after the tick. */
static ebb_status stop_at_breakpoint(session *s, ses_bp *bp, ses_stop *stop, bool *stops, ebb_error *err)
{
    ebb_error why;
    int number = bp->view.number;
    uint64_t time = bp->time;
    ebb_status status = run_to_breakpoint(s, bp, stop, stops, &why);
    if (status != EBB_OK && status != EBB_NOT_FOUND)
        return ebb_fail(err, status, "%s", why.text);
    *stops = !s->machine || (status == EBB_OK && *stops);
    if (s->machine && status == EBB_NOT_FOUND)
        say_not_passed(s, number, time);
    return EBB_OK;
}

ebb_status ses_counted_run_on(session *s, ses_stop *stop, ebb_error *err)
{
    ebb_position now;
    leg done = {.is_tick = true};
    if (ses_counted_now(s, &now, NULL) != EBB_OK) /* not before the loader has made room for the count */
        return ses_run_on(s, stop, err);
    for (bool stops = false; !stops;) {
        EBB_TRY(run_leg(s, now.timestamp, &done, stop, err));
        stops = !done.is_tick;
        if (done.at)
            EBB_TRY(stop_at_breakpoint(s, done.at, stop, &stops, err));
        if (!stops)
            EBB_TRY(ses_counted_now(s, &now, err));
    }
    return EBB_OK;
}

ebb_status ses_counted_run(session *s, ses_stop *stop, ebb_error *err)
{
    EBB_TRY(s->language->counting->begin(s, stop, err));
    return s->machine && stop->kind == SES_STOP_LOCATION ? ses_counted_run_on(s, stop, err) : EBB_OK;
}
