/* origin_calls.c - values that a call was given, or returned. */
#include "session/java/origin_steps.h"

#include <string.h>

/* ---- returns ----------------------------------------------------------------------------------------- */

/* ", to Main.main at Main.java:12", which is where the call is. */
static const char *to_words(ses_java_chain *c, const java_frame *caller)
{
    ses_java_line line;
    const java_class *cls = NULL;
    if (caller->is_hidden || !ses_java_method(c->s, caller->place, &cls) || !cls || !ses_java_line_at(c->s, caller->place, &line))
        return "";
    return cls->source ? ebb_arena_printf(c->arena, ", to %s at %s:%u", ses_java_chain_method(c, caller->place), cls->source, line.line) : "";
}

/* The debuggee stands at the last instruction of the method that was called from there. */
ebb_status ses_java_follow_return_of(ses_java_chain *c, machine_tid thread, const java_frame *callee, const java_frame *from, ebb_error *err)
{
    java_effect e;
    EBB_TRY(jvm_remote_effect(c->s->machine, c->arena, callee->place, &e, err));
    if (e.kind != JAVA_EFFECT_RETURN || e.depth < ses_java_chain_slots(c)) {
        ses_java_chain_end(c, SES_ORIGIN_END, "it is not known what returned it");
        return EBB_OK;
    }
    c->to = from->is_hidden ? 0 : from->place;
    ses_java_chain_add(c, SES_ORIGIN_RETURN, "returned by %s%s", ses_java_chain_method(c, callee->place), to_words(c, from));
    if (ses_java_follow_reflected(c, thread, callee, &e))
        return EBB_OK;
    if (ses_java_follow_out_of_box(c, thread, callee))
        ses_java_chain_go_on(c, (ses_java_datum){.kind = SES_JAVA_LOCAL, .thread = thread, .frame = callee->id});
    else
        ses_java_chain_go_on(c, ses_java_stack_slot(thread, callee->id, e.depth - ses_java_chain_slots(c)));
    return EBB_OK;
}

/* The debuggee stands at the last instruction of the thread before the call returned. */
static ebb_status tell_return(ses_java_chain *c, machine_tid thread, const java_frame *from, const java_effect *call, ebb_position called_at, ebb_error *err)
{
    ses_java_frames_of at;
    bool there = ses_java_chain_frame(c, thread, 0, &at);
    bool is_own = there && at.frame.id != from->id && !at.frame.is_native;
    bool is_handed_back = is_own && at.frame.is_from_c && at.has_caller && at.caller.is_native && ses_java_native_hands_back(c, &at.caller);
    if (!is_own || (at.frame.is_from_c && !is_handed_back)) {
        EBB_TRY(ses_java_trail_go(c->s, called_at, err));
        ses_java_native_result(c, thread, from, call);
        return EBB_OK;
    }
    return ses_java_follow_return_of(c, thread, &at.frame, from, err);
}

/* ---- call sites of invokedynamic: the class library's own way of putting strings together, and of making lambdas  */

/* The debuggee stands before a concatenation of strings. */
static void tell_concatenation(ses_java_chain *c, machine_tid thread, const java_effect *e)
{
    ebb_buf words = {0};
    unsigned slot = e->depth - e->pops;
    for (const char *d = e->descriptor + 1; *d && *d != ')';) {
        uint64_t bits;
        ebb_buf_adds(&words, words.n ? ", " : " of ");
        if (ses_java_chain_stack(c, thread, 0, slot, &bits))
            ses_java_chain_put(c, d, bits, &words);
        slot += ses_java_slots_of(*d);
        d = ses_java_next_type(d);
    }
    ses_java_chain_end(c, SES_ORIGIN_OPERATION, "a string that was put together here%s", ebb_buf_text(&words));
    ebb_buf_fini(&words);
}

/* The debuggee stands before the call. */
ebb_status ses_java_follow_return(ses_java_chain *c, machine_tid thread, const java_frame *frame, const java_effect *e, ebb_error *err)
{
    bool found;
    ebb_position called_at;
    if (!e->holder && strcmp(e->name, "makeConcatWithConstants") == 0) {
        tell_concatenation(c, thread, e);
        return EBB_OK;
    }
    if (!e->holder)
        ses_java_chain_add(c, SES_ORIGIN_RETURN, "given by the call site here (%s)", e->name);
    EBB_TRY(ses_now(c->s, &called_at, err));
    EBB_TRY(ses_java_trail_next(c->s, (ses_java_spot){frame->place + e->nbytes, thread, frame->id}, &found, err));
    if (found)
        EBB_TRY(ses_java_trail_step(c->s, thread, &found, err));
    if (found)
        return tell_return(c, thread, frame, e, called_at, err);
    ses_java_chain_end(c, SES_ORIGIN_END, "it is not known what returned it");
    return EBB_OK;
}

/* The debuggee stands before the call that made the frame `of`. */
ebb_status ses_java_follow_parameter(ses_java_chain *c, const ses_java_frames_of *of, ebb_error *err)
{
    java_effect e;
    const char *name = ses_java_chain_variable(c, of->frame.place, c->datum.slot, 0, 0);
    EBB_TRY(jvm_remote_effect(c->s->machine, c->arena, of->caller.place, &e, err));
    if (e.kind != JAVA_EFFECT_CALL || c->datum.slot >= e.pops) {
        ses_java_chain_end(c, SES_ORIGIN_END, "it is not known who passed it to %s", ses_java_chain_method(c, of->frame.place));
        return EBB_OK;
    }
    c->to = of->frame.is_hidden ? 0 : of->frame.place;
    if (of->frame.is_hidden)
        ses_java_chain_add(c, SES_ORIGIN_PARAMETER, "given to a lambda or method handle, %s", e.holder ? "which was called here" : "made or called here");
    else
        ses_java_chain_add(c, SES_ORIGIN_PARAMETER, "passed as %s to %s", name ? name : "a parameter", ses_java_chain_method(c, of->frame.place));
    ses_java_chain_go_on(c, ses_java_stack_slot(c->datum.thread, of->caller.id, e.depth - e.pops + c->datum.slot));
    return EBB_OK;
}
