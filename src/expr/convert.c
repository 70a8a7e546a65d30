/* convert.c - C's conversions: casts, assignment, truth, decay. */
#include "expr/cplus.h"
#include "expr/number.h"

#include <string.h>

static bool is_kind(const expr_value *value, sym_type_kind kind)
{
    return sym_type_strip(value->type)->kind == kind;
}

/* ---- decay ----------------------------------------------------------------------------------- */

/* The address of an array's first element; it is given one if it has none. */
static ebb_status array_address(expr_ev *ev, expr_value *value, uint64_t *addr)
{
    *addr = value->place.addr;
    if (value->place.kind == EXPR_PLACE_MEMORY || ev->types_only)
        return EBB_OK;
    ebb_status status = expr_ev_fetch(ev, value);
    if (status)
        return status;
    return ev->world->place_bytes(ev->world->self, value->bytes, (size_t)sym_type_size(value->type),
                                  addr, ev->err);
}

ebb_status expr_ev_decay(expr_ev *ev, expr_value *value)
{
    sym_type *type = sym_type_strip(value->type);
    if (type->kind != SYM_TYPE_ARRAY && type->kind != SYM_TYPE_FUNCTION)
        return EBB_OK;
    uint64_t addr;
    ebb_status status = array_address(ev, value, &addr);
    if (status)
        return status;
    sym_type *target = type->kind == SYM_TYPE_ARRAY ? type->target : value->type;
    *value = expr_value_of_u64(ev->arena, sym_type_pointer_to(ev->world->types, target), addr);
    return EBB_OK;
}

/* ---- as a number ----------------------------------------------------------------------------- */

ebb_status expr_ev_to_bool(expr_ev *ev, expr_value *value, bool *out)
{
    ebb_status status = expr_ev_decay(ev, value);
    if (!status)
        status = expr_ev_fetch(ev, value);
    if (status)
        return status;
    *out = false;
    if (expr_type_is_number(value->type)) {
        expr_number number = expr_number_load(value->type, value->bytes);
        *out = !expr_number_is_zero(&number);
        return EBB_OK;
    }
    if (expr_type_is_complex(value->type)) {
        *out = !expr_complex_is_zero(value);
        return EBB_OK;
    }
    if (!is_kind(value, SYM_TYPE_POINTER))
        return ebb_fail(ev->err, EBB_BAD_INPUT,
                        "Attempt to take the truth of a value that is not a number or pointer.");
    for (size_t i = 0; i < sym_type_size(value->type); i++)
        *out |= value->bytes[i] != 0;
    return EBB_OK;
}

ebb_status expr_ev_to_u64(expr_ev *ev, expr_value *value, uint64_t *out)
{
    *out = 0;
    if (is_kind(value, SYM_TYPE_ARRAY) || is_kind(value, SYM_TYPE_FUNCTION)) {
        if (value->place.kind != EXPR_PLACE_MEMORY)
            return ebb_fail(ev->err, EBB_BAD_INPUT,
                            "Attempt to take address of value not located in memory.");
        *out = value->place.addr;
        return EBB_OK;
    }
    ebb_status status = expr_ev_fetch(ev, value);
    if (status)
        return status;
    if (expr_type_is_number(value->type)) {
        sym_type *wide = sym_types_basic(ev->world->types, "__int128");
        expr_number number = expr_number_load(value->type, value->bytes);
        *out = (uint64_t)(number.is_real ? expr_number_convert(number, wide).bits : number.bits);
        return EBB_OK;
    }
    bool is_pointer = is_kind(value, SYM_TYPE_POINTER) || is_kind(value, SYM_TYPE_MEMBER_POINTER); /* that to a function has two words */
    if (!is_pointer || sym_type_size(value->type) != sizeof *out)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "Value can't be converted to integer.");
    memcpy(out, value->bytes, sizeof *out);
    return EBB_OK;
}

