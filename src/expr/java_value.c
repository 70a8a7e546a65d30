/* java_value.c - making values, looking into boxes, and conversions between primitives. */
#include "expr/java_eval.h"

#include <math.h>
#include <string.h>

java_value java_integer(java_ev *ev, char code, int64_t i)
{
    return (java_value){.type = java_type_of_code(ev, code), .i = i};
}

java_value java_real(java_ev *ev, char code, double d)
{
    return (java_value){.type = java_type_of_code(ev, code), .d = d};
}

java_value java_boolean(java_ev *ev, bool is_true)
{
    return java_integer(ev, 'Z', is_true);
}

java_value java_text(java_ev *ev, const char *text)
{
    return (java_value){.type = java_type_of(ev, "Ljava/lang/String;"), .text = text};
}

bool java_is_null(const java_value *value)
{
    return value->ref == 0 && !value->text;
}

const java_type *java_dynamic_type(java_ev *ev, const java_value *value)
{
    const java_type *type;
    if (!java_is_reference(java_letter(ev, value->type)) || value->ref == 0)
        return value->type;
    return ev->world->class_of(ev->world->self, value->ref, &type, NULL) == EBB_OK ? type : value->type;
}

/* ---- boxes -------------------------------------------------------------------------------------- */

char java_primitive_code(java_ev *ev, const java_value *value)
{
    char code = java_letter(ev, value->type);
    if (!java_is_reference(code))
        return code == 'V' ? 0 : code;
    code = java_unboxed_code(ev, value->type);
    return code || value->ref == 0 ? code : java_unboxed_code(ev, java_dynamic_type(ev, value));
}

static ebb_status fail_not_primitive(java_ev *ev, const java_value *value)
{
    if (java_letter(ev, value->type) == 'V')
        return ebb_fail(ev->err, EBB_BAD_INPUT, "'void' type not allowed here");
    return ebb_fail(ev->err, EBB_BAD_INPUT, "incompatible types: %s is no number, character or boolean",
                    java_type_text(ev, value->type));
}

ebb_status java_unbox(java_ev *ev, const java_value *value, java_value *out)
{
    *out = *value;
    out->place = JAVA_PLACE_NONE;
    char code = java_primitive_code(ev, value);
    if (!code)
        return fail_not_primitive(ev, value);
    if (!java_is_reference(java_letter(ev, value->type)))
        return EBB_OK;
    if (java_is_null(value)) {
        *out = (java_value){.type = java_type_of_code(ev, code)};
        if (ev->types_only)
            return EBB_OK;
        return ebb_fail(ev->err, EBB_BAD_INPUT, "Cannot take the value out of a %s that is null",
                        java_type_text(ev, value->type));
    }
    const java_member *field = java_find_field(ev, java_box_type(ev, code), "value");
    if (!field)
        return ebb_fail(ev->err, EBB_UNSUPPORTED, "A %s without a field \"value\".", java_type_text(ev, value->type));
    ebb_status status = java_get_field(ev, value->ref, field, out);
    out->place = JAVA_PLACE_NONE;
    return status;
}

/* ---- primitives among each other ----------------------------------------------------------------- */

bool java_widens(char from, char to)
{
    static const char order[] = "BSIJFD";
    if (from == to)
        return true;
    const char *a = from ? strchr(order, from == 'C' ? 'S' : from) : NULL, *b = to ? strchr(order, to) : NULL;
    return a && b && a < b;
}

/* JLS 5.1.3: NaN is 0, and what doesn't fit the nearest that does. */
static int64_t real_to_integer(double d, bool is_long)
{
    double top = is_long ? 0x1p63 : 0x1p31;
    if (isnan(d))
        return 0;
    if (d >= top)
        return is_long ? INT64_MAX : INT32_MAX;
    if (d <= -top)
        return is_long ? INT64_MIN : INT32_MIN;
    return (int64_t)d;
}

static int64_t narrow(int64_t i, char to)
{
    switch (to) {
    case 'Z': return i & 1;
    case 'B': return (int8_t)i;
    case 'S': return (int16_t)i;
    case 'C': return (uint16_t)i;
    case 'I': return (int32_t)i;
    default: return i;
    }
}

java_value java_convert_primitive(java_ev *ev, const java_value *value, char to)
{
    char from = java_letter(ev, value->type);
    bool is_real = from == 'F' || from == 'D';
    if (to == 'D')
        return java_real(ev, to, is_real ? value->d : (double)value->i);
    if (to == 'F')
        return java_real(ev, to, is_real ? (float)value->d : (float)value->i);
    return java_integer(ev, to, narrow(is_real ? real_to_integer(value->d, to == 'J') : value->i, to));
}
