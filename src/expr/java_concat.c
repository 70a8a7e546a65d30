/* java_concat.c - strings put together with +. */
#include "expr/java_eval.h"
#include "expr/java_text.h"

#include <inttypes.h>

enum { MAX_UNITS = 1 << 20 }; /* of one string: XE2 */

bool java_joins_text(java_ev *ev, const java_value *value)
{
    if (!java_is_reference(java_letter(ev, value->type)))
        return false;
    return java_is_string(ev, value->type) || (value->ref && java_is_string(ev, java_dynamic_type(ev, value)));
}

void java_add_primitive(ebb_buf *text, char code, const java_value *value)
{
    switch (code) {
    case 'Z': ebb_buf_adds(text, value->i ? "true" : "false"); break;
    case 'C': java_text_add(text, (uint16_t)value->i); break;
    case 'F': java_text_add_float(text, (float)value->d); break;
    case 'D': java_text_add_double(text, value->d); break;
    default: ebb_buf_addf(text, "%" PRId64, value->i);
    }
}

static ebb_status add_string(java_ev *ev, uint64_t ref, ebb_buf *text)
{
    java_string string;
    ebb_status status = ev->world->string(ev->world->self, ev->arena, ref, MAX_UNITS, &string, ev->err);
    if (!status)
        java_text_join(text, string.utf8);
    return status;
}

static ebb_status add_value(java_ev *ev, const java_value *value, ebb_buf *text)
{
    char code = java_letter(ev, value->type);
    if (code == 'V')
        return ebb_fail(ev->err, EBB_BAD_INPUT, "'void' type not allowed here");
    if (!java_is_reference(code)) {
        java_add_primitive(text, code, value);
        return EBB_OK;
    }
    if (java_is_null(value) || value->text) {
        java_text_join(text, value->text ? value->text : "null");
        return EBB_OK;
    }
    const java_type *type = java_dynamic_type(ev, value);
    if (java_is_string(ev, type))
        return add_string(ev, value->ref, text);
    java_value shown;
    ebb_status status;
    if (java_unboxed_code(ev, type)) {
        status = java_unbox(ev, value, &shown);
        if (!status)
            java_add_primitive(text, java_letter(ev, shown.type), &shown);
        return status;
    }
    status = java_call_simple(ev, type, value, "toString", NULL, &shown);
    if (status)
        return status;
    if (shown.ref)
        return add_string(ev, shown.ref, text);
    ebb_buf_adds(text, "null");
    return EBB_OK;
}

ebb_status java_concat(java_ev *ev, const java_value *left, const java_value *right, java_value *out)
{
    ebb_buf text = {0};
    ebb_status status = EBB_OK;
    if (!ev->types_only) {
        status = add_value(ev, left, &text);
        if (!status)
            status = add_value(ev, right, &text);
    }
    if (!status && text.n > 4 * (size_t)MAX_UNITS)
        status = ebb_fail(ev->err, EBB_UNSUPPORTED, "The text is longer than %d characters.", 4 * MAX_UNITS);
    if (!status)
        *out = java_text(ev, ebb_arena_strdup(ev->arena, ebb_buf_text(&text)));
    ebb_buf_fini(&text);
    return status;
}
