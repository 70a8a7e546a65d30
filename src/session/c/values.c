/* values.c - values of a native program that outlive their evaluation: the history's, the convenience variables',
 * those that watchpoints saw last. */
#include "session/c/scratch.h"
#include "session/c/c.h"
#include "session/c/world.h"
#include "session/convenience.h"
#include "session/printed.h"

#include <string.h>

static sym_type *basic(session *s, const char *name)
{
    return sym_types_basic(sym_table_types(s->symbols), name);
}

static void *keep(const expr_value *value)
{
    expr_value *kept = EBB_NEW(expr_value);
    *kept = expr_value_keep(value);
    return kept;
}

void ses_c_value_drop(void *value)
{
    expr_value_drop(value);
    free(value);
}

void *ses_c_value_of_int(session *s, int64_t number)
{
    ebb_arena arena = {0};
    expr_value value = expr_value_of_u64(&arena, basic(s, "int"), (uint64_t)number);
    void *kept = keep(&value);
    ebb_arena_fini(&arena);
    return kept;
}

bool ses_c_value_same(const void *a, const void *b)
{
    const expr_value *old = a, *new = b;
    if (old->is_optimized_out || new->is_optimized_out)
        return old->is_optimized_out && new->is_optimized_out;
    return memcmp(old->bytes, new->bytes, sym_type_size(new->type)) == 0;
}

bool ses_c_value_is_at(const void *value, uint32_t space, uint64_t addr, size_t nbytes)
{
    const expr_place *place = &((const expr_value *)value)->place;
    (void)space;
    return place->kind == EXPR_PLACE_MEMORY && place->addr - addr < nbytes;
}

uint64_t ses_c_value_bits(const void *value, uint64_t addr, size_t nbytes)
{
    const expr_place *place = &((const expr_value *)value)->place;
    uint64_t first = place->addr + place->bit_offset / 8 - addr, shift = 8 * first + place->bit_offset % 8;
    bool is_within = place->kind == EXPR_PLACE_MEMORY && place->nbits && nbytes <= sizeof(uint64_t) && first < nbytes && shift + place->nbits <= 8 * nbytes;
    return is_within ? UINT64_MAX >> (64 - place->nbits) << shift : 0;
}

static char *text_of(session *s, const expr_value *value, const expr_format *format)
{
    ebb_arena arena = {0};
    ebb_buf text = {0};
    ebb_error why;
    expr_value copy = *value;
    if (expr_print_top(&arena, ses_world(s), format, &copy, &text, &why) != EBB_OK)
        ebb_buf_addf(&text, "<error: %s>", why.text);
    ebb_arena_fini(&arena);
    return text.data ? ebb_buf_take(&text) : ebb_strdup("");
}

char *ses_c_value_text(session *s, const void *value)
{
    expr_format format = ses_default_format(s);
    return text_of(s, value, &format);
}

/* What is watched. */
typedef struct watch_target {
    sym_type *type; /* of a place: what is there, good as long as the symbols are; else NULL */
    char *expression; /* owned */
    expr_place field; /* of a place that is a bit-field, which no expression of an address names; else of no bits */
    expr_format format; /* of a place: as it was when that was asked for, for millions of values */
} watch_target;

void ses_c_watch_drop(void *target)
{
    free(((watch_target *)target)->expression);
    free(target);
}

ebb_status ses_c_watch_value(session *s, const void *target, void **kept, ebb_error *err)
{
    ebb_arena arena = {0};
    expr_value value;
    const watch_target *aim = target;
    ebb_status status = EBB_OK;
    if (aim->field.nbits)
        value = (expr_value){.type = aim->type, .place = aim->field, .is_lazy = true};
    else
        status = ses_evaluate_aside(s, &arena, aim->expression, &value, err);
    if (status == EBB_OK)
        status = expr_value_fetch(&arena, ses_world(s), &value, err);
    if (status == EBB_OK)
        *kept = keep(&value);
    ebb_arena_fini(&arena);
    return status;
}

