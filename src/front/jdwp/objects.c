/* objects.c - commands about objects, arrays and strings, what is in them, and calls of their methods. */
#include "front/jdwp/jdwp.h"

#include <string.h>

enum { ACC_STATIC = 0x0008 };

/* ---- what it is ---- */

static jdwp_error class_of(jd *d, java_ref object, const java_class **cls)
{
    java_class_id id;
    if (!jd_machine(d))
        return JDWP_VM_DEAD;
    if (object == 0 || jvm_remote_class_of(jd_machine(d), object, &id, NULL) != EBB_OK)
        return JDWP_INVALID_OBJECT;
    return jd_class(d, id, cls);
}

jdwp_error jd_do_object_type(jd *d, jdwp_in *in, ebb_buf *out)
{
    const java_class *cls;
    jdwp_error error = class_of(d, jdwp_object(in), &cls);
    if (error != JDWP_FINE)
        return error;
    jdwp_put(out, jd_tag_of_class(cls), 1);
    jdwp_put(out, cls->id, 8);
    return JDWP_FINE;
}

jdwp_error jd_do_is_collected(jd *d, jdwp_in *in, ebb_buf *out)
{
    const java_class *cls;
    jdwp_put(out, class_of(d, jdwp_object(in), &cls) != JDWP_FINE, 1);
    return JDWP_FINE;
}

/* Who has the monitor, and who wants it. */
jdwp_error jd_do_monitor(jd *d, jdwp_in *in, ebb_buf *out)
{
    java_ref object = jdwp_object(in), owner = 0;
    const java_class *cls;
    machine_tid tid = 0;
    unsigned count = 0;
    ebb_arena arena = {0};
    java_threads threads = {0};
    ebb_buf waiters = {0};
    uint32_t n = 0;
    jdwp_error error = class_of(d, object, &cls);
    if (error == JDWP_FINE)
        error = jd_error(jvm_remote_lock_of(jd_machine(d), object, &tid, &count, NULL));
    if (error == JDWP_FINE)
        error = jd_error(jvm_remote_threads(jd_machine(d), &arena, &threads, NULL));
    for (size_t i = 0; i < threads.n; i++) {
        const java_thread *thread = &threads.items[i];
        if (tid && thread->tid == tid)
            owner = thread->object;
        if (thread->blocked_on != object)
            continue;
        jdwp_put(&waiters, thread->object, 8);
        n++;
    }
    jdwp_put(out, owner, 8);
    jdwp_put(out, count, 4);
    jdwp_put(out, n, 4);
    ebb_buf_add(out, ebb_buf_text(&waiters), waiters.n);
    ebb_buf_fini(&waiters);
    ebb_vec_fini(&threads);
    ebb_arena_fini(&arena);
    return error;
}

jdwp_error jd_do_string_value(jd *d, jdwp_in *in, ebb_buf *out)
{
    java_ref string = jdwp_object(in);
    ebb_arena arena = {0};
    java_chars text;
    if (!jd_machine(d))
        return JDWP_VM_DEAD;
    if (jd_tag_of_object(d, string) != 's')
        return JDWP_INVALID_STRING;
    jdwp_error error = jd_error(jvm_remote_string(jd_machine(d), &arena, string, UINT32_MAX, &text, NULL));
    if (error == JDWP_FINE)
        jdwp_put_text(out, text.utf8);
    ebb_arena_fini(&arena);
    return error;
}

/* ---- fields ---- */

static jdwp_error put_fields(jd *d, jdwp_in *in, java_ref object, ebb_buf *out)
{
    uint32_t n = jdwp_count(in, 8);
    jdwp_put(out, n, 4);
    for (uint32_t i = 0; i < n; i++) {
        const java_field *field = jd_field_of(d, jdwp_field(in));
        java_word word;
        if (!field || (!object && !(field->access & ACC_STATIC)))
            return JDWP_INVALID_FIELD;
        if (jvm_remote_field_get(jd_machine(d), field->access & ACC_STATIC ? 0 : object, field->id, &word, NULL) != EBB_OK)
            return JDWP_INVALID_FIELD;
        jd_put_word(d, out, word);
    }
    return in->bad ? JDWP_ILLEGAL_ARGUMENT : JDWP_FINE;
}

jdwp_error jd_do_field_values(jd *d, jdwp_in *in, ebb_buf *out)
{
    const java_class *cls;
    java_ref object = jdwp_object(in);
    jdwp_error error = class_of(d, object, &cls);
    return error == JDWP_FINE ? put_fields(d, in, object, out) : error;
}

jdwp_error jd_do_static_values(jd *d, jdwp_in *in, ebb_buf *out)
{
    const java_class *cls;
    jdwp_error error = jd_class(d, jdwp_type(in), &cls);
    return error == JDWP_FINE ? put_fields(d, in, 0, out) : error;
}

