/* why.c - why a value is what it is: its origin, and for each link what let it happen; see why.h. */
#include "session/java/why.h"
#include "session/travel.h"

/* Reading a value or copying it between variables changes nothing about what the value is: only these are asked about. */
static bool is_explained(ses_origin_kind kind)
{
    switch (kind) {
    case SES_ORIGIN_FIELD_READ:
    case SES_ORIGIN_ARRAY_READ:
    case SES_ORIGIN_COPY:
    case SES_ORIGIN_CONVERSION:
    case SES_ORIGIN_INPUT:
    case SES_ORIGIN_END: return false;
    default: return true;
    }
}

/* The debuggee stands at the link. */
static ebb_status explain(ses_java_why *w, unsigned depth, bool is_computed, ebb_error *err)
{
    ses_java_chain c = {.s = w->s, .arena = w->arena};
    ses_java_frames_of at;
    ses_java_decider decider;
    machine_place went;
    machine_tid thread = ebb_timeline_get_thread(w->s->timeline);
    if (!ses_java_chain_frame(&c, thread, 0, &at) || at.frame.is_native)
        return EBB_OK;
    ses_java_spot spot = {at.frame.place, thread, at.frame.id};
    if (is_computed)
        EBB_TRY(ses_java_tell_inputs(w, spot, depth, err));
    EBB_TRY(ses_java_decide(w, spot, &decider, err));
    return decider.found ? ses_java_tell_decider(w, &decider, depth, &went, err) : EBB_OK;
}

static ebb_status explain_link(ses_java_why *w, const ses_origin_link *link, ebb_error *err)
{
    if (!is_explained(link->kind) || !link->position)
        return EBB_OK;
    EBB_TRY(ses_java_trail_go(w->s, link->at, err));
    return explain(w, link->depth + 1, link->kind == SES_ORIGIN_OPERATION, err);
}

/* JO5: the branch that made one instruction put the value there, and not another. */
static ebb_status explain_choice(ses_java_why *w, const ses_java_choice *choice, unsigned depth, ebb_error *err)
{
    ses_java_decider decider;
    machine_place went;
    EBB_TRY(ses_java_decide_between(w, choice, &decider, err));
    return decider.found ? ses_java_tell_decider(w, &decider, depth, &went, err) : EBB_OK;
}

/* A chain, and for each of its links what explains it. */
typedef struct explained {
    ses_origin_links links;
    ses_java_choices choices;
    ses_origin_links *by; /* one for each link */
} explained;

/* A branch that decides about a link and about a move on the way to it is told of the link. */
static ebb_status explain_all(ses_java_why *w, explained *x, unsigned depth, ebb_error *err)
{
    for (size_t i = 0; i < x->links.n; i++) {
        w->out = &x->by[i];
        EBB_TRY(explain_link(w, &x->links.items[i], err));
    }
    for (size_t i = 0; i < x->choices.n && x->links.n > 0; i++) {
        size_t n_told = x->choices.items[i].n_told;
        w->out = &x->by[n_told > 0 ? n_told - 1 : 0];
        EBB_TRY(explain_choice(w, &x->choices.items[i], depth, err));
    }
    return EBB_OK;
}

static void tell_all(explained *x, ses_origin_links *out)
{
    for (size_t i = 0; i < x->links.n; i++) {
        ebb_vec_push(out, x->links.items[i]);
        for (size_t j = 0; j < x->by[i].n; j++)
            ebb_vec_push(out, x->by[i].items[j]);
        ebb_vec_fini(&x->by[i]);
    }
}

ebb_status ses_java_why_chain(ses_java_why *w, ses_java_chain *c, unsigned depth, ebb_error *err)
{
    explained x = {0};
    ses_origin_links *out = w->out;
    c->out = &x.links;
    c->choices = &x.choices;
    c->depth = depth;
    ebb_status status = ses_java_chain_follow(c, SIZE_MAX, err);
    x.by = ebb_zalloc((x.links.n + 1) * sizeof *x.by);
    if (status == EBB_OK)
        status = explain_all(w, &x, depth + 1, err);
    w->out = out;
    tell_all(&x, out);
    free(x.by);
    ebb_vec_fini(&x.links);
    ebb_vec_fini(&x.choices);
    return status;
}

static ebb_status why_value(ses_java_why *w, const char *expression, ebb_error *err)
{
    ses_java_chain c = {.s = w->s, .arena = w->arena};
    if (ebb_text_is_blank(expression) && w->s->at.kind != MACHINE_STOP_THROW)
        return ebb_fail(err, EBB_BAD_INPUT, "why EXPR, why not LINE, why -- OUTPUT: of what? Without any of them it asks, at an exception that was just thrown (catch throw), why the instruction failed.");
    EBB_TRY(ses_java_chain_aim(&c, expression, err));
    return ses_java_why_chain(w, &c, 0, err);
}

/* After the end of the program, what was is asked about at its last instruction. */
static ebb_status leave_end(session *s, ebb_error *err)
{
    machine_stop at;
    if (!ses_is_after_end(s))
        return EBB_OK;
    EBB_TRY(ses_instruction_before(s, &at, err));
    ses_moved(s, &at);
    return EBB_OK;
}

static ebb_status answer(ses_java_why *w, const ses_question *question, ebb_error *err)
{
    switch (question->kind) {
    case SES_WHY_NOT: return ses_java_why_not(w, question->text, err);
    case SES_WHY_PRINTED: return ses_java_why_printed(w, question->text, err);
    default: return why_value(w, question->text, err);
    }
}

ebb_status ses_java_why_follow(session *s, ebb_arena *arena, const ses_question *question, ses_origin_links *out, ebb_error *err)
{
    ses_java_why w = {.s = s, .arena = arena, .out = out};
    EBB_TRY(leave_end(s, err));
    ebb_status status = answer(&w, question, err);
    ebb_vec_fini(&w.branches);
    return status;
}
