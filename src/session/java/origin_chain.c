/* origin_chain.c - what every step of a chain needs: a look at the frames, and words for a link. */
#include "session/java/origin_steps.h"
#include "session/stack.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FRAMES_AT_ONCE = 64, MAX_WORDS = 400 };

/* ---- looking ----------------------------------------------------------------------------------------- */

machine_tid ses_java_chain_thread(const ses_java_chain *c)
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

bool ses_java_chain_stack(ses_java_chain *c, machine_tid thread, unsigned level, unsigned slot, uint64_t *bits)
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
        return ses_java_chain_stack(c, d->thread, at.level, d->slot, bits);
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

bool ses_java_chain_outer(ses_java_chain *c, machine_tid thread, const ses_java_frames_of *of, java_frame *outer)
{
    ses_java_frames_of next = *of;
    while (next.has_caller && next.caller.is_native)
        if (!ses_java_chain_frame(c, thread, next.caller.id, &next))
            return false;
    *outer = next.caller;
    return next.has_caller;
}

/* ---- telling ----------------------------------------------------------------------------------------- */

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
    if (ses_java_chain_frame(c, ses_java_chain_thread(c), 0, &at) && at.frame.is_hidden) /* JO3 */
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
const char *ses_java_chain_variable(ses_java_chain *c, machine_place place, unsigned slot, unsigned from, unsigned to)
{
    const java_code *code;
    if (jvm_remote_code(c->s->machine, java_place_method(place), &code, NULL) != EBB_OK)
        return NULL;
    for (size_t i = 0; i < code->n_locals; i++)
        if (code->locals[i].slot == slot && code->locals[i].from <= to && from < code->locals[i].to)
            return code->locals[i].name;
    return NULL;
}

static double real_of(char letter, uint64_t bits)
{
    float f;
    double d;
    memcpy(&f, &bits, sizeof f);
    memcpy(&d, &bits, sizeof d);
    return letter == 'f' ? (double)f : d;
}

/* What a slot holds; the letter is a descriptor's first. */
bool ses_java_slot_value(session *s, char letter, uint64_t bits, java_value *value)
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

void ses_java_chain_put(ses_java_chain *c, const char *descriptor, uint64_t bits, ebb_buf *words)
{
    ebb_arena arena = {0};
    expr_format format = ses_default_format(c->s);
    java_value value;
    if (!ses_java_slot_value(c->s, *descriptor, bits, &value) || expr_java_print_brief(&arena, &c->s->java->world, &format, &value, words, NULL) != EBB_OK)
        ebb_buf_addc(words, '?');
    ebb_arena_fini(&arena);
}
