/* calls.c - what a line called last: the second search of back.h. */
#include "session/back/back.h"
#include "session/language.h"
#include "session/points.h"
#include "session/stack.h"
#include "session/travel.h"
#include "time/widen.h"

/* ---- forward within the past -------------------------------------------------------------------- */

ebb_status ses_run_towards(session *s, machine_request request, ebb_position to, machine_stop *at, bool *arrived, ebb_error *err)
{
    ebb_position now;
    request.until = true;
    request.until_time = to.timestamp;
    request.until_place = to.place;
    EBB_TRY(ebb_timeline_run(s->timeline, &request, at, err));
    *arrived = at->kind == MACHINE_STOP_HISTORY_END || at->kind == MACHINE_STOP_EXITED || at->kind == MACHINE_STOP_KILLED;
    if (*arrived)
        return EBB_OK;
    if (at->kind == MACHINE_STOP_INTERRUPTED || s->interrupted)
        return ebb_fail(err, EBB_INTERRUPTED, "interrupted");
    ses_moved(s, at);
    EBB_TRY(ses_now(s, &now, err));
    *arrived = ebb_position_compare(now, to) >= 0;
    return EBB_OK;
}

/* Where a thread is awaited: at that place, in that frame (cfa 0: in any).  place 0: nowhere. */
typedef struct meeting {
    machine_tid thread;
    ses_frame_id frame;
    machine_place place;
    const ses_activation *leaver; /* or where an exception has left this one; NULL: none */
} meeting;

static bool have_met(session *s, const meeting *m)
{
    ses_activation top;
    if (m->leaver && !ses_activation_place(s, m->leaver))
        return true;
    return ses_activation_at(s, m->thread, 0, &top) && top.place == m->place &&
           (m->frame.cfa == 0 || ses_frame_id_same(top.id, m->frame));
}

/* Until the thread is there; at `to` at the latest. */
static ebb_status run_to_meet(session *s, const meeting *m, ebb_position to, bool *arrived, ebb_error *err)
{
    machine_stop at;
    machine_point_id id = 0;
    machine_point point = ses_activation_point(m->frame, m->place);
    point.thread = m->thread;
    *arrived = false;
    bool wants_catches = m->leaver && s->language->catches >> SES_BP_CATCH_CATCH & 1;
    if (m->place)
        EBB_TRY(s->machine->ops->point_set(s->machine, &point, &id, err));
    if (id)
        ses_activation_tell(s, &point, id);
    ebb_status status = wants_catches ? s->machine->ops->event_set(s->machine, MACHINE_EVENT_CATCH, true, err) : EBB_OK;
    while (status == EBB_OK && !*arrived) {
        status = ses_run_towards(s, (machine_request){.move = MACHINE_RUN, .thread = m->thread}, to, &at, arrived, err);
        if (status == EBB_OK && !*arrived && have_met(s, m))
            break;
    }
    if (wants_catches)
        (void)!ses_catch_events(s, NULL); /* as the user wants it */
    if (id)
        (void)!s->machine->ops->point_clear(s->machine, id, NULL);
    return status;
}

static ebb_status run_to_return(session *s, const ses_activation *who, ebb_position to, bool *arrived, ebb_error *err)
{
    meeting back = {.thread = who->thread, .leaver = who};
    if (who->leaves_at) {
        back.frame = who->id;
        back.place = who->leaves_at;
    } else if (who->has_caller) {
        back.frame = who->caller;
        back.place = who->back;
    }
    return run_to_meet(s, &back, to, arrived, err);
}

/* ---- the last call of a line -------------------------------------------------------------------- */

typedef struct call_search {
    ebb_widening widening; /* first */
    session *s;
    ses_activation caller;

    bool found;
    ses_activation who;
    bool has_from;
    ebb_position from, to; /* its first moment at which a step stops, if that was seen, and the first one after it */
    bool arrived;          /* at the end of the stretch */
} call_search;

/* The debuggee stands in c->who: that ends where it returns, or where the stretch does. */
static ebb_status run_to_end_of_call(call_search *c, ebb_error *err)
{
    c->found = true;
    EBB_TRY(ses_now(c->s, &c->from, err));
    EBB_TRY(run_to_return(c->s, &c->who, c->widening.to, &c->arrived, err));
    c->to = c->widening.to;
    return c->arrived ? EBB_OK : ses_now(c->s, &c->to, err);
}

/* Where a step into it stops it counts; if a step passes it, it runs to its end. */
static ebb_status look_at_call(call_search *c, ses_activation who, ebb_error *err)
{
    session *s = c->s;
    machine_place stop = s->language->entry_stop(s, who.place);
    if (!stop || who.is_interrupt)
        return run_to_return(s, &who, c->widening.to, &c->arrived, err);
    if (stop != who.place) {
        EBB_TRY(run_to_meet(s, &(meeting){.thread = who.thread, .place = stop}, c->widening.to, &c->arrived, err));
        if (c->arrived || !ses_activation_at(s, who.thread, 0, &who))
            return EBB_OK;
    }
    c->who = who;
    return run_to_end_of_call(c, err);
}

/* To where the line, or the row of it, or the frame is left. */
static ebb_status step_on(call_search *c, bool *has_stepped, ebb_error *err)
{
    session *s = c->s;
    machine_stop at;
    ses_row row;
    machine_request step = {.move = MACHINE_STEP, .thread = c->caller.thread, .keep_filter = true, .by_lines = true};
    machine_place place = ses_activation_place(s, &c->caller);
    if (ses_activation_is_innermost(s, &c->caller) && ses_row_at(s, place, SES_ALL_INLINED, &row)) {
        step.lo = row.lo;
        step.hi = row.hi;
    }
    EBB_TRY(ses_run_towards(s, step, c->widening.to, &at, &c->arrived, err));
    *has_stepped = !c->arrived && at.kind == MACHINE_STOP_STEP;
    return EBB_OK;
}

