/* library.c - see library.h: which class it is, and what its operators and member functions would answer. */
#include "expr/library_look.h"

#include <string.h>

typedef struct class_row {
    expr_library kind;
    const char *name, *shown;
} class_row;

static const class_row classes[] = {
#define EXPR_LIBRARY_KIND(kind, way, form, print)
#define EXPR_LIBRARY_CLASS(kind, name, shown) {EXPR_LIBRARY_##kind, name, shown},
#include "expr/library.def"
#undef EXPR_LIBRARY_CLASS
#undef EXPR_LIBRARY_KIND
};

/* Whether the class is no template. */
static bool is_plain_class(expr_library kind)
{
    return kind == EXPR_LIBRARY_ANY || kind == EXPR_LIBRARY_FILE_PATH;
}

expr_library expr_library_of(sym_type *type, const char **shown)
{
    type = sym_type_strip(type);
    if (type->kind != SYM_TYPE_STRUCT || !type->is_cplus || !type->name || !strstr(type->name, "::"))
        return EXPR_LIBRARY_NONE;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        size_t n = strlen(classes[i].name);
        if (strncmp(type->name, classes[i].name, n) != 0 || (type->name[n] != '<' && classes[i].name[n - 1] != ',' && (type->name[n] || !is_plain_class(classes[i].kind))))
            continue;
        *shown = classes[i].shown;
        return classes[i].kind;
    }
    return EXPR_LIBRARY_NONE;
}

/* ---- asked by name ---------------------------------------------------------------------------------- */

/* Whether the class has an operator [] that takes a number. */
static bool is_indexed(expr_library kind)
{
    switch (kind) {
    case EXPR_LIBRARY_STRING:
    case EXPR_LIBRARY_VIEW:
    case EXPR_LIBRARY_VECTOR:
    case EXPR_LIBRARY_ARRAY:
    case EXPR_LIBRARY_DEQUE: return true;
    default: return false;
    }
}

bool expr_library_element(expr_ev *ev, const expr_value *container, uint64_t i, expr_value *out)
{
    const expr_looker l = {ev->arena, ev->world};
    const char *shown;
    expr_row r;
    expr_blocks b;
    expr_library kind = expr_library_of(container->type, &shown);
    sym_type *type = expr_template_type(container->type, 0);
    if (!is_indexed(kind))
        return false;
    if (ev->types_only && type)
        return (*out = expr_value_at(type, 0), true);
    if (kind == EXPR_LIBRARY_ARRAY)
        return expr_look_in_array(&l, container, i, out);
    if (kind == EXPR_LIBRARY_DEQUE)
        return expr_look_blocks(&l, container, &b) && expr_look_in_block(&l, &b, i, out);
    return expr_look_row(&l, container, &r) && (*out = expr_look_in_row(&r, i), true);
}

bool expr_library_pointee(expr_ev *ev, const expr_value *object, expr_value *out)
{
    const expr_looker l = {ev->arena, ev->world};
    const char *shown;
    expr_value pointer;
    if (expr_library_of(object->type, &shown) == EXPR_LIBRARY_OPTIONAL)
        return ev->types_only ? expr_look_member(&l, object, "_M_payload._M_payload._M_value", out) : expr_held_in_optional(&l, object, out) && out->type;
    return expr_look_pointer(&l, object, &pointer) && expr_ev_deref(ev, &pointer, out) == EBB_OK;
}

static bool list_count(const expr_looker *l, const expr_value *object, uint64_t *count)
{
    return expr_look_number(l, object, "_M_impl._M_node._M_size._M_storage", count) || expr_look_number(l, object, "_M_impl._M_node._M_size", count);
}

bool expr_library_count(expr_ev *ev, const expr_value *object, uint64_t *count)
{
    const expr_looker l = {ev->arena, ev->world};
    const char *shown;
    expr_row r;
    expr_blocks b;
    expr_value elements;
    switch (expr_library_of(object->type, &shown)) {
    case EXPR_LIBRARY_STRING:
    case EXPR_LIBRARY_VIEW:
    case EXPR_LIBRARY_VECTOR: return expr_look_row(&l, object, &r) && (*count = r.count, true);
    case EXPR_LIBRARY_DEQUE: return expr_look_blocks(&l, object, &b) && (*count = b.count, true);
    case EXPR_LIBRARY_MAP:
    case EXPR_LIBRARY_SET: return expr_look_number(&l, object, "_M_t._M_impl._M_node_count", count);
    case EXPR_LIBRARY_HASH_MAP:
    case EXPR_LIBRARY_HASH_SET: return expr_look_number(&l, object, "_M_h._M_element_count", count);
    case EXPR_LIBRARY_LIST: return list_count(&l, object, count);
    case EXPR_LIBRARY_ARRAY: return expr_look_array(&l, object, &elements) && (*count = sym_type_strip(elements.type)->count, true);
    case EXPR_LIBRARY_ADAPTER: return expr_look_member(&l, object, "c", &elements) && expr_library_count(ev, &elements, count);
    default: return false;
    }
}

bool expr_library_find(expr_ev *ev, const expr_value *container, expr_library_is_key *is_key, void *self, expr_value *value)
{
    const expr_looker l = {ev->arena, ev->world};
    const char *shown;
    expr_walk w;
    expr_value pair, key;
    expr_library kind = expr_library_of(container->type, &shown);
    bool is_tree = kind == EXPR_LIBRARY_MAP;
    if (!is_tree && kind != EXPR_LIBRARY_HASH_MAP)
        return false;
    if (ev->types_only)
        return expr_template_type(container->type, 1) && (*value = expr_value_at(expr_template_type(container->type, 1), 0), true);
    if (!expr_walk_begin(&l, container, is_tree, &w))
        return false;
    while (expr_walk_next(&w, &pair))
        if (expr_look_member(&l, &pair, "first", &key) && is_key(self, &key))
            return expr_look_member(&l, &pair, "second", value);
    return false;
}

bool expr_library_pointer(expr_ev *ev, const expr_value *object, expr_value *pointer)
{
    const expr_looker l = {ev->arena, ev->world};
    const char *shown;
    return expr_library_of(object->type, &shown) != EXPR_LIBRARY_ITERATOR && expr_look_pointer(&l, object, pointer);
}

bool expr_library_text(expr_ev *ev, const expr_value *object, expr_value *out)
{
    const expr_looker l = {ev->arena, ev->world};
    const char *shown;
    expr_library kind = expr_library_of(object->type, &shown);
    expr_row r;
    if ((kind != EXPR_LIBRARY_STRING && kind != EXPR_LIBRARY_VIEW) || !expr_look_row(&l, object, &r))
        return false;
    *out = expr_value_at(sym_type_array_of(ev->world->types, r.type, r.count), r.first);
    return true;
}

bool expr_library_is_engaged(expr_ev *ev, const expr_value *object, bool *is_there)
{
    const expr_looker l = {ev->arena, ev->world};
    const char *shown;
    uint64_t engaged;
    if (expr_library_of(object->type, &shown) != EXPR_LIBRARY_OPTIONAL || !expr_look_number(&l, object, "_M_payload._M_engaged", &engaged))
        return false;
    *is_there = engaged;
    return true;
}
