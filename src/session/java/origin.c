/* origin.c - where a value of a Java program comes from; see origin.h. Slots of frames, and the loop. */
#include "session/java/origin_steps.h"
#include "session/edits.h"

#include <ctype.h>
#include <string.h>

enum { MAX_LINKS = 256, MAX_STEPS = 4096 };

/* ---- what an instruction does to a slot -------------------------------------------------------------- */

static void put_operand(ses_java_chain *c, char letter, uint64_t bits, ebb_buf *words)
{
    if (strchr("ijfd", letter))
        ses_java_chain_put(c, (char[]){(char)toupper(letter), '\0'}, bits, words);
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
        if (ses_java_chain_stack(c, thread, 0, slot, &bits)) {
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
    const char *name = ses_java_chain_variable(c, frame->place, e->local, bci, bci);
    if (c->was_stored && c->variable && name)
        ses_java_chain_add(c, SES_ORIGIN_COPY, "assigned from %s to %s", name, c->variable);
    ses_java_chain_go_on(c, (ses_java_datum){.kind = SES_JAVA_LOCAL, .thread = thread, .frame = frame->id, .slot = e->local});
}

static void follow_store(ses_java_chain *c, machine_tid thread, const java_frame *frame, const java_effect *e)
{
    unsigned bci = java_place_bci(frame->place);
    ses_java_chain_go_on(c, ses_java_stack_slot(thread, frame->id, e->depth - e->pops));
    c->was_stored = true;
    c->variable = ses_java_chain_variable(c, frame->place, e->local, bci, bci + e->nbytes);
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
    case JAVA_EFFECT_NEW: ses_java_tell_allocation(c, &e); return EBB_OK;
    case JAVA_EFFECT_FIELD_READ:
    case JAVA_EFFECT_STATIC_READ: return ses_java_follow_field(c, thread, frame, &e, err);
    case JAVA_EFFECT_ELEMENT_READ: ses_java_follow_element(c, thread, &e); return EBB_OK;
    case JAVA_EFFECT_CALL: return ses_java_follow_return(c, thread, frame, &e, err);
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
        return ses_java_follow_parameter(c, at, err);
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
        return ses_java_follow_return_of(c, thread, &at.frame, &at.caller, err);
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
        return ses_java_follow_caught(c, c->datum.thread, err);
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

/* ---- all of it --------------------------------------------------------------------------------------- */

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
        EBB_TRY(c->datum.kind == SES_JAVA_CELL ? ses_java_follow_cell(c, err) : follow_slot(c, err));
    }
    return EBB_OK;
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
    return ses_java_chain_as_known(&c, err);
}