/* What the caller called and stands on its stack, if a step has to do with it. */
static bool call_under_way(const call_search *c, ses_activation *out)
{
    return ses_activation_callee(c->s, &c->caller, c->s->language->steps_find_callbacks, out);
}

static bool has_left_for_callee(const call_search *c)
{
    return !ses_activation_is_innermost(c->s, &c->caller) && ses_activation_place(c->s, &c->caller);
}

/* From here to the end of the stretch. */
static ebb_status look_for_calls(call_search *c, ebb_error *err)
{
    session *s = c->s;
    ses_activation callee;
    bool has_stepped;
    if (call_under_way(c, &callee))
        EBB_TRY(look_at_call(c, callee, err));
    while (!c->arrived) {
        EBB_TRY(step_on(c, &has_stepped, err));
        if (has_stepped && has_left_for_callee(c) && ses_activation_at(s, c->caller.thread, 0, &callee))
            EBB_TRY(look_at_call(c, callee, err));
    }
    return EBB_OK;
}

static ebb_status look_at_stretch(ebb_widening *w, ebb_error *err)
{
    call_search *c = (call_search *)w;
    machine_stop at;
    EBB_TRY(ses_seek(c->s, w->from, &at, err));
    c->arrived = false;
    EBB_TRY(look_for_calls(c, err));
    c->has_from = ebb_widening_is_last(w);
    w->is_done = c->found;
    return EBB_OK;
}

/* The debuggee stands where the line began. */
static ebb_status last_call_before(session *s, const ses_activation *who, ebb_position to, call_search *c, ebb_error *err)
{
    *c = (call_search){.widening = {.to = to, .look = look_at_stretch}, .s = s, .caller = *who};
    EBB_TRY(ses_now(s, &c->widening.oldest, err));
    return ebb_widen(&c->widening, err);
}

/* Two calls that ended at the same moment were left together, by an exception, and maybe thousands within them: right before it all of them were
 * under way.  The innermost has the last line, and nobody has to look for the others one by one. */
static ebb_status innermost_left(session *s, const ses_activation *who, ebb_position to, call_search *last, ebb_error *err)
{
    machine_stop at;
    EBB_TRY(ses_seek(s, to, &at, err));
    EBB_TRY(ses_instruction_before(s, &at, err));
    ses_moved(s, &at);
    *last = (call_search){.s = s, .caller = *who, .to = to};
    last->found = ses_activation_innermost_callee(s, who, &last->who);
    return EBB_OK;
}

/* ---- into it ------------------------------------------------------------------------------------ */

/* The debuggee stands at the call that made the activation: to where a step into it stops. */
static ebb_status first_moment(session *s, const ses_activation *who, ebb_position to, ebb_position *found, ebb_error *err)
{
    machine_stop at;
    bool arrived;
    ses_activation callee;
    EBB_TRY(ebb_timeline_run(s->timeline, &(machine_request){.move = MACHINE_STEP, .thread = who->thread}, &at, err));
    ses_moved(s, &at);
    machine_place stop = ses_activation_at(s, who->thread, 0, &callee) ? s->language->entry_stop(s, callee.place) : 0;
    if (stop && stop != callee.place)
        EBB_TRY(run_to_meet(s, &(meeting){.thread = who->thread, .place = stop}, to, &arrived, err));
    return ses_now(s, found, err);
}

ebb_status ses_descend(session *s, ses_activation who, ebb_position to, ebb_position *found, ebb_error *err)
{
    for (bool left_together = false;;) {
        call_search last = {0};
        machine_stop at;
        ses_found line;
        EBB_TRY(ses_now(s, found, err));
        if (left_together) {
            EBB_TRY(innermost_left(s, &who, to, &last, err));
            EBB_TRY(ses_seek(s, *found, &at, err));
        }
        if (!last.found)
            EBB_TRY(last_call_before(s, &who, to, &last, err));
        if (!last.found)
            return EBB_OK;
        EBB_TRY(ses_seek(s, last.to, &at, err));
        EBB_TRY(ses_line_before(s, &last.who, (ses_users){.own_only = true}, &line, err));
        ses_search_fini(s, &line.search);
        if (line.kind != SES_FOUND_LINE) { /* its first line, at which it was entered */
            *found = last.from;
            return last.has_from ? EBB_OK : first_moment(s, &last.who, last.to, found, err);
        }
        left_together = machine_can(s->machine, MACHINE_KNOWS_FRAMES) && ebb_position_compare(to, last.to) == 0 && !left_together;
        who = last.who;
        to = last.to;
    }
}

ebb_status ses_last_line_shown(session *s, const ses_activation *who, ebb_position to, bool *is_there, ebb_position *found, ebb_error *err)
{
    enum { LINES = 100 }; /* of library code: what called the person's is near its end */
    *is_there = false;
    for (unsigned i = 0; i < LINES && !*is_there; i++) {
        machine_stop at;
        ses_found before;
        ebb_position line;
        EBB_TRY(ses_line_before(s, who, (ses_users){.own_only = true}, &before, err));
        ses_search_fini(s, &before.search);
        if (before.kind != SES_FOUND_LINE)
            return EBB_OK;
        EBB_TRY(ses_now(s, &line, err));
        EBB_TRY(ses_descend(s, *who, to, found, err));
        *is_there = ebb_position_compare(*found, line) != 0;
        if (!*is_there)
            EBB_TRY(ses_seek(s, line, &at, err));
        to = line;
    }
    return EBB_OK;
}
