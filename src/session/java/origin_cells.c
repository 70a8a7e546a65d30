/* origin_cells.c - values in fields, statics and elements: who wrote them, and the instructions that read them. */
#include "session/java/origin_steps.h"

#include <string.h>

enum { ACC_STATIC = 0x0008 };

/* ---- where a field lies ------------------------------------------------------------------------------ */

static bool field_info(ses_java_chain *c, java_field_id id, const java_class **cls, const java_field **field)
{
    if (jvm_remote_class(c->s->machine, (java_class_id)(id >> 32), cls, NULL) != EBB_OK)
        return false;
    for (size_t i = 0; i < (*cls)->n_fields; i++)
        if ((*cls)->fields[i].id == id) {
            *field = &(*cls)->fields[i];
            return true;
        }
    return false;
}

bool ses_java_chain_field(ses_java_chain *c, java_field_id id, java_ref object, ses_java_datum *out)
{
    const java_class *cls;
    const java_field *field;
    if (!field_info(c, id, &cls, &field))
        return false;
    bool is_static = field->access & ACC_STATIC;
    java_ref holder = is_static ? cls->mirror : object;
    *out = (ses_java_datum){.kind = SES_JAVA_CELL, .holder = holder, .addr = holder + field->offset, .is_static = is_static,
                            .name = ebb_arena_printf(c->arena, "%s.%s", ses_java_simple_name(cls->name), field->name)};
    c->letter = field->descriptor[0]; /* a byte of an object may be an int of a variable */
    return holder != 0;
}

/* ---- writes ------------------------------------------------------------------------------------------ */

static const char *cell_words(ses_java_chain *c, const ses_java_datum *d)
{
    unsigned size = java_type_size(c->letter);
    if (d->name)
        return ebb_arena_printf(c->arena, "the %sfield %s", d->is_static ? "static " : "", d->name);
    return ebb_arena_printf(c->arena, "element %llu", (unsigned long long)(d->addr - d->holder - SES_JAVA_ARRAY_BASE) / size);
}

static void tell_birth(ses_java_chain *c, machine_tid thread, const java_frame *frame, const java_effect *e)
{
    const char *cell = cell_words(c, &c->datum);
    if (e->kind == JAVA_EFFECT_CALL && !frame->is_native)
        ses_java_native_birth(c, thread, frame, e);
    else if (ses_java_chain_is(c, 0) && c->datum.is_static)
        ses_java_chain_end(c, SES_ORIGIN_INIT, "is what %s has at first: nothing wrote it since its class was loaded, here", cell);
    else if (ses_java_chain_is(c, 0))
        ses_java_chain_end(c, SES_ORIGIN_INIT, "is what %s has at first: nothing wrote it since the object was made, here", cell);
    else
        ses_java_chain_end(c, SES_ORIGIN_NATIVE, "the Java machine made the object with this in %s", cell);
}

static void tell_write(ses_java_chain *c, machine_tid thread, const java_frame *frame, const java_effect *e)
{
    bool is_element = e->kind == JAVA_EFFECT_ELEMENT_WRITE;
    const char *cell = cell_words(c, &c->datum);
    if (e->kind == JAVA_EFFECT_FIELD_WRITE || e->kind == JAVA_EFFECT_STATIC_WRITE || is_element) {
        ses_java_chain_add(c, is_element ? SES_ORIGIN_ARRAY_WRITE : SES_ORIGIN_FIELD_WRITE, "written to %s", cell);
        ses_java_chain_go_on(c, ses_java_stack_slot(thread, frame->id, e->depth - ses_java_chain_slots(c)));
    } else if (e->kind == JAVA_EFFECT_CALL) {
        ses_java_native_write(c, thread, frame, e);
    } else if (c->datum.is_static) {
        ses_java_chain_end(c, SES_ORIGIN_CONSTANT, "the constant that the class file gives to %s; the class was loaded here", cell);
    } else {
        ses_java_chain_end(c, SES_ORIGIN_NATIVE, "the Java machine wrote it to %s here", cell);
    }
}

