/* origin.c - where a value of a Java program comes from; see origin.h. */
#include "session/java/origin.h"
#include "session/counted.h"
#include "session/edits.h"
#include "session/stack.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_LINKS = 256, MAX_STEPS = 4096, FRAMES_AT_ONCE = 64, ACC_STATIC = 0x0008, MAX_WORDS = 400 };

/* ---- looking ------------------------------------------------------------------------------------- */

static machine_tid thread_now(const ses_java_chain *c)
{
    return ebb_timeline_get_thread(c->s->timeline);
}

bool ses_java_chain_frame(ses_java_chain *c, machine_tid thread, uint64_t id, ses_java_frames_of *out)
{
    bool found = false, more = true;
    for (unsigned first = 0; more && !found; first += FRAMES_AT_ONCE) {
        java_frames frames = {0};
        if (jvm_remote_frames(c->s->machine, thread, first, FRAMES_AT_ONCE + 1, &frames, NULL) != EBB_OK)
            return false;
        for (size_t i = 0; !found && i < frames.n && i < FRAMES_AT_ONCE; i++) {
            found = id == 0 || frames.items[i].id == id;
            if (!found)
                continue;
            *out = (ses_java_frames_of){.frame = frames.items[i], .level = first + (unsigned)i, .has_caller = i + 1 < frames.n};
            if (out->has_caller)
                out->caller = frames.items[i + 1];
        }
        more = frames.n > FRAMES_AT_ONCE;
        ebb_vec_fini(&frames);
    }
    return found;
}

static bool read_stack(ses_java_chain *c, machine_tid thread, unsigned level, unsigned slot, uint64_t *bits)
{
    java_words locals = {0}, stack = {0};
    bool there = jvm_remote_slots(c->s->machine, thread, level, &locals, &stack, NULL) == EBB_OK && slot < stack.n;
    if (there)
        *bits = (uint64_t)stack.items[slot].i;
    ebb_vec_fini(&locals);
    ebb_vec_fini(&stack);
    return there;
}

bool ses_java_chain_read(ses_java_chain *c, const ses_java_datum *d, uint64_t *bits)
{
    ses_java_frames_of at;
    java_word word;
    *bits = c->bits;
    if (d->kind == SES_JAVA_CELL) /* the instruction that moves it out of there, or into it, is looked at */
        return true;
    if (!ses_java_chain_frame(c, d->thread, d->frame, &at))
        return false;
    if (d->kind == SES_JAVA_STACK)
        return read_stack(c, d->thread, at.level, d->slot, bits);
    if (jvm_remote_local_get(c->s->machine, (java_local_at){d->thread, at.level, d->slot}, 'J', &word, NULL) != EBB_OK)
        return false;
    *bits = (uint64_t)word.i;
    return true;
}

bool ses_java_chain_is(const ses_java_chain *c, uint64_t bits)
{
    bool is_wide = strchr("JDL[", c->letter) != NULL;
    return is_wide ? bits == c->bits : (uint32_t)bits == (uint32_t)c->bits;
}

unsigned ses_java_chain_slots(const ses_java_chain *c)
{
    return ses_java_slots_of(c->letter);
}

ses_java_datum ses_java_stack_slot(machine_tid thread, uint64_t frame, unsigned slot)
{
    return (ses_java_datum){.kind = SES_JAVA_STACK, .thread = thread, .frame = frame, .slot = slot};
}

/* ---- telling ------------------------------------------------------------------------------------- */

char *ses_java_chain_method(ses_java_chain *c, machine_place place)
{
    return ses_java_method_name(c->s, c->arena, place, false);
}

static void add(ses_java_chain *c, ses_origin_kind kind, const char *format, va_list args)
{
    char words[MAX_WORDS];
    vsnprintf(words, sizeof words, format, args);
    ses_origin_add(c->s, c->arena, &(ses_origin_link){.kind = kind, .text = c->text, .depth = c->depth, .what = ebb_arena_strdup(c->arena, words), .to = c->to}, c->out);
    c->was_stored = false;
    c->to = 0;
}

void ses_java_chain_add(ses_java_chain *c, ses_origin_kind kind, const char *format, ...)
{
    ses_java_frames_of at;
    va_list args;
    if (ses_java_chain_frame(c, thread_now(c), 0, &at) && at.frame.is_hidden) /* JO3 */
        return;
    va_start(args, format);
    add(c, kind, format, args);
    va_end(args);
}

void ses_java_chain_end(ses_java_chain *c, ses_origin_kind kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(c, kind, format, args);
    va_end(args);
    c->is_over = true;
}

/* JO1 */
void ses_java_chain_go_on(ses_java_chain *c, ses_java_datum datum)
{
    uint64_t bits;
    if (ses_java_chain_read(c, &datum, &bits) && ses_java_chain_is(c, bits))
        c->datum = datum;
    else
        ses_java_chain_end(c, SES_ORIGIN_END, "something else is there before this: it can't be followed further");
}

