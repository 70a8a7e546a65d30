/* java_convert.c - conversions to a type: by assignment, by a cast, and boxing on the way. */
#include "expr/java_eval.h"

ebb_status java_materialise(java_ev *ev, java_value *value)
{
    if (!value->text || ev->types_only)
        return EBB_OK;
    ebb_status status = ev->world->new_string(ev->world->self, value->text, &value->ref, ev->err);
    if (!status)
        value->text = NULL;
    return status;
}

/* The type that counts: the static one, or the object's where that says more. */
static bool fits(java_ev *ev, const java_value *value, const java_type *to)
{
    return java_is_subtype(ev, value->type, to) ||
           (!java_is_null(value) && java_is_subtype(ev, java_dynamic_type(ev, value), to));
}

static ebb_status fail_incompatible(java_ev *ev, const java_value *value, const java_type *to)
{
    char from = java_letter(ev, value->type), code = java_letter(ev, to);
    if (java_is_numeric(from) && java_is_numeric(code))
        return ebb_fail(ev->err, EBB_BAD_INPUT, "incompatible types: possible lossy conversion from %s to %s",
                        java_type_text(ev, value->type), java_type_text(ev, to));
    return ebb_fail(ev->err, EBB_BAD_INPUT, "incompatible types: %.150s cannot be converted to %.150s",
                    java_type_text(ev, value->type), java_type_text(ev, to));
}

/* valueOf of the box: the program's own cache of small numbers is used, as the program itself would. */
static ebb_status box(java_ev *ev, const java_value *value, java_value *out)
{
    const java_type *type = java_box_type(ev, java_letter(ev, value->type));
    return java_call_simple(ev, type, NULL, "valueOf", value, out);
}

static bool constant_fits(const java_value *value, char to)
{
    switch (to) {
    case 'B': return value->i >= INT8_MIN && value->i <= INT8_MAX;
    case 'S': return value->i >= INT16_MIN && value->i <= INT16_MAX;
    case 'C': return value->i >= 0 && value->i <= UINT16_MAX;
    default: return false;
    }
}

static ebb_status assign_primitive(java_ev *ev, const java_type *to, const java_value *value, bool is_constant, java_value *out)
{
    char code = java_letter(ev, to);
    java_value opened;
    if (!java_primitive_code(ev, value))
        return fail_incompatible(ev, value, to);
    ebb_status status = java_unbox(ev, value, &opened);
    if (status)
        return status;
    char from = java_letter(ev, opened.type);
    bool is_narrowed = is_constant && from != 'J' && java_is_integral(from) && constant_fits(&opened, code);
    if (!java_widens(from, code) && !is_narrowed)
        return fail_incompatible(ev, value, to);
    *out = java_convert_primitive(ev, &opened, code);
    return EBB_OK;
}

ebb_status java_assign_convert(java_ev *ev, const java_type *to, const java_value *value, bool is_constant, java_value *out)
{
    *out = *value;
    out->place = JAVA_PLACE_NONE;
    if (value->closure)
        return java_make_lambda(ev, to, value->closure, out);
    char from = java_letter(ev, value->type), code = java_letter(ev, to);
    if (from == 'V')
        return ebb_fail(ev->err, EBB_BAD_INPUT, "'void' type not allowed here");
    if (!java_is_reference(code))
        return assign_primitive(ev, to, value, is_constant, out);
    if (java_is_reference(from))
        return fits(ev, value, to) ? EBB_OK : fail_incompatible(ev, value, to);
    /* Byte b = 5 narrows first. */
    char wanted = java_unboxed_code(ev, to);
    java_value narrowed = *value;
    if (wanted && wanted != from && is_constant && from == 'I' && constant_fits(value, wanted))
        narrowed = java_convert_primitive(ev, value, wanted);
    if (!java_is_subtype(ev, java_box_type(ev, java_letter(ev, narrowed.type)), to))
        return fail_incompatible(ev, value, to);
    return box(ev, &narrowed, out);
}

