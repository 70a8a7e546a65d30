/* java_array.c - elements of arrays, and new arrays. */
#include "expr/java_eval.h"

#include <inttypes.h>

enum { MAX_NEW_ARRAYS = 1 << 16 }; /* that one `new int[n][m]` makes: XE2 */

/* ---- elements ------------------------------------------------------------------------------------ */

/* An index or a length: an int after promotion. */
static ebb_status as_int(java_ev *ev, const java_value *value, int32_t *out)
{
    java_value converted;
    ebb_status status = java_assign_convert(ev, java_type_of_code(ev, 'I'), value, false, &converted);
    if (!status)
        *out = (int32_t)converted.i;
    return status;
}

static ebb_status get_element(java_ev *ev, const java_value *array, const java_type *type, int32_t i, java_value *out)
{
    const java_world *world = ev->world;
    uint32_t n;
    ebb_status status = world->length(world->self, array->ref, &n, ev->err);
    if (status)
        return status;
    *out = (java_value){.type = type};
    if (i < 0 || (uint32_t)i >= n) {
        if (ev->types_only)
            return EBB_OK;
        return ebb_fail(ev->err, EBB_BAD_INPUT, "Index %" PRId32 " out of bounds for length %" PRIu32, i, n);
    }
    status = world->elements(world->self, array->ref, (uint32_t)i, 1, out, ev->err);
    out->type = type;
    out->place = JAVA_PLACE_ELEMENT;
    out->holder = array->ref;
    out->which = (uint64_t)i;
    return status;
}

ebb_status java_eval_index(java_ev *ev, const expr_node *node, java_value *out)
{
    java_value array, index;
    int32_t i;
    ebb_status status = java_eval(ev, node->left, &array);
    if (!status)
        status = java_eval(ev, node->right, &index);
    if (!status)
        status = as_int(ev, &index, &i);
    if (status)
        return status;
    const java_type *type = java_letter(ev, array.type) == '[' ? array.type : java_dynamic_type(ev, &array);
    if (java_letter(ev, type) != '[')
        return ebb_fail(ev->err, EBB_BAD_INPUT, "array required, but %.200s found", java_type_text(ev, array.type));
    const java_type *element = ev->world->element(ev->world->self, type);
    if (array.ref)
        return get_element(ev, &array, element, i, out);
    *out = (java_value){.type = element};
    return ev->types_only ? EBB_OK : java_fail_null(ev, "Cannot load from an array", node->left);
}

ebb_status java_set_element(java_ev *ev, const java_value *array, uint32_t i, java_value *value)
{
    ebb_status status = java_materialise(ev, value);
    return status ? status : ev->world->set_element(ev->world->self, array->ref, i, value, ev->err);
}

/* ---- new arrays ----------------------------------------------------------------------------------- */

static ebb_status make_array(java_ev *ev, const java_type *type, uint32_t n, java_value *out)
{
    *out = (java_value){.type = type};
    ebb_status status = java_need_calls(ev);
    if (status || ev->types_only)
        return status;
    return ev->world->new_array(ev->world->self, type, n, &out->ref, ev->err);
}

/* {1, 2}, {{1}, {2}} as an array of that type. */
static ebb_status make_elements(java_ev *ev, const java_type *type, const expr_node *node, java_value *out)
{
    if (java_letter(ev, type) != '[')
        return ebb_fail(ev->err, EBB_BAD_INPUT, "illegal initializer for %.200s", java_type_text(ev, type));
    const java_type *element = ev->world->element(ev->world->self, type);
    ebb_status status = make_array(ev, type, (uint32_t)node->n_args, out);
    for (size_t i = 0; !status && i < node->n_args; i++) {
        java_value value, converted;
        bool is_nested = node->args[i]->kind == EXPR_NODE_ELEMENTS;
        status = is_nested ? make_elements(ev, element, node->args[i], &converted) : java_eval(ev, node->args[i], &value);
        if (!status && !is_nested)
            status = java_assign_convert(ev, element, &value, java_is_constant(node->args[i]), &converted);
        if (!status && !ev->types_only)
            status = java_set_element(ev, out, (uint32_t)i, &converted);
    }
    return status;
}

/* new int[3][4]: the first length's array, filled with those of the others. */
static ebb_status make_dimensions(java_ev *ev, const java_type *type, const int32_t *lengths, size_t n, unsigned *left, java_value *out)
{
    if (*left == 0)
        return ebb_fail(ev->err, EBB_UNSUPPORTED, "More than %d arrays at once.", MAX_NEW_ARRAYS);
    --*left;
    ebb_status status = make_array(ev, type, (uint32_t)lengths[0], out);
    for (int32_t i = 0; !status && n > 1 && !ev->types_only && i < lengths[0]; i++) {
        java_value inner;
        status = make_dimensions(ev, ev->world->element(ev->world->self, type), lengths + 1, n - 1, left, &inner);
        if (!status)
            status = java_set_element(ev, out, (uint32_t)i, &inner);
    }
    return status;
}

ebb_status java_eval_new_array(java_ev *ev, const expr_node *node, java_value *out)
{
    const java_type *type;
    ebb_status status = java_type_named(ev, node->type_name, &type);
    if (status)
        return status;
    if (node->left)
        return make_elements(ev, type, node->left, out);
    int32_t *lengths = EBB_ARENA_ARRAY(ev->arena, int32_t, node->n_args);
    for (size_t i = 0; i < node->n_args; i++) {
        java_value length;
        status = java_eval(ev, node->args[i], &length);
        if (!status)
            status = as_int(ev, &length, &lengths[i]);
        if (status)
            return status;
        if (lengths[i] < 0)
            return ebb_fail(ev->err, EBB_BAD_INPUT, "java.lang.NegativeArraySizeException: %" PRId32, lengths[i]);
    }
    unsigned left = MAX_NEW_ARRAYS;
    return make_dimensions(ev, type, lengths, node->n_args, &left, out);
}