/* The variable in that slot, as the class file names it; NULL: it doesn't. */
static const char *variable_at(ses_java_chain *c, machine_place place, unsigned slot, unsigned from, unsigned to)
{
    const java_code *code;
    if (jvm_remote_code(c->s->machine, java_place_method(place), &code, NULL) != EBB_OK)
        return NULL;
    for (size_t i = 0; i < code->n_locals; i++)
        if (code->locals[i].slot == slot && code->locals[i].from <= to && from < code->locals[i].to)
            return code->locals[i].name;
    return NULL;
}

/* ---- cells --------------------------------------------------------------------------------------- */

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

static ebb_status follow_return(ses_java_chain *c, machine_tid thread, const java_frame *frame, const java_effect *e, ebb_error *err);

static ebb_status follow_cell(ses_java_chain *c, ebb_error *err)
{
    bool is_new, found;
    ses_java_frames_of at;
    java_effect e;
    EBB_TRY(ses_java_trail_write(c->s, c->datum.addr, java_type_size(c->letter), &is_new, &found, err));
    machine_tid thread = thread_now(c);
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
        return follow_return(c, thread, &at.frame, &e, err);
    if (is_new)
        tell_birth(c, thread, &at.frame, &e);
    else
        tell_write(c, thread, &at.frame, &e);
    return EBB_OK;
}

/* ---- boxes that the class library shares (JO4) --------------------------------------------------- */

static bool is_box_class(const char *name)
{
    static const char *const names[] = {"Integer", "Long", "Short", "Byte", "Character", "Boolean"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, "java.lang.", 10) == 0 && strcmp(name + 10, names[i]) == 0)
            return true;
    return false;
}

static bool is_shared_number(char letter, uint64_t bits)
{
    enum { FIRST_SHARED = -128, LAST_SHARED = 127 };
    int64_t number = letter == 'J' ? (int64_t)bits : (int32_t)bits;
    return number >= FIRST_SHARED && number <= LAST_SHARED;
}

/* The value was read from the field of that object, which the stack slot holds. */
static bool goes_on_to_box(ses_java_chain *c, uint64_t object, ses_java_datum slot)
{
    java_class_id id;
    const java_class *cls;
    bool is_shared = object && is_shared_number(c->letter, c->bits) && jvm_remote_class_of(c->s->machine, object, &id, NULL) == EBB_OK &&
                     jvm_remote_class(c->s->machine, id, &cls, NULL) == EBB_OK && is_box_class(cls->name);
    if (!is_shared || strchr("FDL[", c->letter))
        return false;
    c->boxed.letter = c->letter;
    c->boxed.bits = c->bits;
    c->letter = 'L';
    c->bits = object;
    c->datum = slot;
    return true;
}

/* A box that is followed for its own sake: the number that valueOf was given says more than who made it. */
static bool takes_number(ses_java_chain *c, machine_tid thread, const java_frame *value_of, char letter)
{
    uint64_t bits;
    bool is_one = c->letter == 'L' && ses_java_chain_read(c, &(ses_java_datum){.kind = SES_JAVA_LOCAL, .thread = thread, .frame = value_of->id}, &bits);
    if (is_one) {
        c->boxed.letter = letter;
        c->boxed.bits = bits;
    }
    return is_one;
}

char ses_java_boxes(session *s, machine_place place)
{
    const java_class *cls = NULL;
    const java_method *method = ses_java_method(s, place, &cls);
    bool is_it = method && cls && strcmp(method->name, "valueOf") == 0 && is_box_class(cls->name) && strchr("IJSBCZ", method->descriptor[1]);
    return is_it ? method->descriptor[1] : 0;
}

/* The debuggee stands at the return of a method that returns the box. */
static bool leaves_box(ses_java_chain *c, machine_tid thread, const java_frame *frame)
{
    char letter = ses_java_boxes(c->s, frame->place);
    if (!letter || (!c->boxed.letter && !takes_number(c, thread, frame, letter)))
        return false;
    c->letter = c->boxed.letter;
    c->bits = c->boxed.bits;
    c->boxed.letter = 0;
    return true;
}

/* ---- reads --------------------------------------------------------------------------------------- */

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

static bool field_cell(ses_java_chain *c, java_field_id id, java_ref object, ses_java_datum *out)
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