/* ---- casts --------------------------------------------------------------------------------------- */

static ebb_status cast_to_primitive(java_ev *ev, const java_type *to, const java_value *value, java_value *out)
{
    char code = java_letter(ev, to), from = java_primitive_code(ev, value);
    bool is_reference = java_is_reference(java_letter(ev, value->type));
    /* Where the static type is no box the object must be exactly the box of that type. */
    bool is_erased = is_reference && !java_unboxed_code(ev, value->type);
    if (!from || (code == 'Z') != (from == 'Z') || (is_reference && !is_erased && !java_widens(from, code)))
        return fail_incompatible(ev, value, to);
    if (is_erased && from != code)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "class %.150s cannot be cast to class %.150s",
                        ev->world->type_name(ev->world->self, java_dynamic_type(ev, value)),
                        ev->world->type_name(ev->world->self, java_box_type(ev, code)));
    java_value opened;
    ebb_status status = java_unbox(ev, value, &opened);
    if (!status)
        *out = java_convert_primitive(ev, &opened, code);
    return status;
}

bool java_are_distinct(java_ev *ev, const java_type *a, const java_type *b)
{
    const java_world *world = ev->world;
    if (java_is_subtype(ev, a, b) || java_is_subtype(ev, b, a))
        return false;
    if (java_letter(ev, a) == '[' && java_letter(ev, b) == '[') {
        const java_type *x = world->element(world->self, a), *y = world->element(world->self, b);
        bool is_primitive = !java_is_reference(java_letter(ev, x)) || !java_is_reference(java_letter(ev, y));
        return is_primitive || java_are_distinct(ev, x, y);
    }
    return world->kind(world->self, a) != JAVA_INTERFACE && world->kind(world->self, b) != JAVA_INTERFACE;
}

static ebb_status cast_reference(java_ev *ev, const java_type *to, const java_value *value, java_value *out)
{
    const java_type *own = java_dynamic_type(ev, value);
    if (java_are_distinct(ev, value->type, to) && (java_is_null(value) || !java_is_subtype(ev, own, to)))
        return fail_incompatible(ev, value, to);
    if (!java_is_null(value) && !java_is_subtype(ev, own, to))
        return ebb_fail(ev->err, EBB_BAD_INPUT, "class %.150s cannot be cast to class %.150s",
                        ev->world->type_name(ev->world->self, own), ev->world->type_name(ev->world->self, to));
    *out = *value;
    out->type = to;
    out->place = JAVA_PLACE_NONE;
    return EBB_OK;
}

ebb_status java_cast(java_ev *ev, const java_type *to, const java_value *value, java_value *out)
{
    if (value->closure)
        return java_make_lambda(ev, to, value->closure, out);
    char from = java_letter(ev, value->type), code = java_letter(ev, to);
    if (from == 'V' || code == 'V')
        return ebb_fail(ev->err, EBB_BAD_INPUT, "'void' type not allowed here");
    if (!java_is_reference(code))
        return cast_to_primitive(ev, to, value, out);
    if (java_is_reference(from))
        return cast_reference(ev, to, value, out);
    ebb_status status = java_assign_convert(ev, to, value, false, out);
    if (!status)
        out->type = to;
    return status;
}

ebb_status java_instance_of(java_ev *ev, const java_value *value, const java_type *type, bool *out)
{
    if (!java_is_reference(java_letter(ev, value->type)) || !java_is_reference(java_letter(ev, type)))
        return ebb_fail(ev->err, EBB_BAD_INPUT, "unexpected type: instanceof wants a reference and a class");
    const java_type *own = java_dynamic_type(ev, value);
    *out = !java_is_null(value) && java_is_subtype(ev, own, type);
    if (!*out && java_are_distinct(ev, value->type, type) && java_letter(ev, value->type) != 'N')
        return fail_incompatible(ev, value, type);
    return EBB_OK;
}
