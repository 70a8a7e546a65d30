/* rust.c - see rust.h. */
#include "expr/rust.h"

#include <string.h>

/* ---- what a value holds -------------------------------------------------------------------------- */

typedef enum held { HELD_NOTHING, HELD_SLICE, HELD_TEXT, HELD_VEC } held;

typedef struct elements {
    sym_type *type;
    uint64_t first, count;
} elements;

static bool part(ebb_arena *arena, const expr_value *object, const char *name, expr_value *out)
{
    sym_member member;
    sym_type *type = sym_type_strip(object->type);
    if (type->kind != SYM_TYPE_STRUCT || !sym_type_find_member(type, name, &member))
        return false;
    *out = expr_value_part(arena, object, member.type, member.offset, 0, 0);
    return true;
}

static bool number_of(ebb_arena *arena, const expr_world *world, expr_value *value, uint64_t *out)
{
    uint64_t nbytes = sym_type_size(value->type);
    if (nbytes > sizeof *out || expr_value_fetch(arena, world, value, NULL) != EBB_OK || !value->bytes || value->is_optimized_out || value->missing)
        return false;
    *out = 0;
    memcpy(out, value->bytes, nbytes);
    return true;
}

static bool number(ebb_arena *arena, const expr_world *world, const expr_value *object, const char *name, uint64_t *out)
{
    expr_value value;
    return part(arena, object, name, &value) && number_of(arena, world, &value, out);
}

/* A Vec's pointer is wrapped in structs whose number has changed over the years: the innermost `pointer` it is. */
static bool find_pointer(ebb_arena *arena, const expr_value *object, int depth, expr_value *out)
{
    enum { MAX_WRAPS = 8 };
    sym_type *type = sym_type_strip(object->type);
    for (size_t i = 0; depth < MAX_WRAPS && type->kind == SYM_TYPE_STRUCT && i < type->n_members; i++) {
        const sym_member *m = &type->members[i];
        expr_value inner = expr_value_part(arena, object, m->type, m->offset, 0, 0);
        bool is_pointer = m->name && strcmp(m->name, "pointer") == 0 && sym_type_strip(m->type)->kind == SYM_TYPE_POINTER;
        if (is_pointer)
            *out = inner;
        if (is_pointer || find_pointer(arena, &inner, depth + 1, out))
            return true;
    }
    return false;
}

static bool starts(const char *name, const char *with)
{
    return name && strncmp(name, with, strlen(with)) == 0;
}

static held kind_of(const sym_type *type)
{
    if (starts(type->name, "&str") || starts(type->name, "&mut str"))
        return HELD_TEXT;
    if (starts(type->name, "&[") || starts(type->name, "&mut ["))
        return HELD_SLICE;
    if (starts(type->name, "alloc::vec::Vec<"))
        return HELD_VEC;
    return type->name && strcmp(type->name, "alloc::string::String") == 0 ? HELD_TEXT : HELD_NOTHING;
}

static bool vec_elements(ebb_arena *arena, const expr_world *world, const expr_value *vec, elements *out)
{
    sym_type *type = sym_type_strip(vec->type);
    expr_value pointer;
    out->type = type->n_template_types ? type->template_types[0].type : NULL;
    return out->type && number(arena, world, vec, "len", &out->count) && find_pointer(arena, vec, 0, &pointer) &&
           number_of(arena, world, &pointer, &out->first);
}

static bool slice_elements(ebb_arena *arena, const expr_world *world, const expr_value *slice, elements *out)
{
    expr_value pointer;
    if (!part(arena, slice, "data_ptr", &pointer))
        return false;
    out->type = sym_type_strip(pointer.type)->target;
    return out->type && number_of(arena, world, &pointer, &out->first) && number(arena, world, slice, "length", &out->count);
}

static bool elements_of(ebb_arena *arena, const expr_world *world, const expr_value *object, elements *out)
{
    expr_value vec;
    switch (kind_of(sym_type_strip(object->type))) {
    case HELD_NOTHING: return false;
    case HELD_VEC: return vec_elements(arena, world, object, out);
    default:
        return part(arena, object, "vec", &vec) ? vec_elements(arena, world, &vec, out) : slice_elements(arena, world, object, out);
    }
}

bool expr_rust_element(expr_ev *ev, const expr_value *container, uint64_t i, expr_value *out)
{
    elements e;
    sym_type *type = sym_type_strip(container->type);
    if (!type->is_rust || !elements_of(ev->arena, ev->world, container, &e) || i >= e.count)
        return false;
    *out = expr_value_at(e.type, e.first + i * sym_type_size(e.type));
    return true;
}

bool expr_rust_count(expr_ev *ev, const expr_value *container, uint64_t *n)
{
    elements e;
    sym_type *type = sym_type_strip(container->type);
    if (!type->is_rust || !elements_of(ev->arena, ev->world, container, &e))
        return false;
    *n = kind_of(type) == HELD_TEXT ? 0 : e.count;
    return true;
}

/* ---- enums --------------------------------------------------------------------------------------- */

static const sym_variant *variant_of(ebb_arena *arena, const expr_world *world, const expr_value *value)
{
    sym_type *type = sym_type_strip(value->type);
    uint64_t discriminant = 0;
    if (type->discriminant.type) {
        expr_value told = expr_value_part(arena, value, type->discriminant.type, type->discriminant.offset, 0, 0);
        if (!number_of(arena, world, &told, &discriminant))
            return NULL;
    }
    return sym_type_find_variant(type, discriminant);
}

/* Where only types are asked for, any form that has such a member. */
static const sym_variant *variant_with(const sym_type *type, const char *member)
{
    sym_member found;
    for (size_t i = 0; i < type->n_variants; i++)
        if (sym_type_find_member(type->variants[i].member.type, member, &found))
            return &type->variants[i];
    return NULL;
}