static jdwp_error set_fields(jd *d, jdwp_in *in, java_ref object)
{
    uint32_t n = jdwp_count(in, 9);
    jdwp_error error = jd_begin_change(d);
    for (uint32_t i = 0; error == JDWP_FINE && i < n; i++) {
        const java_field *field = jd_field_of(d, jdwp_field(in));
        java_word word;
        if (!field || (!object && !(field->access & ACC_STATIC)))
            return JDWP_INVALID_FIELD;
        if (!jd_take_word(in, field->descriptor[0], &word))
            return JDWP_ILLEGAL_ARGUMENT;
        if (jvm_remote_field_set(jd_machine(d), field->access & ACC_STATIC ? 0 : object, field->id, word, NULL) != EBB_OK)
            return JDWP_TYPE_MISMATCH;
    }
    return error;
}

jdwp_error jd_do_set_field_values(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)out;
    const java_class *cls;
    java_ref object = jdwp_object(in);
    jdwp_error error = class_of(d, object, &cls);
    return error == JDWP_FINE ? set_fields(d, in, object) : error;
}

jdwp_error jd_do_set_static_values(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)out;
    const java_class *cls;
    jdwp_error error = jd_class(d, jdwp_type(in), &cls);
    return error == JDWP_FINE ? set_fields(d, in, 0) : error;
}

/* ---- arrays ---- */

static jdwp_error take_array(jd *d, jdwp_in *in, java_ref *array, const java_class **cls, uint32_t *length)
{
    *array = jdwp_object(in);
    jdwp_error error = class_of(d, *array, cls);
    if (error == JDWP_FINE && !(*cls)->is_array)
        error = JDWP_INVALID_ARRAY;
    return error == JDWP_FINE ? jd_error(jvm_remote_array_length(jd_machine(d), *array, length, NULL)) : error;
}

jdwp_error jd_do_array_length(jd *d, jdwp_in *in, ebb_buf *out)
{
    java_ref array;
    const java_class *cls;
    uint32_t length;
    jdwp_error error = take_array(d, in, &array, &cls, &length);
    if (error == JDWP_FINE)
        jdwp_put(out, length, 4);
    return error;
}

static bool is_reference(char type)
{
    return type == 'L' || type == '[';
}

jdwp_error jd_do_array_values(jd *d, jdwp_in *in, ebb_buf *out)
{
    java_ref array;
    const java_class *cls;
    uint32_t length;
    java_words words = {0};
    jdwp_error error = take_array(d, in, &array, &cls, &length);
    uint32_t first = jdwp_u32(in), n = jdwp_u32(in);
    if (error != JDWP_FINE)
        return error;
    if (in->bad || first > length || n > length - first)
        return JDWP_INVALID_LENGTH;
    if (jvm_remote_array_get(jd_machine(d), array, first, n, &words, NULL) != EBB_OK)
        return JDWP_INVALID_OBJECT;
    jdwp_put(out, is_reference(cls->element) ? (cls->element == '[' ? '[' : 'L') : (uint8_t)cls->element, 1);
    jdwp_put(out, words.n, 4);
    for (size_t i = 0; i < words.n; i++) {
        if (is_reference(cls->element))
            jd_put_word(d, out, words.items[i]);
        else
            jd_put_untagged(out, words.items[i]);
    }
    ebb_vec_fini(&words);
    return JDWP_FINE;
}

jdwp_error jd_do_set_array_values(jd *d, jdwp_in *in, ebb_buf *out)
{
    (void)out;
    java_ref array;
    const java_class *cls;
    uint32_t length;
    jdwp_error error = take_array(d, in, &array, &cls, &length);
    uint32_t first = jdwp_u32(in), n = jdwp_count(in, 1);
    if (error == JDWP_FINE && (in->bad || first > length || n > length - first))
        error = JDWP_INVALID_LENGTH;
    if (error == JDWP_FINE)
        error = jd_begin_change(d);
    for (uint32_t i = 0; error == JDWP_FINE && i < n; i++) {
        java_word word;
        if (!jd_take_word(in, cls->element, &word))
            return JDWP_ILLEGAL_ARGUMENT;
        if (jvm_remote_array_set(jd_machine(d), array, first + i, word, NULL) != EBB_OK)
            return JDWP_TYPE_MISMATCH;
    }
    return error;
}

jdwp_error jd_do_new_array(jd *d, jdwp_in *in, ebb_buf *out)
{
    const java_class *cls;
    ebb_arena arena = {0};
    java_ref array = 0;
    jdwp_error error = jd_class(d, jdwp_type(in), &cls);
    uint32_t length = jdwp_u32(in);
    if (error == JDWP_FINE)
        error = jd_begin_change(d);
    if (error == JDWP_FINE)
        error = jd_error(jvm_remote_new_array(jd_machine(d), jd_signature(&arena, cls->name), length, &array, NULL));
    if (error == JDWP_FINE) {
        jdwp_put(out, '[', 1);
        jdwp_put(out, array, 8);
    }
    ebb_arena_fini(&arena);
    return error;
}

/* ---- calls ---- */

enum { CALL_NON_VIRTUAL = 2, MOST_ARGUMENTS = 255 };