/* The debuggee stands before a read of a field.  Whose field it is is known when it has executed, for good. */
static ebb_status follow_field(ses_java_chain *c, machine_tid thread, const java_frame *frame, java_effect *e, ebb_error *err)
{
    uint64_t object = 0;
    bool is_static = e->kind == JAVA_EFFECT_STATIC_READ, found = true;
    ses_java_datum cell;
    if (!is_static && !read_stack(c, thread, 0, e->depth - 1, &object))
        found = false;
    ses_java_chain_add(c, SES_ORIGIN_FIELD_READ, "read from the %sfield %s", is_static ? "static " : "", e->name);
    if (found && !is_static && goes_on_to_box(c, object, ses_java_stack_slot(thread, frame->id, e->depth - 1)))
        return EBB_OK;
    if (found && (e->field == UINT64_MAX || is_static))
        EBB_TRY(ses_java_trail_next(c->s, (ses_java_spot){frame->place + e->nbytes, thread, frame->id}, &found, err));
    if (found)
        EBB_TRY(jvm_remote_effect(c->s->machine, c->arena, frame->place, e, err));
    if (found && field_cell(c, e->field, object, &cell))
        c->datum = cell;
    else
        ses_java_chain_end(c, SES_ORIGIN_END, "the field can't be found again");
    return EBB_OK;
}

