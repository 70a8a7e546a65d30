/* origin_throws.c - exceptions: who threw them, and where an object was made. */
#include "session/java/origin_steps.h"

void ses_java_tell_allocation(ses_java_chain *c, const java_effect *e)
{
    ebb_buf name = {0};
    for (const char *at = e->holder ? e->holder : ""; *at; at++)
        ebb_buf_addc(&name, *at == '/' ? '.' : *at);
    ses_java_chain_end(c, SES_ORIGIN_ALLOCATION, name.n ? "made here, by new (%s)" : "made here, by new", ebb_buf_text(&name));
    ebb_buf_fini(&name);
}

/* Goes to before the instruction that made the object; what is in its header is written by nothing else.  False: it was there when history begins. */
static ebb_status go_to_birth(ses_java_chain *c, ses_java_frames_of *at, bool *found, ebb_error *err)
{
    bool is_new;
    EBB_TRY(ses_java_trail_write(c->s, c->bits, 1, &is_new, found, err));
    *found = *found && is_new && ses_java_chain_frame(c, ses_java_chain_thread(c), 0, at);
    return EBB_OK;
}

ebb_status ses_java_chain_to_birth(ses_java_chain *c, ebb_error *err)
{
    ses_java_frames_of at;
    java_effect e = {0};
    bool found;
    EBB_TRY(go_to_birth(c, &at, &found, err));
    if (found && !at.frame.is_native)
        EBB_TRY(jvm_remote_effect(c->s->machine, c->arena, at.frame.place, &e, err));
    if (!found)
        ses_java_chain_end(c, SES_ORIGIN_END, "it was there when history begins");
    else if (e.kind == JAVA_EFFECT_NEW)
        ses_java_tell_allocation(c, &e);
    else
        ses_java_chain_end(c, SES_ORIGIN_ALLOCATION, "the Java machine made it, in %s", ses_java_chain_method(c, at.frame.place));
    return EBB_OK;
}

/* The debuggee stands at an `athrow`; *is_it: of the exception that is followed. */
static ebb_status follow_thrown(ses_java_chain *c, machine_tid thread, bool *is_it, ebb_error *err)
{
    ses_java_frames_of at;
    java_effect e = {0};
    uint64_t bits;
    *is_it = ses_java_chain_frame(c, thread, 0, &at) && !at.frame.is_native;
    if (*is_it)
        EBB_TRY(jvm_remote_effect(c->s->machine, c->arena, at.frame.place, &e, err));
    *is_it = *is_it && e.kind == JAVA_EFFECT_THROW && ses_java_chain_stack(c, thread, 0, e.depth - 1, &bits) && ses_java_chain_is(c, bits);
    if (!*is_it)
        return EBB_OK;
    ses_java_chain_add(c, SES_ORIGIN_THROW, "thrown by %s, and caught", ses_java_chain_method(c, at.frame.place));
    ses_java_chain_go_on(c, ses_java_stack_slot(thread, at.frame.id, e.depth - 1));
    return EBB_OK;
}

/* The debuggee stands where an exception had come out.  Goes to what its thread executed last; *is_thrown: that is the `athrow`, which is followed. */
static ebb_status follow_last_throw(ses_java_chain *c, machine_tid thread, bool *found, bool *is_thrown, ebb_error *err)
{
    *is_thrown = false;
    EBB_TRY(ses_java_trail_step(c->s, thread, found, err));
    return *found ? follow_thrown(c, thread, is_thrown, err) : EBB_OK;
}

/* The debuggee stands at an instruction that let an exception out which it did not throw by `athrow`: the machine made it there, or it came through
 * native code that had called Java code. */
static ebb_status follow_let_out(ses_java_chain *c, const ses_java_frames_of *by, machine_tid thread, ebb_error *err)
{
    ebb_position here;
    ses_java_frames_of birth;
    bool found, is_thrown;
    EBB_TRY(ses_now(c->s, &here, err));
    EBB_TRY(go_to_birth(c, &birth, &found, err));
    EBB_TRY(ses_java_trail_go(c->s, here, err));
    const char *name = ses_java_chain_method(c, by->frame.place);
    if (!found || (birth.frame.id == by->frame.id && birth.frame.place == by->frame.place)) {
        ses_java_chain_end(c, SES_ORIGIN_ALLOCATION, found ? "the Java machine made it and threw it, in %s" : "the Java machine threw it, in %s", name);
        return EBB_OK;
    }
    EBB_TRY(follow_last_throw(c, thread, &found, &is_thrown, err));
    if (is_thrown)
        return EBB_OK;
    EBB_TRY(ses_java_trail_go(c->s, here, err));
    ses_java_chain_add(c, SES_ORIGIN_THROW, "came out of the native code that %s called here, and was caught", name);
    return ses_java_chain_to_birth(c, err);
}

/* The debuggee stands where a handler begins.  Its thread's last instruction threw; if the machine made the exception, that ran Java code, whose
 * caller is the culprit. */
ebb_status ses_java_follow_caught(ses_java_chain *c, machine_tid thread, ebb_error *err)
{
    bool found, is_thrown;
    ses_java_frames_of at;
    EBB_TRY(follow_last_throw(c, thread, &found, &is_thrown, err));
    if (is_thrown)
        return EBB_OK;
    if (found && ses_java_chain_frame(c, thread, 0, &at) && !at.frame.is_native)
        return follow_let_out(c, &at, thread, err);
    ses_java_chain_end(c, SES_ORIGIN_END, "it is not known who threw it");
    return EBB_OK;
}