ebb_status expr_value_to_u64(ebb_arena *arena, const expr_world *world, expr_value *value,
                             uint64_t *out, ebb_error *err)
{
    expr_ev ev = {.arena = arena, .world = world, .err = err};
    return expr_ev_to_u64(&ev, value, out);
}

ebb_status expr_value_to_bool(ebb_arena *arena, const expr_world *world, expr_value *value,
                              bool *out, ebb_error *err)
{
    expr_ev ev = {.arena = arena, .world = world, .err = err};
    return expr_ev_to_bool(&ev, value, out);
}

/* ---- casts ----------------------------------------------------------------------------------- */

static ebb_status fail_cast(expr_ev *ev)
{
    return ebb_fail(ev->err, EBB_BAD_INPUT, "Invalid cast.");
}

static ebb_status cast_to_pointer(expr_ev *ev, sym_type *to, expr_value *value, expr_value *out)
{
    uint64_t addr;
    if (is_kind(value, SYM_TYPE_FLOAT) || is_kind(value, SYM_TYPE_COMPLEX))
        return fail_cast(ev);
    ebb_status status = EBB_OK;
    if (is_kind(value, SYM_TYPE_POINTER) && !ev->types_only)
        status = expr_value_fetch(ev->arena, ev->world, value, ev->err);
    if (!status && value->is_optimized_out && !ev->types_only) { /* nothing, of another type */
        *out = (expr_value){.type = to, .is_optimized_out = true};
        return EBB_OK;
    }
    if (!status)
        status = expr_ev_to_u64(ev, value, &addr);
    if (!status && is_kind(value, SYM_TYPE_POINTER))
        status = expr_class_cast(ev, sym_type_strip(to)->target, sym_type_strip(value->type)->target, &addr);
    if (status)
        return status;
    *out = expr_value_of_u64(ev->arena, to, addr);
    return EBB_OK;
}

static ebb_status cast_to_number(expr_ev *ev, sym_type *to, expr_value *value, expr_value *out)
{
    expr_number number;
    if (is_kind(value, SYM_TYPE_POINTER) || is_kind(value, SYM_TYPE_MEMBER_POINTER)) {
        uint64_t addr;
        ebb_status status = expr_ev_to_u64(ev, value, &addr);
        if (status)
            return status;
        number = (expr_number){.type = expr_ev_basic(ev, "unsigned long"), .bits = addr};
    } else if (expr_type_is_number(value->type)) {
        ebb_status status = expr_ev_fetch(ev, value);
        if (status)
            return status;
        number = expr_number_load(value->type, value->bytes);
    } else {
        return fail_cast(ev);
    }
    number = expr_number_convert(number, to);
    *out = expr_number_store(ev->arena, &number, to);
    return EBB_OK;
}

/* A complex number from a real one, or from one of another precision. */
static ebb_status cast_to_complex(expr_ev *ev, sym_type *to, expr_value *value, expr_value *out)
{
    if (!expr_type_is_complex(to) || (!expr_type_is_number(value->type) && !expr_type_is_complex(value->type)))
        return fail_cast(ev);
    ebb_status status = expr_ev_fetch(ev, value);
    if (!status)
        *out = expr_ev_to_complex(ev, value, to);
    return status;
}

/* C drops the imaginary part; for _Bool it counts. */
static ebb_status cast_from_complex(expr_ev *ev, sym_type *to, expr_value *value, expr_value *out)
{
    bool is_true;
    ebb_status status = expr_ev_to_bool(ev, value, &is_true);
    if (status)
        return status;
    if (sym_type_strip(to)->kind == SYM_TYPE_BOOL) {
        *out = expr_value_of_u64(ev->arena, to, is_true);
        return EBB_OK;
    }
    expr_value real = expr_complex_part(ev, value, false);
    return cast_to_number(ev, to, &real, out);
}

