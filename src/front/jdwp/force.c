/* force.c - commands that make a thread leave what it is in: a return before its time, frames taken away, an exception, an interrupt.
 *
 * What is recorded stays as it was: in the past they are refused. */
#include "front/jdwp/jdwp.h"

#include <string.h>

static jdwp_error forced(ebb_status status)
{
    switch (status) {
    case EBB_UNSUPPORTED: return JDWP_OPAQUE_FRAME;
    case EBB_BAD_INPUT: return JDWP_TYPE_MISMATCH;
    default: return jd_error(status);
    }
}

static jdwp_error suspended_tid(jd *d, java_ref object, machine_tid *tid)
{
    ebb_arena arena = {0};
    java_thread thread;
    jdwp_error error = jd_suspended_thread(d, &arena, object, &thread);
    if (error == JDWP_FINE)
        *tid = thread.tid;
    ebb_arena_fini(&arena);
    return error == JDWP_FINE && jd_is_past(d) ? JDWP_NOT_IMPLEMENTED : error;
}

jdwp_error jd_do_force_return(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)out;
    machine_tid tid;
    java_word word = {.type = 'V'};
    jdwp_error error = suspended_tid(d, jdwp_object(in), &tid);
    if (error != JDWP_FINE)
        return error;
    bool is_void = in->at < in->end && *in->at == 'V';
    if (!is_void && !jd_take_value(in, &word))
        return JDWP_ILLEGAL_ARGUMENT;
    return forced(jvm_remote_return_early(jd_machine(d), tid, word, NULL));
}

static bool is_outermost(jd *d, const jd_frame *at)
{
    java_frames frames = {0};
    bool is_last = jvm_remote_frames(jd_machine(d), at->tid, at->level + 1, 1, &frames, NULL) == EBB_OK && frames.n == 0;
    ebb_vec_fini(&frames);
    return is_last;
}

jdwp_error jd_do_pop_frames(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)out;
    jd_frame at;
    jdwp_error error = jd_take_frame(d, in, &at);
    if (error == JDWP_FINE && jd_is_past(d))
        error = JDWP_NOT_IMPLEMENTED;
    if (error == JDWP_FINE && is_outermost(d, &at))
        error = JDWP_NO_FRAMES;
    if (error == JDWP_FINE)
        error = forced(jvm_remote_pop_frames(jd_machine(d), at.tid, at.level, NULL));
    if (error == JDWP_FINE)
        d->n_stops++; /* the frames that the client knows are others now */
    return error;
}

jdwp_error jd_do_thread_stop(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)out;
    ebb_arena arena = {0};
    java_thread thread;
    jdwp_error error = jd_thread(d, &arena, jdwp_object(in), &thread);
    java_ref exception = jdwp_object(in);
    if (error == JDWP_FINE && jd_is_past(d))
        error = JDWP_NOT_IMPLEMENTED;
    if (error == JDWP_FINE) {
        ebb_status status = jvm_remote_throw_in(jd_machine(d), thread.tid, exception, NULL);
        error = status == EBB_BAD_INPUT ? JDWP_INVALID_OBJECT : forced(status);
    }
    ebb_arena_fini(&arena);
    return error;
}

static const java_method *method_named(const java_class *cls, const char *name, const char *descriptor)
{
    for (size_t i = 0; i < cls->n_methods; i++)
        if (strcmp(cls->methods[i].name, name) == 0 && strcmp(cls->methods[i].descriptor, descriptor) == 0)
            return &cls->methods[i];
    return NULL;
}

/* As a JVM's own agent does it: the thread that stopped calls Thread.interrupt. */
jdwp_error jd_do_thread_interrupt(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)out;
    ebb_arena arena = {0};
    java_thread thread;
    const java_class *cls;
    java_invoked result = {0};
    jdwp_error error = jd_thread(d, &arena, jdwp_object(in), &thread);
    if (error == JDWP_FINE && jd_is_past(d))
        error = JDWP_NOT_IMPLEMENTED;
    if (error == JDWP_FINE)
        error = jd_class(d, jd_class_named(d, "java.lang.Thread"), &cls);
    const java_method *method = error == JDWP_FINE ? method_named(cls, "interrupt", "()V") : NULL;
    if (method) {
        java_invoke call = {.tid = ses_thread_selected(d->session), .object = thread.object, .method = method->id, .is_virtual = true};
        error = jd_error(jvm_remote_invoke(jd_machine(d), &call, &result, NULL));
    }
    ebb_arena_fini(&arena);
    return error;
}