typedef struct call {
    java_invoke invoke;
    java_word args[MOST_ARGUMENTS];
} call;

/* Thread, class, method and arguments; of a virtual call the class only says where the method is looked for. */
static jdwp_error take_call(jd *d, jdwp_in *in, java_ref thread_object, call *c)
{
    ebb_arena arena = {0};
    java_thread thread;
    const java_class *cls;
    jdwp_error error = jd_suspended_thread(d, &arena, thread_object, &thread);
    ebb_arena_fini(&arena);
    if (error == JDWP_FINE)
        error = jd_class(d, jdwp_type(in), &cls);
    if (error != JDWP_FINE)
        return error;
    const java_method *method = jd_method_of(d, jdwp_method(in)); /* it may be inherited */
    uint32_t n = jdwp_count(in, 2);
    if (!method || n > MOST_ARGUMENTS)
        return method ? JDWP_ILLEGAL_ARGUMENT : JDWP_INVALID_METHOD;
    c->invoke.tid = thread.tid;
    c->invoke.method = method->id;
    c->invoke.args = c->args;
    c->invoke.n_args = n;
    for (uint32_t i = 0; i < n; i++)
        if (!jd_take_value(in, &c->args[i]))
            return JDWP_ILLEGAL_ARGUMENT;
    c->invoke.is_virtual = c->invoke.object && !(jdwp_u32(in) & CALL_NON_VIRTUAL);
    if (method->access & ACC_STATIC)
        c->invoke.object = 0;
    return in->bad ? JDWP_ILLEGAL_ARGUMENT : JDWP_FINE;
}

static jdwp_error do_call(jd *d, const call *c, java_invoked *result)
{
    jdwp_error error = jd_begin_change(d);
    if (error != JDWP_FINE)
        return error;
    switch (jvm_remote_invoke(jd_machine(d), &c->invoke, result, NULL)) {
    case EBB_OK: return JDWP_FINE;
    case EBB_UNSUPPORTED: return JDWP_INVALID_CALLER;
    case EBB_BAD_INPUT: return JDWP_TYPE_MISMATCH;
    case EBB_NOT_FOUND: return JDWP_INVALID_METHOD;
    default: return JDWP_INTERNAL;
    }
}

static jdwp_error call_and_put(jd *d, const call *c, ebb_buf *out)
{
    java_invoked result = {0};
    jdwp_error error = do_call(d, c, &result);
    if (error != JDWP_FINE)
        return error;
    if (result.thrown)
        result.result = (java_word){.type = 'V'};
    jd_put_word(d, out, result.result);
    jd_put_object(d, out, result.thrown);
    return JDWP_FINE;
}

jdwp_error jd_do_invoke(jd *d, jdwp_in *in, ebb_buf *out)
{
    call c = {.invoke.object = jdwp_object(in)};
    const java_class *cls;
    jdwp_error error = class_of(d, c.invoke.object, &cls);
    if (error == JDWP_FINE)
        error = take_call(d, in, jdwp_object(in), &c);
    return error == JDWP_FINE ? call_and_put(d, &c, out) : error;
}

/* Class, thread, method: the class comes before the thread here. */
static jdwp_error take_static_call(jd *d, jdwp_in *in, const java_class **cls, call *c)
{
    jdwp_in at_class = *in;
    jdwp_error error = jd_class(d, jdwp_type(in), cls);
    if (error != JDWP_FINE)
        return error;
    java_ref thread = jdwp_object(in);
    ebb_buf rest = {0}; /* as take_call wants it: class, method, arguments */
    jdwp_put(&rest, jdwp_type(&at_class), 8);
    ebb_buf_add(&rest, in->at, (size_t)(in->end - in->at));
    jdwp_in again = {in->sizes, (const uint8_t *)rest.data, (const uint8_t *)rest.data + rest.n, in->bad};
    error = take_call(d, &again, thread, c);
    ebb_buf_fini(&rest);
    return error;
}

jdwp_error jd_do_invoke_static(jd *d, jdwp_in *in, ebb_buf *out)
{
    call c = {0};
    const java_class *cls;
    jdwp_error error = take_static_call(d, in, &cls, &c);
    return error == JDWP_FINE ? call_and_put(d, &c, out) : error;
}

jdwp_error jd_do_new_object(jd *d, jdwp_in *in, ebb_buf *out)
{
    call c = {0};
    const java_class *cls;
    java_invoked result = {0};
    java_ref object;
    jdwp_error error = take_static_call(d, in, &cls, &c);
    if (error == JDWP_FINE)
        error = jd_begin_change(d);
    if (error == JDWP_FINE)
        error = jd_error(jvm_remote_new_object(jd_machine(d), cls->id, &object, NULL));
    if (error != JDWP_FINE)
        return error;
    c.invoke.object = object;
    c.invoke.is_virtual = false;
    error = do_call(d, &c, &result);
    if (error != JDWP_FINE)
        return error;
    jd_put_object(d, out, result.thrown ? 0 : object);
    jd_put_object(d, out, result.thrown);
    return JDWP_FINE;
}
