/* hits.c - see hits.h. */
#include "session/hits.h"
#include "session/condition.h"
#include "session/language.h"
#include "session/points.h"
#include "session/position.h"
#include "session/watch.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

void ses_stop_add_breakpoint(session *s, ses_stop *stop, ses_bp *bp)
{
    if (stop->n_breakpoints < SES_STOP_MAX_BREAKPOINTS) {
        stop->breakpoints[stop->n_breakpoints] = bp->view.number;
        stop->breakpoint_was_temporary[stop->n_breakpoints] = bp->view.temporary;
        stop->n_breakpoints++;
    }
    if (bp->view.temporary && !s->is_judging) {
        ses_bp_remove(s, bp);
        return;
    }
    bool is_over = bp->view.after == SES_BP_AFTER_DISABLE && (bp->view.stops_left == 0 || --bp->view.stops_left == 0);
    if (!s->is_judging && is_over) {
        bp->view.after = SES_BP_AFTER_KEEP;
        (void)!ses_bp_enable(s, bp->view.number, 0, false, NULL);
    }
}

/* A dprintf says what it has to say, and nothing stops. */
static void print_instead(session *s, const ses_bp *bp, machine_tid thread)
{
    ebb_buf text = {0};
    ebb_error why;
    if (ses_printf(s, bp->view.prints, &text, &why) != EBB_OK)
        ses_say(s, SES_NOTICE_WARNING, thread, "dprintf %d: %s", bp->view.number, why.text);
    else {
        if (text.n && text.data[text.n - 1] == '\n')
            ebb_buf_truncate(&text, text.n - 1);
        ses_say(s, SES_NOTICE_PRINTED, thread, "%s", ebb_buf_text(&text));
    }
    ebb_buf_fini(&text);
}

/* ---- conditions ----------------------------------------------------------------------------- */

/* One whose type isn't known stops. */
static bool is_of_type(session *s, const ses_bp *bp)
{
    char *type, *message;
    regex_t compiled;
    if (!bp->view.exception_type || !ses_exception_here(s, &type, &message))
        return true;
    bool matches = regcomp(&compiled, bp->view.exception_type, REG_NOSUB) != 0;
    if (!matches) {
        matches = regexec(&compiled, type, 0, NULL, 0) == 0;
        regfree(&compiled);
    }
    free(type);
    free(message);
    return matches;
}

static ebb_status condition_holds(session *s, ses_bp *bp, ses_bp_place *place, bool *holds,
                                  ebb_error *err)
{
    *holds = is_of_type(s, bp);
    if (!*holds || !bp->view.condition)
        return EBB_OK;
    if (!place->condition)
        EBB_TRY(s->language->parse(s, &place->condition_arena, bp->view.condition, &place->condition,
                                   err));
    return s->language->truth(s, place->condition, holds, err);
}

bool ses_bp_holds(session *s, ses_bp *bp, ses_bp_place *place)
{
    bool holds;
    return condition_holds(s, bp, place, &holds, NULL) == EBB_OK && holds;
}

void ses_complain(session *s, machine_tid thread, char *text)
{
    if (s->is_judging) {
        free(s->complaint);
        s->complaint = text;
        return;
    }
    ses_say(s, SES_NOTICE_BREAKPOINT, thread, "%s", text);
    free(text);
}

bool ses_bp_passes(session *s, ses_bp *bp, ses_bp_place *place, machine_tid thread)
{
    if (bp->view.thread && bp->view.thread != thread)
        return false;
    bool holds;
    ebb_error why;
    if (condition_holds(s, bp, place, &holds, &why) != EBB_OK) {
        ses_complain(s, thread, ebb_asprintf("Error in testing condition for breakpoint %d: %s", bp->view.number, why.text));
        holds = true; /* BR2 */
    }
    if (!holds || s->is_judging)
        return holds;
    bp->view.hits++; /* BR3 */
    if (bp->view.ignore > 0) {
        bp->view.ignore--;
        return false;
    }
    if (bp->view.prints)
        print_instead(s, bp, thread);
    return !bp->view.prints;
}

/* ---- places --------------------------------------------------------------------------------- */

/* Index of the breakpoint's enabled place at pc, or the number of places. */
static size_t place_at(const ses_bp *bp, uint64_t pc)
{
    size_t i = 0;
    while (i < bp->locations.n &&
           (bp->locations.items[i].spot.addr != pc || !bp->locations.items[i].enabled))
        i++;
    return i;
}

static bool is_set_at(const ses_bp *bp, uint64_t pc)
{
    return bp->view.kind == SES_BP_BREAK && bp->view.enabled && place_at(bp, pc) < bp->locations.n;
}

static bool is_its_time(session *s, const ses_bp *bp)
{
    return !bp->is_position || ses_position_is_now(s, bp->time);
}

bool ses_has_breakpoint_on_inlined(session *s, uint64_t pc, const char *function)
{
    for (size_t i = 0; i < s->breakpoints.n; i++) {
        const ses_bp *bp = s->breakpoints.items[i];
        if (!is_set_at(bp, pc))
            continue;
        const char *set_on = bp->locations.items[place_at(bp, pc)].spot.function;
        if (set_on && strcmp(set_on, function) == 0)
            return true;
    }
    return false;
}

static bool check_breakpoints(session *s, machine_tid thread, uint64_t pc, ses_stop *stop)
{
    bool stops = false;
    for (size_t i = 0; i < s->breakpoints.n; i++) {
        ses_bp *bp = s->breakpoints.items[i];
        if (!is_set_at(bp, pc) || !is_its_time(s, bp))
            continue;
        ses_condition_retry(s, bp, place_at(bp, pc));
        if (!ses_bp_passes(s, bp, &bp->places.items[place_at(bp, pc)], thread))
            continue;
        stops = true;
        size_t n = s->breakpoints.n;
        if (bp->locations.n > 1 && stop->n_breakpoints < SES_STOP_MAX_BREAKPOINTS)
            stop->breakpoint_location[stop->n_breakpoints] = (unsigned)place_at(bp, pc) + 1;
        ses_stop_add_breakpoint(s, stop, bp);
        i -= n - s->breakpoints.n; /* a temporary one left the list */
    }
    if (stops)
        stop->kind = SES_STOP_BREAKPOINT;
    return stops;
}

bool ses_check_hits(session *s, const machine_stop *at, ses_stop *stop)
{
    const ses_frame *frame;
    if (ses_frame_get(s, 0, &frame, NULL) != EBB_OK)
        return false;
    bool broke = check_breakpoints(s, at->thread, frame->pc, stop);
    bool watched = ses_check_watches(s, at, stop);
    if (!watched && !broke)
        return false;
    stop->machine = *at;
    stop->thread = at->thread;
    return true;
}