/* The same bytes seen as another type: what gdb does for structs and arrays in memory. */
static ebb_status reinterpret(expr_ev *ev, sym_type *to, const expr_value *value, expr_value *out)
{
    if (value->place.kind != EXPR_PLACE_MEMORY || value->place.nbits ||
        sym_type_strip(to)->kind == SYM_TYPE_FUNCTION)
        return fail_cast(ev);
    *out = expr_value_at(to, value->place.addr);
    return EBB_OK;
}

ebb_status expr_ev_cast(expr_ev *ev, sym_type *to, expr_value *value, expr_value *out)
{
    sym_type *target = sym_type_strip(to);
    if (target->kind == SYM_TYPE_VOID) {
        *out = (expr_value){.type = to};
        return EBB_OK;
    }
    if (is_kind(value, SYM_TYPE_UNKNOWN))
        return reinterpret(ev, to, value, out);
    bool to_scalar = target->kind == SYM_TYPE_POINTER || expr_type_is_number(target);
    bool from_aggregate = is_kind(value, SYM_TYPE_STRUCT) || is_kind(value, SYM_TYPE_UNION);
    if (target->kind == SYM_TYPE_COMPLEX && !sym_type_same(target, value->type))
        return cast_to_complex(ev, to, value, out);
    if (expr_type_is_number(target) && expr_type_is_complex(value->type))
        return cast_from_complex(ev, to, value, out);
    if (!to_scalar && sym_type_same(target, value->type)) {
        *out = *value;
        out->type = to;
        return EBB_OK;
    }
    if (!to_scalar || from_aggregate)
        return reinterpret(ev, to, value, out);
    ebb_status status = expr_ev_decay(ev, value);
    if (status)
        return status;
    return target->kind == SYM_TYPE_POINTER ? cast_to_pointer(ev, to, value, out)
                                            : cast_to_number(ev, to, value, out);
}

/* buf = "abc": the array takes as much as there is, and zeros. */
static bool is_shorter_text(sym_type *target, const expr_value *value)
{
    sym_type *from = sym_type_strip(value->type);
    return target->kind == SYM_TYPE_ARRAY && from->kind == SYM_TYPE_ARRAY && from->nbytes && from->nbytes < target->nbytes &&
           sym_type_size(from->target) == sym_type_size(target->target) && sym_type_strip(target->target)->kind == SYM_TYPE_CHAR;
}

static expr_value padded(expr_ev *ev, sym_type *to, const expr_value *text)
{
    uint8_t *bytes = ebb_arena_alloc(ev->arena, (size_t)sym_type_size(to));
    memset(bytes, 0, (size_t)sym_type_size(to));
    memcpy(bytes, text->bytes, (size_t)sym_type_size(text->type));
    return (expr_value){.type = to, .bytes = bytes};
}

ebb_status expr_ev_convert_for_assignment(expr_ev *ev, sym_type *to, expr_value *value,
                                          expr_value *out)
{
    sym_type *target = sym_type_strip(to);
    if (target->kind == SYM_TYPE_POINTER || expr_type_is_number(target)) {
        if (is_kind(value, SYM_TYPE_STRUCT) || is_kind(value, SYM_TYPE_UNION))
            return fail_cast(ev);
        return expr_ev_cast(ev, to, value, out);
    }
    if (target->kind == SYM_TYPE_COMPLEX && !sym_type_same(target, value->type))
        return cast_to_complex(ev, to, value, out);
    if (is_shorter_text(target, value)) {
        ebb_status status = expr_ev_fetch(ev, value);
        if (!status)
            *out = padded(ev, to, value);
        return status;
    }
    bool is_object = sym_type_is_aggregate(target) || target->kind == SYM_TYPE_COMPLEX;
    if (!is_object || !is_kind(value, target->kind) ||
        sym_type_size(to) != sym_type_size(value->type))
        return fail_cast(ev);
    *out = *value;
    out->type = to;
    return EBB_OK;
}