ebb_status expr_rust_form(expr_ev *ev, const char *member, expr_value *value)
{
    sym_type *type = sym_type_strip(value->type);
    if (!type->n_variants)
        return EBB_OK;
    const sym_variant *variant = ev->types_only ? variant_with(type, member) : variant_of(ev->arena, ev->world, value);
    if (!variant)
        return ebb_fail(ev->err, EBB_NOT_FOUND, "There is no member named %.200s.", member);
    *value = expr_value_part(ev->arena, value, variant->member.type, variant->member.offset, 0, 0);
    return EBB_OK;
}

/* ---- shown --------------------------------------------------------------------------------------- */

static void new_line(expr_printer *printer, unsigned depth)
{
    ebb_buf_addf(printer->out, "\n%*s", (int)(2 * depth), "");
}

/* "(1, 2)" or "{x: 1, y: 2}"; each field on a line of its own if `is_pretty`. */
static ebb_status print_fields(expr_printer *printer, const expr_value *value, bool is_pretty, unsigned depth)
{
    sym_type *type = sym_type_strip(value->type);
    bool is_tuple = sym_type_is_tuple(type);
    ebb_buf_addc(printer->out, is_tuple ? '(' : '{');
    for (size_t i = 0; i < type->n_members; i++) {
        const sym_member *m = &type->members[i];
        ebb_buf_adds(printer->out, i == 0 ? "" : is_pretty ? "," : ", ");
        if (is_pretty)
            new_line(printer, depth + 1);
        if (!is_tuple)
            ebb_buf_addf(printer->out, "%s: ", m->name ? m->name : "");
        expr_value field = expr_value_part(printer->arena, value, m->type, m->offset, m->bit_offset, m->nbits);
        EBB_TRY(expr_print_value(printer, &field, depth + 1));
    }
    if (is_pretty)
        new_line(printer, depth);
    ebb_buf_addc(printer->out, is_tuple ? ')' : '}');
    return EBB_OK;
}

static ebb_status print_enum(expr_printer *printer, const expr_value *value, unsigned depth)
{
    sym_type *type = sym_type_strip(value->type);
    const sym_variant *variant = variant_of(printer->arena, printer->world, value);
    if (!variant) { /* RU2 */
        ebb_buf_addf(printer->out, "%s::<unknown form>", type->name ? type->name : "");
        return EBB_OK;
    }
    expr_value form = expr_value_part(printer->arena, value, variant->member.type, variant->member.offset, 0, 0);
    sym_type *fields = sym_type_strip(form.type);
    ebb_buf_adds(printer->out, fields->name ? fields->name : "");
    return fields->n_members ? print_fields(printer, &form, false, depth) : EBB_OK;
}

static bool print_text(expr_printer *printer, const elements *e)
{
    const expr_world *world = printer->world;
    uint64_t limit = printer->format->elements_limit ? printer->format->elements_limit : 1 << 20;
    uint64_t n = e->count < limit ? e->count : limit;
    uint8_t *bytes = ebb_arena_alloc(printer->arena, n + 1);
    if (n && world->read(world->self, e->first, bytes, n, NULL) != EBB_OK)
        return false;
    expr_print_text(printer, sym_types_basic(world->types, "char"), bytes, n, n < e->count);
    return true;
}

/* Nothing printed if it can't be read: it is shown as the struct that it is then. */
static bool print_held(expr_printer *printer, const expr_value *value, held kind, unsigned depth)
{
    elements e;
    sym_type *type = sym_type_strip(value->type);
    if (!elements_of(printer->arena, printer->world, value, &e))
        return false;
    if (kind == HELD_TEXT)
        return print_text(printer, &e);
    size_t before = printer->out->n;
    if (kind == HELD_VEC)
        ebb_buf_addf(printer->out, "Vec(size=%llu) = ", (unsigned long long)e.count);
    else
        ebb_buf_addf(printer->out, "%s ", type->name);
    if (e.count == 0) {
        ebb_buf_adds(printer->out, "[]");
        return true;
    }
    uint64_t nbytes;
    bool fits = !__builtin_mul_overflow(e.count, sym_type_size(e.type), &nbytes);
    expr_value array = expr_value_at(sym_type_array_of(printer->world->types, e.type, e.count), e.first);
    if (fits && expr_print_value(printer, &array, depth) == EBB_OK)
        return true;
    ebb_buf_truncate(printer->out, before);
    return false;
}

ebb_status expr_print_rust(expr_printer *printer, expr_value *value, unsigned depth)
{
    enum { MAX_DEPTH = 100 };
    sym_type *type = sym_type_strip(value->type);
    unsigned limit = printer->format->depth_limit;
    if ((limit && depth >= limit) || depth >= MAX_DEPTH) {
        ebb_buf_adds(printer->out, "{...}");
        return EBB_OK;
    }
    held kind = kind_of(type);
    bool is_natural = !printer->format->letter || printer->format->letter == 's';
    bool shows_held = kind == HELD_SLICE || kind == HELD_VEC || (kind == HELD_TEXT && is_natural);
    if (shows_held && printer->format->letter != 'r' && !printer->format->raw && print_held(printer, value, kind, depth))
        return EBB_OK;
    if (type->n_variants)
        return print_enum(printer, value, depth);
    bool is_bare_tuple = type->name && *type->name == '(';
    if (!is_bare_tuple && type->name)
        ebb_buf_addf(printer->out, "%s%s", type->name, type->n_members ? " " : "");
    if (!type->n_members) {
        ebb_buf_adds(printer->out, is_bare_tuple ? "()" : "");
        return EBB_OK;
    }
    return print_fields(printer, value, printer->format->pretty, depth);
}