/* watch -l: the place that the expression names now, whatever it will name later. */
static ebb_status location(session *s, const char *expression, watch_target *out, ebb_error *err)
{
    ebb_arena arena = {0};
    expr_value value;
    ebb_buf type = {0};
    ebb_status status = ses_evaluate_aside(s, &arena, expression, &value, err);
    if (status == EBB_OK && value.place.kind != EXPR_PLACE_MEMORY)
        status = ebb_fail(err, EBB_BAD_INPUT,
                          "Value is not an lvalue in memory, so it has no location to watch.");
    if (status == EBB_OK) {
        sym_type_print(sym_type_pointer_to(sym_table_types(s->symbols), value.type), &type);
        out->type = value.type;
        out->format = ses_default_format(s);
        out->field = (expr_place){.kind = value.place.kind, .addr = value.place.addr, .bit_offset = value.place.bit_offset, .nbits = value.place.nbits};
        out->expression = ebb_asprintf("* (%s) 0x%lx", ebb_buf_text(&type), (unsigned long)value.place.addr);
    }
    ebb_buf_fini(&type);
    ebb_arena_fini(&arena);
    return status;
}

ebb_status ses_c_watch_aim(session *s, const char *expression, bool at_location, void **target,
                           ebb_error *err)
{
    watch_target aim = {0};
    if (at_location)
        EBB_TRY(location(s, expression, &aim, err));
    else
        aim.expression = ebb_strdup(expression);
    watch_target *kept = EBB_NEW(watch_target);
    *kept = aim;
    *target = kept;
    return EBB_OK;
}

/* What is printed of it depends on the bytes alone: of a pointer to text, the text is. */
static bool is_told_by_bytes(sym_type *type)
{
    sym_type *t = sym_type_strip(type), *to = t->kind == SYM_TYPE_POINTER && t->target ? sym_type_strip(t->target) : NULL;
    if (to)
        return !sym_type_is_integral(to) || sym_type_size(to) > 4;
    return (sym_type_is_integral(t) || t->kind == SYM_TYPE_FLOAT) && !sym_type_is_reference(type);
}

bool ses_c_watch_is_told(session *s, const void *target, bool *is_reference)
{
    const watch_target *aim = target;
    sym_type *type = aim->type;
    *is_reference = false;
    return type && !aim->field.nbits && sym_type_size(type) <= sizeof((machine_listed *)0)->is && is_told_by_bytes(type);
}

/* Who asks begins where the frame does, so it is there. */
ebb_status ses_c_watch_text(session *s, const void *target, const machine_listed *hit, char **text, ebb_error *err)
{
    uint64_t bytes = hit->is;
    const watch_target *aim = target;
    expr_value value = {.type = aim->type, .bytes = (uint8_t *)&bytes};
    *text = text_of(s, &value, &aim->format);
    return EBB_OK;
}

/* ---- history and convenience variables ------------------------------------------------------ */

int ses_c_printed_add(session *s, const expr_value *value)
{
    return ses_printed_add(s, keep(value));
}

static void value_or_void(session *s, const expr_value *kept, expr_value *value)
{
    *value = kept ? *kept : (expr_value){.type = basic(s, "void")};
}

ebb_status ses_c_printed_get(session *s, long index, bool from_end, expr_value *value, ebb_error *err)
{
    const void *kept;
    EBB_TRY(ses_printed_get(s, index, from_end, &kept, err));
    value_or_void(s, kept, value);
    return EBB_OK;
}

void ses_c_convenience_set(session *s, const char *name, const expr_value *value)
{
    ses_convenience_set(s, name, keep(value));
}

void ses_c_convenience_get(session *s, ebb_arena *arena, const char *name, expr_value *value)
{
    int64_t number;
    if (ses_convenience_computed(s, name, &number))
        *value = expr_value_of_u64(arena, basic(s, "int"), (uint64_t)number);
    else
        value_or_void(s, ses_convenience_get(s, name), value);
}
