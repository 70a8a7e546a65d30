/* origin_culprit.c - what an instruction of a Java program failed on, at the exception that the machine threw from it. */
#include "session/java/origin.h"

#include <string.h>

/* The exception that was just thrown, at the instruction that the innermost frame stands at. */
typedef struct failure {
    ses_java_chain *c;
    machine_tid thread;
    uint64_t frame;
    java_effect e;
    const char *exception; /* its class and message */
    bool is_null;          /* a NullPointerException */
} failure;

/* What it is about: a slot of the operand stack, from the bottom, and the first letter of its descriptor; 0: none that could be named. */
typedef struct culprit {
    unsigned slot;
    char letter;
} culprit;

static bool is_there(const failure *f, unsigned slot, uint64_t *bits)
{
    ses_java_datum datum = ses_java_stack_slot(f->thread, f->frame, slot);
    return ses_java_chain_read(f->c, &datum, bits);
}

static uint64_t bits_of(const failure *f, unsigned slot)
{
    uint64_t bits;
    return is_there(f, slot, &bits) ? bits : 0;
}

/* A native method has taken its arguments from the stack: the debuggee goes to where they are on it, before the call. */
static ebb_status go_before_call(const failure *f, machine_place place, ebb_error *err)
{
    ses_java_spot call = {place, f->thread, f->frame};
    uint64_t bits;
    size_t which;
    bool found;
    if (f->e.kind != JAVA_EFFECT_CALL || f->e.pops == 0 || is_there(f, f->e.depth - 1, &bits))
        return EBB_OK;
    return ses_java_trail_last(f->c->s, &call, 1, &which, &found, err);
}

static unsigned slots_of_arguments(const char *descriptor)
{
    unsigned n = 0;
    for (const char *d = descriptor + 1; *d && *d != ')'; d = ses_java_next_type(d))
        n += ses_java_slots_of(*d);
    return n;
}

/* Of a call: the object whose method it is or, if a native method threw, the only null that it was given. */
static culprit null_of_call(const failure *f)
{
    unsigned slot = f->e.depth - f->e.pops, n_nulls = 0;
    bool has_object = f->e.pops > slots_of_arguments(f->e.descriptor);
    culprit found = {0};
    if (has_object && bits_of(f, slot) == 0)
        return (culprit){slot, 'L'};
    slot += has_object;
    for (const char *d = f->e.descriptor + 1; *d && *d != ')'; d = ses_java_next_type(d)) {
        if (strchr("L[", *d) && bits_of(f, slot) == 0) {
            found = (culprit){slot, 'L'};
            n_nulls++;
        }
        slot += ses_java_slots_of(*d);
    }
    return n_nulls == 1 ? found : (culprit){0};
}

/* Of the lengths that an array is made by: the negative one. */
static culprit length_of_new(const failure *f)
{
    unsigned first = f->e.depth - f->e.pops;
    for (unsigned slot = first; slot < f->e.depth; slot++)
        if (f->e.pops == 1 || (int32_t)bits_of(f, slot) < 0)
            return (culprit){slot, 'I'};
    return (culprit){0};
}

static culprit culprit_of_element(const failure *f)
{
    unsigned array = f->e.depth - f->e.pops;
    if (strstr(f->exception, "ArrayStoreException"))
        return (culprit){f->e.depth - 1, 'L'};
    return f->is_null ? (culprit){array, 'L'} : (culprit){array + 1, 'I'};
}

/* The last of what an operation takes: a divisor, or the array whose length is asked for. */
static culprit culprit_of_operation(const failure *f)
{
    const char *row = f->e.row;
    switch (row && *row ? row[strlen(row) - 1] : '\0') {
    case 'a': return (culprit){f->e.depth - 1, 'L'};
    case 'i': return (culprit){f->e.depth - 1, 'I'};
    case 'j': return (culprit){f->e.depth - 2, 'J'};
    default: return (culprit){0};
    }
}

static culprit find_culprit(const failure *f)
{
    const java_effect *e = &f->e;
    switch (e->kind) {
    case JAVA_EFFECT_FIELD_READ:
    case JAVA_EFFECT_CAST:
    case JAVA_EFFECT_THROW: return (culprit){e->depth - 1, 'L'};
    case JAVA_EFFECT_FIELD_WRITE: return (culprit){e->depth - 1 - ses_java_slots_of(e->descriptor[0]), 'L'};
    case JAVA_EFFECT_CALL: return f->is_null && e->holder ? null_of_call(f) : (culprit){0};
    case JAVA_EFFECT_ELEMENT_READ:
    case JAVA_EFFECT_ELEMENT_WRITE: return culprit_of_element(f);
    case JAVA_EFFECT_NEW: return length_of_new(f);
    case JAVA_EFFECT_OPERATION: return culprit_of_operation(f);
    case JAVA_EFFECT_OTHER: return e->pops == 1 ? (culprit){e->depth - 1, 'L'} : (culprit){0}; /* a monitor */
    default: return (culprit){0};
    }
}

ebb_status ses_java_chain_aim_at_culprit(ses_java_chain *c, ebb_error *err)
{
    ses_java_frames_of at;
    ebb_buf words = {0};
    failure f = {.c = c, .thread = c->s->at.thread};
    if (c->s->at.kind != MACHINE_STOP_THROW || !ses_java_chain_frame(c, f.thread, 0, &at) || at.frame.is_native)
        return ebb_fail(err, EBB_BAD_INPUT, "origin EXPR: of what? Without EXPR it asks, at an exception that was just thrown (catch throw), what the instruction failed on.");
    f.frame = at.frame.id;
    EBB_TRY(jvm_remote_effect(c->s->machine, c->arena, at.frame.place, &f.e, err));
    ses_java_exception_words(c->s, c->s->at.object, &words);
    f.exception = ebb_buf_text(&words);
    f.is_null = strstr(f.exception, "NullPointerException") != NULL;
    ebb_status status = go_before_call(&f, at.frame.place, err);
    culprit found = find_culprit(&f);
    ebb_buf_fini(&words);
    EBB_TRY(status);
    ses_java_datum slot = ses_java_stack_slot(f.thread, f.frame, found.slot);
    if (!found.letter || found.slot >= f.e.depth)
        return ebb_fail(err, EBB_BAD_INPUT, "The exception is not about one value of this instruction: name what you want to know (origin EXPR).");
    if (!ses_java_chain_aim_at_slot(c, &slot, found.letter))
        return ebb_fail(err, EBB_UNAVAILABLE, "The value is not on the stack any more: name what you want to know (origin EXPR).");
    return EBB_OK;
}