static void follow_element(ses_java_chain *c, machine_tid thread, const java_effect *e)
{
    uint64_t array, index;
    if (!read_stack(c, thread, 0, e->depth - 2, &array) || !read_stack(c, thread, 0, e->depth - 1, &index)) {
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

/* ---- calls and returns --------------------------------------------------------------------------- */

/* ", to Main.main at Main.java:12", which is where the call is. */
static const char *to_words(ses_java_chain *c, const java_frame *caller)
{
    ses_java_line line;
    const java_class *cls = NULL;
    if (caller->is_hidden || !ses_java_method(c->s, caller->place, &cls) || !cls || !ses_java_line_at(c->s, caller->place, &line))
        return "";
    return cls->source ? ebb_arena_printf(c->arena, ", to %s at %s:%u", ses_java_chain_method(c, caller->place), cls->source, line.line) : "";
}

/* The debuggee stands at the return of a number that reflection puts into a box, which is followed: the number is, from here on. */
static bool takes_out_of_box(ses_java_chain *c, machine_tid thread, const java_frame *callee, const java_effect *e)
{
    const java_class *cls = NULL;
    const java_method *method = ses_java_method(c->s, callee->place, &cls);
    char type = method ? strchr(method->descriptor, ')')[1] : 'L';
    ses_java_chain number = *c;
    if (c->letter != 'L' || !strchr("ZBCSIJFD", type))
        return false;
    ses_java_datum slot = ses_java_stack_slot(thread, callee->id, e->depth - ses_java_slots_of(type));
    if (!ses_java_chain_aim_at_slot(&number, &slot, type) || strcmp(number.text, c->text) != 0)
        return false;
    *c = number;
    c->boxed.letter = 0;
    return true;
}

/* The debuggee stands at the last instruction of the method that was called from there. */
static ebb_status tell_return_of(ses_java_chain *c, machine_tid thread, const java_frame *callee, const java_frame *from, ebb_error *err)
{
    java_effect e;
    EBB_TRY(jvm_remote_effect(c->s->machine, c->arena, callee->place, &e, err));
    if (e.kind != JAVA_EFFECT_RETURN || e.depth < ses_java_chain_slots(c)) {
        ses_java_chain_end(c, SES_ORIGIN_END, "it is not known what returned it");
        return EBB_OK;
    }
    c->to = from->is_hidden ? 0 : from->place;
    ses_java_chain_add(c, SES_ORIGIN_RETURN, "returned by %s%s", ses_java_chain_method(c, callee->place), to_words(c, from));
    if (takes_out_of_box(c, thread, callee, &e))
        return EBB_OK;
    if (leaves_box(c, thread, callee))
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
    return tell_return_of(c, thread, &at.frame, from, err);
}

static double real_of(char letter, uint64_t bits)
{
    float f;
    double d;
    memcpy(&f, &bits, sizeof f);
    memcpy(&d, &bits, sizeof d);
    return letter == 'f' ? (double)f : d;
}

/* ---- call sites of invokedynamic: the class library's own way of putting strings together, and of making lambdas */

/* What a slot holds; the letter is a descriptor's first. */
static bool value_of_slot(session *s, char letter, uint64_t bits, java_value *value)
{
    bool is_reference = letter == 'L' || letter == '[';
    *value = (java_value){.type = ses_java_type_named(s, is_reference ? "null" : (char[]){letter, '\0'})};
    if (is_reference && bits)
        value->type = ses_java_type_of_object(s, bits, NULL);
    if (letter == 'F' || letter == 'D')
        value->d = real_of(letter == 'F' ? 'f' : 'd', bits);
    else
        value->i = letter == 'J' || is_reference ? (int64_t)bits : (int32_t)bits;
    return value->type != NULL;
}

static void put_piece(ses_java_chain *c, const char *descriptor, uint64_t bits, ebb_buf *words)
{
    ebb_arena arena = {0};
    expr_format format = ses_default_format(c->s);
    java_value value;
    if (!value_of_slot(c->s, *descriptor, bits, &value) || expr_java_print_brief(&arena, &c->s->java->world, &format, &value, words, NULL) != EBB_OK)
        ebb_buf_addc(words, '?');
    ebb_arena_fini(&arena);
}

/* The debuggee stands before a concatenation of strings. */
static void tell_concatenation(ses_java_chain *c, machine_tid thread, const java_effect *e)
{
    ebb_buf words = {0};
    unsigned slot = e->depth - e->pops;
    for (const char *d = e->descriptor + 1; *d && *d != ')';) {
        uint64_t bits;
        ebb_buf_adds(&words, words.n ? ", " : " of ");
        if (read_stack(c, thread, 0, slot, &bits))
            put_piece(c, d, bits, &words);
        slot += ses_java_slots_of(*d);
        d = ses_java_next_type(d);
    }
    ses_java_chain_end(c, SES_ORIGIN_OPERATION, "a string that was put together here%s", ebb_buf_text(&words));
    ebb_buf_fini(&words);
}

/* The debuggee stands before the call. */
static ebb_status follow_return(ses_java_chain *c, machine_tid thread, const java_frame *frame, const java_effect *e, ebb_error *err)
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
static ebb_status follow_parameter(ses_java_chain *c, const ses_java_frames_of *of, ebb_error *err)
{
    java_effect e;
    const char *name = variable_at(c, of->frame.place, c->datum.slot, 0, 0);
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

/* ---- exceptions ---------------------------------------------------------------------------------- */

static void tell_allocation(ses_java_chain *c, const java_effect *e)
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
    *found = *found && is_new && ses_java_chain_frame(c, thread_now(c), 0, at);
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
        tell_allocation(c, &e);
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
    *is_it = *is_it && e.kind == JAVA_EFFECT_THROW && read_stack(c, thread, 0, e.depth - 1, &bits) && ses_java_chain_is(c, bits);
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
static ebb_status follow_caught(ses_java_chain *c, machine_tid thread, ebb_error *err)
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

/* ---- slots --------------------------------------------------------------------------------------- */

static void put_operand(ses_java_chain *c, char letter, uint64_t bits, ebb_buf *words)
{
    if (strchr("ijfd", letter))
        put_piece(c, (char[]){(char)toupper(letter), '\0'}, bits, words);
    else
        ebb_buf_adds(words, bits ? "an object" : "null");
}

static void tell_operation(ses_java_chain *c, machine_tid thread, const java_frame *frame, const java_effect *e)
{
    ebb_buf words = {0};
    machine_insn insn;
    uint64_t bits;
    unsigned slot = e->depth - e->pops;
    for (const char *at = e->row ? e->row : ""; *at; at++) {
        if (read_stack(c, thread, 0, slot, &bits)) {
            ebb_buf_adds(&words, words.n == 0 ? " of " : " and ");
            put_operand(c, *at, bits, &words);
        }
        slot += *at == 'j' || *at == 'd' ? 2 : 1;
    }
    bool has_text = c->s->machine->ops->decode(c->s->machine, frame->place, &insn, NULL) == EBB_OK;
    ses_java_chain_end(c, SES_ORIGIN_OPERATION, "computed%s (%s)", ebb_buf_text(&words), has_text ? insn.text : "?");
    ebb_buf_fini(&words);
}

bool ses_java_is_conversion(session *s, machine_place place)
{
    machine_insn insn;
    if (s->machine->ops->decode(s->machine, place, &insn, NULL) != EBB_OK || strlen(insn.text) != 3)
        return false;
    return strchr("ilfd", insn.text[0]) && insn.text[1] == '2' && strchr("ilfdbcs", insn.text[2]);
}

/* The debuggee stands before an instruction that makes a number one of another type: that number is followed from here on. */
static void follow_conversion(ses_java_chain *c, machine_tid thread, const java_frame *frame, const java_effect *e)
{
    ses_java_chain from = *c;
    ses_java_datum slot = ses_java_stack_slot(thread, frame->id, e->depth - e->pops);
    machine_insn insn;
    if (!ses_java_chain_aim_at_slot(&from, &slot, e->row[0]) || c->s->machine->ops->decode(c->s->machine, frame->place, &insn, NULL) != EBB_OK) {
        tell_operation(c, thread, frame, e);
        return;
    }
    ses_java_chain_add(c, SES_ORIGIN_CONVERSION, "made of %s (%s)", from.text, insn.text);
    c->datum = from.datum;
    c->letter = from.letter;
    c->bits = from.bits;
    c->text = from.text;
}

static void tell_constant(ses_java_chain *c, const java_frame *frame)
{
    machine_insn insn;
    bool has_text = c->s->machine->ops->decode(c->s->machine, frame->place, &insn, NULL) == EBB_OK;
    ses_java_chain_end(c, SES_ORIGIN_CONSTANT, "a constant of the program (%s)", has_text ? insn.text : "?");
}

static void follow_load(ses_java_chain *c, machine_tid thread, const java_frame *frame, const java_effect *e)
{
    unsigned bci = java_place_bci(frame->place);
    const char *name = variable_at(c, frame->place, e->local, bci, bci);
    if (c->was_stored && c->variable && name)
        ses_java_chain_add(c, SES_ORIGIN_COPY, "assigned from %s to %s", name, c->variable);
    ses_java_chain_go_on(c, (ses_java_datum){.kind = SES_JAVA_LOCAL, .thread = thread, .frame = frame->id, .slot = e->local});
}

static void follow_store(ses_java_chain *c, machine_tid thread, const java_frame *frame, const java_effect *e)
{
    unsigned bci = java_place_bci(frame->place);
    ses_java_chain_go_on(c, ses_java_stack_slot(thread, frame->id, e->depth - e->pops));
    c->was_stored = true;
    c->variable = variable_at(c, frame->place, e->local, bci, bci + e->nbytes);
}

static void follow_shuffle(ses_java_chain *c, machine_tid thread, const java_frame *frame, const java_effect *e)
{
    unsigned i = c->datum.slot - (e->depth - e->pops);
    ses_java_chain_go_on(c, ses_java_stack_slot(thread, frame->id, e->depth - (unsigned)(e->row[i] - '0')));
}

/* The debuggee stands before the instruction that wrote the slot. */
static ebb_status follow_writer(ses_java_chain *c, machine_tid thread, const java_frame *frame, ebb_error *err)
{
    java_effect e;
    EBB_TRY(jvm_remote_effect(c->s->machine, c->arena, frame->place, &e, err));
    switch (e.kind) {
    case JAVA_EFFECT_LOAD: follow_load(c, thread, frame, &e); return EBB_OK;
    case JAVA_EFFECT_STORE: follow_store(c, thread, frame, &e); return EBB_OK;
    case JAVA_EFFECT_SHUFFLE: follow_shuffle(c, thread, frame, &e); return EBB_OK;
    case JAVA_EFFECT_CAST: ses_java_chain_go_on(c, ses_java_stack_slot(thread, frame->id, c->datum.slot)); return EBB_OK;
    case JAVA_EFFECT_CONSTANT: tell_constant(c, frame); return EBB_OK;
    case JAVA_EFFECT_NEW: tell_allocation(c, &e); return EBB_OK;
    case JAVA_EFFECT_FIELD_READ:
    case JAVA_EFFECT_STATIC_READ: return follow_field(c, thread, frame, &e, err);
    case JAVA_EFFECT_ELEMENT_READ: follow_element(c, thread, &e); return EBB_OK;
    case JAVA_EFFECT_CALL: return follow_return(c, thread, frame, &e, err);
    default: break;
    }
    if (e.row && ses_java_is_conversion(c->s, frame->place))
        follow_conversion(c, thread, frame, &e);
    else
        tell_operation(c, thread, frame, &e);
    return EBB_OK;
}

/* The instructions that may have written the slot, and at the end the one before which nothing has to be looked for: what the nearest frame of
 * Java outside of its own was doing or, where there is none, its own first instruction.
 *
 * Of a call it is looked for where the frame went on after it, which is nearer by all that was called; the thread's last instruction
 * before that is the return.  Where a jump leads to the same place, or native code returned, it is looked for once more: for the call itself. */
typedef struct writers {
    java_writers list;
    ses_java_spots spots;
    bool ends_inside; /* at its own first instruction */
    bool by_calls;    /* the second time */
} writers;

bool ses_java_chain_outer(ses_java_chain *c, machine_tid thread, const ses_java_frames_of *of, java_frame *outer)
{
    ses_java_frames_of next = *of;
    while (next.has_caller && next.caller.is_native)
        if (!ses_java_chain_frame(c, thread, next.caller.id, &next))
            return false;
    *outer = next.caller;
    return next.has_caller;
}

static bool is_after_call(const writers *w, size_t i)
{
    return i < w->list.n && !w->by_calls && w->list.items[i].after;
}

static machine_place looked_for(const writers *w, size_t i)
{
    return is_after_call(w, i) ? w->list.items[i].after : w->list.items[i].place;
}

static ebb_status writers_init(writers *w, ses_java_chain *c, const ses_java_frames_of *at, ebb_error *err)
{
    const ses_java_datum *d = &c->datum;
    java_frame outer;
    java_slot_at slot = {.place = at->frame.place, .is_stack = d->kind == SES_JAVA_STACK, .slot = d->slot};
    EBB_TRY(jvm_remote_slot_writers(c->s->machine, slot, &w->list, err));
    for (size_t i = 0; i < w->list.n; i++)
        ebb_vec_push(&w->spots, ((ses_java_spot){looked_for(w, i), d->thread, d->frame}));
    w->ends_inside = !ses_java_chain_outer(c, d->thread, at, &outer);
    if (w->ends_inside)
        ebb_vec_push(&w->spots, ((ses_java_spot){java_place_method(at->frame.place), d->thread, d->frame}));
    else
        ebb_vec_push(&w->spots, ((ses_java_spot){outer.place, d->thread, outer.id}));
    return EBB_OK;
}

static void writers_fini(writers *w)
{
    ebb_vec_fini(&w->list);
    ebb_vec_fini(&w->spots);
}

/* The debuggee stands at the first instruction of the frame, to which a loop may have come back.  If it did, it stands in the loop afterwards. */
static ebb_status is_entry(ses_java_chain *c, bool *is_it, ebb_error *err)
{
    ebb_position here;
    ses_java_frames_of at;
    bool found;
    EBB_TRY(ses_now(c->s, &here, err));
    EBB_TRY(ses_java_trail_step(c->s, c->datum.thread, &found, err));
    *is_it = !found || !ses_java_chain_frame(c, c->datum.thread, 0, &at) || at.frame.id != c->datum.frame;
    return *is_it ? ses_java_trail_go(c->s, here, err) : EBB_OK;
}

/* Nothing wrote the slot since the frame began: it is a parameter. */
static ebb_status follow_to_call(ses_java_chain *c, const writers *w, const ses_java_frames_of *at, ebb_error *err)
{
    bool found = true;
    if (!at->frame.is_from_c && at->has_caller && !at->caller.is_native)
        return follow_parameter(c, at, err);
    if (w->ends_inside)
        EBB_TRY(is_entry(c, &found, err));
    else
        EBB_TRY(ses_java_trail_next(c->s, (ses_java_spot){java_place_method(at->frame.place), c->datum.thread, at->frame.id}, &found, err));
    if (found)
        return ses_java_native_parameter(c, at, err);
    if (!w->ends_inside)
        ses_java_chain_end(c, SES_ORIGIN_END, "it is not known who passed it to %s", ses_java_chain_method(c, at->frame.place));
    return EBB_OK; /* else the search goes on in the loop */
}

/* The debuggee stands where the frame went on after the call, if it was the call that led there. */
static ebb_status follow_returned(ses_java_chain *c, const java_writer *call, bool *is_known, ebb_error *err)
{
    machine_tid thread = c->datum.thread;
    ses_java_frames_of at;
    java_effect e;
    ebb_position began;
    bool found;
    EBB_TRY(ses_now(c->s, &began, err));
    EBB_TRY(ses_java_trail_step(c->s, thread, &found, err));
    found = found && ses_java_chain_frame(c, thread, 0, &at);
    *is_known = found && !at.frame.is_native && !at.frame.is_from_c && at.has_caller && at.caller.id == c->datum.frame && at.caller.place == call->place;
    if (*is_known)
        return tell_return_of(c, thread, &at.frame, &at.caller, err);
    *is_known = found && at.frame.id == c->datum.frame && at.frame.place == call->place; /* a native method, which has no instructions */
    if (!*is_known)
        return ses_java_trail_go(c->s, began, err);
    EBB_TRY(jvm_remote_effect(c->s->machine, c->arena, at.frame.place, &e, err));
    ses_java_native_result(c, thread, &at.frame, &e);
    return EBB_OK;
}

static ebb_status follow_found(ses_java_chain *c, const writers *w, size_t which, const ses_java_frames_of *at, ebb_error *err)
{
    ses_java_frames_of now;
    if (which == w->list.n)
        return follow_to_call(c, w, at, err);
    if (w->list.items[which].is_handler)
        return follow_caught(c, c->datum.thread, err);
    if (!ses_java_chain_frame(c, c->datum.thread, c->datum.frame, &now))
        return ebb_fail(err, EBB_UNAVAILABLE, "The frame of the value is not there any more.");
    return follow_writer(c, c->datum.thread, &now.frame, err);
}

/* Where the search would have to find the moment at which it begins. */
static bool is_there_already(const writers *w, const ses_java_datum *d, const ses_java_frames_of *at, size_t *which)
{
    for (*which = 0; d->kind == SES_JAVA_STACK && *which < w->list.n; ++*which)
        if (looked_for(w, *which) == at->frame.place && (w->list.items[*which].is_handler || (at->level == 0 && is_after_call(w, *which))))
            return true; /* a handler begins, or a call has returned: the value is on the stack already */
    *which = w->list.n;
    return w->ends_inside && d->kind == SES_JAVA_LOCAL && at->level == 0 && java_place_bci(at->frame.place) == 0;
}

/* JO5.  The debuggee stands at the writer, or after the call that is it. */
static ebb_status note_choice(ses_java_chain *c, const writers *w, size_t which, const ses_java_frames_of *at, ebb_error *err)
{
    ses_java_choice choice = {.used = at->frame.place};
    if (!c->choices || w->list.n < 2 || which == w->list.n || w->list.items[which].is_handler)
        return EBB_OK;
    choice.spot = (ses_java_spot){w->list.items[which].place, c->datum.thread, c->datum.frame};
    if (!ses_java_is_choice(c->s, choice.spot.place, choice.used))
        return EBB_OK;
    EBB_TRY(ses_now(c->s, &choice.at, err));
    ebb_vec_push(c->choices, choice);
    return EBB_OK;
}

/* *is_known: else it has to be looked for by calls. */
static ebb_status follow_by(ses_java_chain *c, writers *w, const ses_java_frames_of *at, bool *is_known, ebb_error *err)
{
    size_t which, n_choices = c->choices ? c->choices->n : 0;
    bool found = true;
    *is_known = true;
    EBB_TRY(writers_init(w, c, at, err));
    if (!is_there_already(w, &c->datum, at, &which))
        EBB_TRY(ses_java_trail_last(c->s, w->spots.items, w->spots.n, &which, &found, err));
    if (!found) {
        ses_java_chain_end(c, SES_ORIGIN_END, "it was there when history begins");
        return EBB_OK;
    }
    EBB_TRY(note_choice(c, w, which, at, err));
    EBB_TRY(is_after_call(w, which) ? follow_returned(c, &w->list.items[which], is_known, err) : follow_found(c, w, which, at, err));
    if (c->choices && !*is_known)
        c->choices->n = n_choices;
    for (size_t i = n_choices; c->choices && i < c->choices->n; i++)
        c->choices->items[i].n_told = c->out->n;
    return EBB_OK;
}

static ebb_status follow_slot(ses_java_chain *c, ebb_error *err)
{
    writers w = {0}, again = {.by_calls = true};
    ses_java_frames_of at;
    bool is_known;
    if (!ses_java_chain_frame(c, c->datum.thread, c->datum.frame, &at))
        return ebb_fail(err, EBB_UNAVAILABLE, "The frame of the value is not there any more.");
    if (at.frame.is_native) {
        ses_java_chain_end(c, SES_ORIGIN_NATIVE, "it is an argument of the native method %s", ses_java_chain_method(c, at.frame.place));
        return EBB_OK;
    }
    ebb_status status = follow_by(c, &w, &at, &is_known, err);
    if (status == EBB_OK && !is_known)
        status = follow_by(c, &again, &at, &is_known, err);
    writers_fini(&w);
    writers_fini(&again);
    return status;
}

/* ---- what is asked about -------------------------------------------------------------------------- */

static void set_value(ses_java_chain *c, const java_value *value)
{
    ebb_arena arena = {0};
    ebb_buf text = {0};
    expr_format format = ses_default_format(c->s);
    float f = (float)value->d;
    c->letter = value->type->descriptor[0] == 'n' ? 'L' : value->type->descriptor[0];
    c->bits = (uint64_t)value->i;
    if (c->letter == 'F') {
        c->bits = 0;
        memcpy(&c->bits, &f, sizeof f);
    }
    if (expr_java_print_brief(&arena, &c->s->java->world, &format, value, &text, NULL) == EBB_OK)
        c->text = ebb_arena_strdup(c->arena, ebb_buf_text(&text));
    else
        c->text = "?";
    ebb_buf_fini(&text);
    ebb_arena_fini(&arena);
}

static ebb_status aim_at_local(ses_java_chain *c, unsigned slot, ebb_error *err)
{
    const ses_frame *frame;
    EBB_TRY(ses_frame_selected(c->s, &frame, err));
    c->datum = (ses_java_datum){.kind = SES_JAVA_LOCAL, .thread = c->s->thread, .frame = frame->regs.cfa, .slot = slot};
    return EBB_OK;
}

static ebb_status no_place(const char *expression, ebb_error *err)
{
    return ebb_fail(err, EBB_UNSUPPORTED, "\"%.80s\" is no variable, field, static or element: only what is kept somewhere can be followed.", expression);
}

static ebb_status aim_at_this(ses_java_chain *c, ebb_error *err)
{
    java_value value;
    EBB_TRY(c->s->java->world.this_(c->s, &value, err));
    set_value(c, &value);
    return aim_at_local(c, 0, err);
}

static ebb_status aim(ses_java_chain *c, const char *expression, ebb_error *err)
{
    java_value place;
    if (strcmp(expression, "this") == 0)
        return aim_at_this(c, err);
    EBB_TRY(ses_java_place_of(c->s, expression, &place, err));
    set_value(c, &place);
    switch (place.place) {
    case JAVA_PLACE_LOCAL: return aim_at_local(c, (unsigned)place.which, err);
    case JAVA_PLACE_FIELD:
    case JAVA_PLACE_STATIC: return field_cell(c, place.which, place.holder, &c->datum) ? EBB_OK : no_place(expression, err);
    case JAVA_PLACE_ELEMENT:
        c->datum = (ses_java_datum){.kind = SES_JAVA_CELL, .holder = place.holder,
                                    .addr = place.holder + SES_JAVA_ARRAY_BASE + place.which * java_type_size(c->letter)};
        return EBB_OK;
    default: return no_place(expression, err);
    }
}

/* Letters of ops.def are small, those of descriptors capital. */
bool ses_java_chain_aim_at_slot(ses_java_chain *c, const ses_java_datum *slot, char letter)
{
    ses_java_frames_of at;
    uint64_t bits;
    java_value value;
    char type = letter == 'a' ? 'L' : letter >= 'a' ? (char)(letter - 'a' + 'A') : letter;
    if (!ses_java_chain_frame(c, slot->thread, slot->frame, &at) || !read_stack(c, slot->thread, at.level, slot->slot, &bits))
        return false;
    if (!value_of_slot(c->s, type, bits, &value))
        return false;
    c->datum = *slot;
    set_value(c, &value);
    return true;
}

bool ses_java_chain_aim_at_element(ses_java_chain *c, java_ref array, uint32_t index)
{
    java_words element = {0};
    java_value value;
    bool there = jvm_remote_array_get(c->s->machine, array, index, 1, &element, NULL) == EBB_OK && element.n == 1 &&
                 value_of_slot(c->s, 'L', element.items[0].ref, &value);
    ebb_vec_fini(&element);
    if (!there)
        return false;
    c->datum = (ses_java_datum){.kind = SES_JAVA_CELL, .holder = array, .addr = array + SES_JAVA_ARRAY_BASE + (uint64_t)index * sizeof(java_ref)};
    set_value(c, &value);
    return true;
}

/* ---- all of it ----------------------------------------------------------------------------------- */

static bool is_edited(ses_java_chain *c)
{
    const ses_java_datum *d = &c->datum;
    ebb_data data = {.space = JAVA_SPACE_OBJECT, .addr = d->addr, .nbytes = java_type_size(c->letter)};
    if (d->kind == SES_JAVA_LOCAL)
        data = (ebb_data){.space = JAVA_SPACE_LOCAL, .addr = d->frame | d->slot, .nbytes = 1};
    return d->kind != SES_JAVA_STACK && ses_edit_before(c->s, &data) != NULL;
}

ebb_status ses_java_chain_follow(ses_java_chain *c, size_t max_links, ebb_error *err)
{
    size_t first = c->out->n;
    if (!c->is_over && is_edited(c))
        ses_java_chain_end(c, SES_ORIGIN_INPUT, "you set it here");
    for (unsigned n = 0; !c->is_over && c->out->n - first < max_links; n++) {
        if (c->out->n - first >= MAX_LINKS || n >= MAX_STEPS) {
            ses_java_chain_end(c, SES_ORIGIN_END, "the chain is too long to be followed further: go to a link (goto) and ask from there");
            return EBB_OK;
        }
        EBB_TRY(c->datum.kind == SES_JAVA_CELL ? follow_cell(c, err) : follow_slot(c, err));
    }
    return EBB_OK;
}

ebb_status ses_java_chain_aim(ses_java_chain *c, const char *expression, ebb_error *err)
{
    const char *text = ebb_text_skip_space(expression);
    if (ses_is_counted(c->s))
        return ebb_fail(err, EBB_UNSUPPORTED, "A stock JVM doesn't tell who wrote a value: run the program on ebb's own Java machine.");
    return *text ? aim(c, text, err) : ses_java_chain_aim_at_culprit(c, err);
}

ebb_status ses_java_origin_follow(session *s, ebb_arena *arena, const char *expression, ses_origin_links *out, ebb_error *err)
{
    ses_java_chain c = {.s = s, .arena = arena, .out = out};
    EBB_TRY(ses_java_chain_aim(&c, expression, err));
    if (!is_edited(&c))
        EBB_TRY(ses_java_chain_by_aliases(&c, err));
    return ses_java_chain_follow(&c, SIZE_MAX, err);
}

ebb_status ses_java_origin_remembered(session *s, ebb_arena *arena, const char *expression, ses_origin_links *out, ebb_error *err)
{
    ses_java_chain c = {.s = s, .arena = arena, .out = out};
    EBB_TRY(ses_java_chain_aim(&c, expression, err));
    return ses_java_chain_by_aliases(&c, err);
}
