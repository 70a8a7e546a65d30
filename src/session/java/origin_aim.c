/* origin_aim.c - what is asked about: the value of an expression, of a slot or of an element. */
#include "session/java/origin_steps.h"
#include "session/counted.h"
#include "session/stack.h"

#include <string.h>

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
    EBB_TRY(ses_java_evaluate_text(c->s, c->arena, "this", &value, err));
    set_value(c, &value);
    return aim_at_local(c, 0, err);
}

static ebb_status aim_at(ses_java_chain *c, const char *expression, ebb_error *err)
{
    java_value place;
    if (strcmp(expression, "this") == 0)
        return aim_at_this(c, err);
    EBB_TRY(ses_java_place_of(c->s, expression, &place, err));
    set_value(c, &place);
    switch (place.place) {
    case JAVA_PLACE_LOCAL: return aim_at_local(c, (unsigned)place.which, err);
    case JAVA_PLACE_FIELD:
    case JAVA_PLACE_STATIC: return ses_java_chain_field(c, place.which, place.holder, &c->datum) ? EBB_OK : no_place(expression, err);
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
    if (!ses_java_chain_frame(c, slot->thread, slot->frame, &at) || !ses_java_chain_stack(c, slot->thread, at.level, slot->slot, &bits))
        return false;
    if (!ses_java_slot_value(c->s, type, bits, &value))
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
                 ses_java_slot_value(c->s, 'L', element.items[0].ref, &value);
    ebb_vec_fini(&element);
    if (!there)
        return false;
    c->datum = (ses_java_datum){.kind = SES_JAVA_CELL, .holder = array, .addr = array + SES_JAVA_ARRAY_BASE + (uint64_t)index * sizeof(java_ref)};
    set_value(c, &value);
    return true;
}

ebb_status ses_java_chain_aim(ses_java_chain *c, const char *expression, ebb_error *err)
{
    const char *text = ebb_text_skip_space(expression);
    if (ses_is_counted(c->s))
        return ebb_fail(err, EBB_UNSUPPORTED, "A stock JVM doesn't tell who wrote a value: run the program on ebb's own Java machine.");
    return *text ? aim_at(c, text, err) : ses_java_chain_aim_at_culprit(c, err);
}
