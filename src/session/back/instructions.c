/* instructions.c - before the instruction before this one: reverse-stepi, reverse-nexti; see back.h. */
#include "session/back/back.h"
#include "session/language.h"
#include "session/stack.h"
#include "session/travel.h"
#include "time/widen.h"

/* ---- of whatever thread ------------------------------------------------------------------------- */

ebb_status ses_instructions_back(session *s, unsigned count, ses_stop *stop, ebb_error *err)
{
    machine_stop at = {0};
    ebb_status status = EBB_OK;
    ses_travel_begin(s);
    for (unsigned i = 0; status == EBB_OK && i < count && !ses_ended_early(&at); i++)
        status = ses_instruction_before(s, &at, err);
    ses_travel_end(s);
    if (status == EBB_OK) {
        s->show_all_inlined = true;
        ses_settle_at(s, &at, SES_STOP_STEP, stop);
    }
    return status;
}

/* ---- of one thread ------------------------------------------------------------------------------ */

typedef struct own_search {
    ebb_widening widening; /* first */
    session *s;
    machine_tid thread;
    unsigned wanted;         /* how many instructions back it is */
    ebb_position origin;
    ebb_position before[2];  /* where the thread was about to execute its last instruction, and the one before that */
    unsigned n;              /* how many of the two were seen */
} own_search;

static void note(own_search *o, ebb_position now)
{
    if (o->n > 0 && ebb_position_compare(now, o->before[0]) == 0)
        return;
    o->before[1] = o->before[0];
    o->before[0] = now;
    o->n = o->n < 2 ? o->n + 1 : 2;
}

/* From here to the origin, by instructions of the thread.  Each stretch is looked at up to there: the moment at which the one
 * before began was not noted. */
static ebb_status step_to_origin(own_search *o, ebb_error *err)
{
    bool arrived = false;
    for (o->n = 0; !arrived;) {
        machine_stop at;
        ebb_position now;
        EBB_TRY(ses_run_towards(o->s, (machine_request){.move = MACHINE_STEP, .thread = o->thread}, o->origin, &at, &arrived, err));
        if (arrived || at.thread != o->thread) /* somebody's breakpoint */
            continue;
        EBB_TRY(ses_now(o->s, &now, err));
        note(o, now);
    }
    return EBB_OK;
}

static ebb_status look_at_stretch(ebb_widening *w, ebb_error *err)
{
    own_search *o = (own_search *)w;
    machine_stop at;
    EBB_TRY(ebb_widening_is_last(w) ? ebb_timeline_seek_start(o->s->timeline, &at, err) : ses_seek(o->s, w->from, &at, err));
    EBB_TRY(step_to_origin(o, err));
    w->is_done = o->n >= o->wanted;
    return EBB_OK;
}

ebb_status ses_own_instruction_before(session *s, machine_tid thread, ebb_position *before, bool *is_there, ebb_error *err)
{
    ebb_timeline_history history;
    bool runs = ebb_timeline_get_thread(s->timeline) == thread; /* else it stands where it was left */
    own_search o = {.widening.look = look_at_stretch, .s = s, .thread = thread, .wanted = runs ? 1 : 2};
    EBB_TRY(ses_now(s, &o.origin, err));
    EBB_TRY(ebb_timeline_get_history(s->timeline, &history, err));
    o.widening.to = o.origin;
    o.widening.oldest.timestamp = history.oldest;
    EBB_TRY(ebb_widen(&o.widening, err));
    *is_there = o.n >= o.wanted;
    *before = *is_there ? o.before[o.wanted - 1] : o.origin;
    return EBB_OK;
}

/* One instruction of this thread back, whatever the others did since. */
static ebb_status own_instruction_back(session *s, ses_back_step *step, ebb_error *err)
{
    ebb_position before;
    bool is_there;
    EBB_TRY(ses_own_instruction_before(s, s->thread, &before, &is_there, err));
    return is_there ? ses_back_arrive(s, step, before, err) : ses_back_stay(s, step, before, err);
}

/* ---- over calls --------------------------------------------------------------------------------- */

/* The debuggee stands in what `who` called, at `call`: to before that. */
static ebb_status call_back(session *s, ses_back_step *step, const ses_activation *who, machine_place call, ebb_error *err)
{
    ses_activation callee = {.thread = who->thread, .has_caller = true, .caller = who->id, .call = call};
    ses_found found;
    EBB_TRY(ses_call_before(s, &callee, (ses_users){.own_only = s->is_alone}, &found, err));
    step->done = found.kind != SES_FOUND_CALL;
    ses_search_settle(s, &found.search, SES_STOP_STEP, step->stop);
    return EBB_OK;
}

ebb_status ses_instruction_back(session *s, ses_back_step *step, bool over_calls, ebb_error *err)
{
    ses_activation who;
    bool had_frame = ses_activation_at(s, s->thread, 0, &who);
    EBB_TRY(s->is_alone ? own_instruction_back(s, step, err) : ses_instructions_back(s, 1, step->stop, err));
    step->done = step->stop->kind != SES_STOP_STEP;
    if (step->done || !over_calls || !had_frame)
        return EBB_OK;
    machine_place place = ses_activation_place(s, &who);
    return !place || ses_activation_is_innermost(s, &who) ? EBB_OK : call_back(s, step, &who, place, err);
}