ebb_status ses_java_follow_cell(ses_java_chain *c, ebb_error *err)
{
    bool is_new, found;
    ses_java_frames_of at;
    java_effect e;
    EBB_TRY(ses_java_trail_write(c->s, c->datum.addr, java_type_size(c->letter), &is_new, &found, err));
    machine_tid thread = ses_java_chain_thread(c);
    if (!found || !ses_java_chain_frame(c, thread, 0, &at)) {
        ses_java_chain_end(c, SES_ORIGIN_END, "it has been in %s, unchanged, since history begins", cell_words(c, &c->datum));
        return EBB_OK;
    }
    if (at.frame.is_native) {
        ses_java_chain_end(c, SES_ORIGIN_NATIVE, "the native method %s put it into %s", ses_java_chain_method(c, at.frame.place), cell_words(c, &c->datum));
        return EBB_OK;
    }
    EBB_TRY(jvm_remote_effect(c->s->machine, c->arena, at.frame.place, &e, err));
    if (is_new && ses_java_native_boxes(&e))
        return ses_java_follow_return(c, thread, &at.frame, &e, err);
    if (is_new)
        tell_birth(c, thread, &at.frame, &e);
    else
        tell_write(c, thread, &at.frame, &e);
    return EBB_OK;
}

/* ---- reads ------------------------------------------------------------------------------------------- */

/* The debuggee stands before a read of a field.  Whose field it is is known when it has executed, for good. */
ebb_status ses_java_follow_field(ses_java_chain *c, machine_tid thread, const java_frame *frame, java_effect *e, ebb_error *err)
{
    uint64_t object = 0;
    bool is_static = e->kind == JAVA_EFFECT_STATIC_READ, found = true;
    ses_java_datum cell;
    if (!is_static && !ses_java_chain_stack(c, thread, 0, e->depth - 1, &object))
        found = false;
    ses_java_chain_add(c, SES_ORIGIN_FIELD_READ, "read from the %sfield %s", is_static ? "static " : "", e->name);
    if (found && !is_static && ses_java_follow_into_box(c, object, ses_java_stack_slot(thread, frame->id, e->depth - 1)))
        return EBB_OK;
    if (found && (e->field == UINT64_MAX || is_static))
        EBB_TRY(ses_java_trail_next(c->s, (ses_java_spot){frame->place + e->nbytes, thread, frame->id}, &found, err));
    if (found)
        EBB_TRY(jvm_remote_effect(c->s->machine, c->arena, frame->place, e, err));
    if (found && ses_java_chain_field(c, e->field, object, &cell))
        c->datum = cell;
    else
        ses_java_chain_end(c, SES_ORIGIN_END, "the field can't be found again");
    return EBB_OK;
}

void ses_java_follow_element(ses_java_chain *c, machine_tid thread, const java_effect *e)
{
    uint64_t array, index;
    if (!ses_java_chain_stack(c, thread, 0, e->depth - 2, &array) || !ses_java_chain_stack(c, thread, 0, e->depth - 1, &index)) {
        ses_java_chain_end(c, SES_ORIGIN_END, "the array can't be found again");
        return;
    }
    /* a boolean or byte element is one byte, whatever the variable that it came to is */
    java_class_id id;
    const java_class *cls;
    if (jvm_remote_class_of(c->s->machine, array, &id, NULL) == EBB_OK && jvm_remote_class(c->s->machine, id, &cls, NULL) == EBB_OK && cls->element)
        c->letter = cls->element;
    unsigned size = java_type_size(c->letter);
    ses_java_datum cell = {.kind = SES_JAVA_CELL, .holder = array, .addr = array + SES_JAVA_ARRAY_BASE + (uint64_t)(uint32_t)index * size};
    ses_java_chain_add(c, SES_ORIGIN_ARRAY_READ, "read from element %u", (unsigned)index);
    c->datum = cell;
}
