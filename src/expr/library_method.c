/* library_method.c - see library.h: member functions that only tell something about the object, answered without running them. */
#include "expr/library.h"

#include <string.h>

typedef bool answer_fn(expr_ev *ev, const expr_value *object, const expr_args *args, expr_value *out);

static bool tell_size(expr_ev *ev, const expr_value *object, const expr_args *args, expr_value *out)
{
    (void)args;
    uint64_t count = 0;
    if (!ev->types_only && !expr_library_count(ev, object, &count))
        return false;
    *out = expr_value_of_u64(ev->arena, expr_ev_basic(ev, "unsigned long"), count);
    return true;
}

static bool tell_empty(expr_ev *ev, const expr_value *object, const expr_args *args, expr_value *out)
{
    (void)args;
    uint64_t count = 0;
    if (!ev->types_only && !expr_library_count(ev, object, &count))
        return false;
    *out = expr_ev_truth(ev, count == 0);
    return true;
}

static bool element(expr_ev *ev, const expr_value *object, uint64_t i, expr_value *out)
{
    uint64_t count = 0;
    return (ev->types_only || (expr_library_count(ev, object, &count) && i < count)) && expr_library_element(ev, object, i, out);
}

static bool tell_front(expr_ev *ev, const expr_value *object, const expr_args *args, expr_value *out)
{
    (void)args;
    return element(ev, object, 0, out);
}

static bool tell_back(expr_ev *ev, const expr_value *object, const expr_args *args, expr_value *out)
{
    (void)args;
    uint64_t count = 1;
    return (ev->types_only || (expr_library_count(ev, object, &count) && count > 0)) && element(ev, object, count - 1, out);
}

static bool tell_at(expr_ev *ev, const expr_value *object, const expr_args *args, expr_value *out)
{
    uint64_t i;
    return sym_type_is_integral(args->items[0].type) && expr_ev_to_u64(ev, &args->items[0], &i) == EBB_OK && element(ev, object, i, out);
}

static bool tell_pointer(expr_ev *ev, const expr_value *object, const expr_args *args, expr_value *out)
{
    (void)args;
    return expr_library_pointer(ev, object, out);
}

/* c_str() and data(): where the first element is. */
static bool tell_address(expr_ev *ev, const expr_value *object, const expr_args *args, expr_value *out)
{
    (void)args;
    expr_value first;
    const char *shown;
    expr_library kind = expr_library_of(object->type, &shown);
    if (kind == EXPR_LIBRARY_DEQUE || !expr_library_element(ev, object, 0, &first) || first.place.kind != EXPR_PLACE_MEMORY)
        return false;
    sym_type *type = kind == EXPR_LIBRARY_STRING || kind == EXPR_LIBRARY_VIEW ? sym_type_qualified(ev->world->types, first.type, SYM_TYPE_CONST) : first.type;
    *out = expr_value_of_u64(ev->arena, sym_type_pointer_to(ev->world->types, type), first.place.addr);
    return true;
}

static bool tell_engaged(expr_ev *ev, const expr_value *object, const expr_args *args, expr_value *out)
{
    (void)args;
    bool is_there;
    if (!expr_library_is_engaged(ev, object, &is_there))
        return false;
    *out = expr_ev_truth(ev, is_there);
    return true;
}

static bool tell_value(expr_ev *ev, const expr_value *object, const expr_args *args, expr_value *out)
{
    (void)args;
    const char *shown;
    return expr_library_of(object->type, &shown) == EXPR_LIBRARY_OPTIONAL && expr_library_pointee(ev, object, out);
}

/* ---- strings compared ------------------------------------------------------------------------- */

/* The bytes of what is compared: a string of the library, or a text of C. */
static bool text_of(expr_ev *ev, const expr_value *value, ebb_buf *text)
{
    expr_value chars = *value;
    sym_type *type = sym_type_strip(value->type);
    bool is_object = expr_library_text(ev, value, &chars);
    if (is_object)
        type = sym_type_strip(chars.type);
    if (type->kind != SYM_TYPE_ARRAY || !type->target || sym_type_size(type->target) != 1 || (type->count && expr_ev_fetch(ev, &chars) != EBB_OK))
        return false;
    ebb_buf_add(text, chars.bytes, type->count ? is_object ? type->count : strnlen((const char *)chars.bytes, type->count) : 0);
    return true;
}

static bool compare(expr_ev *ev, const expr_value *object, const expr_args *args, int *order)
{
    ebb_buf texts[2] = {{0}, {0}};
    bool known = text_of(ev, object, &texts[0]) && text_of(ev, &args->items[0], &texts[1]);
    if (known) {
        size_t n = texts[0].n < texts[1].n ? texts[0].n : texts[1].n;
        *order = n ? memcmp(texts[0].data, texts[1].data, n) : 0;
        if (!*order)
            *order = (texts[0].n > texts[1].n) - (texts[0].n < texts[1].n);
    }
    ebb_buf_fini(&texts[0]);
    ebb_buf_fini(&texts[1]);
    return known;
}

#define COMPARISON(name, sign)                                                                                      \
    static bool tell_##name(expr_ev *ev, const expr_value *object, const expr_args *args, expr_value *out)          \
    {                                                                                                               \
        int order = 0;                                                                                              \
        if (!ev->types_only && !compare(ev, object, args, &order))                                                  \
            return false;                                                                                           \
        *out = expr_ev_truth(ev, order sign 0);                                                                             \
        return true;                                                                                                \
    }
COMPARISON(equal, ==)
COMPARISON(unequal, !=)
COMPARISON(less, <)
COMPARISON(greater, >)

/* ---- maps ---------------------------------------------------------------------------------------- */

typedef struct sought {
    expr_ev *ev;
    const expr_args *args; /* the key is the first */
} sought;

/* Numbers, pointers and enumerators by their value, strings by their text. */
static bool is_sought(void *self, expr_value *key)
{
    const sought *s = self;
    int order;
    uint64_t have, want;
    expr_value wanted = s->args->items[0];
    if (!sym_type_is_scalar(key->type) || !sym_type_is_scalar(wanted.type))
        return compare(s->ev, key, s->args, &order) && order == 0;
    if (sym_type_strip(key->type)->kind == SYM_TYPE_FLOAT || sym_type_strip(wanted.type)->kind == SYM_TYPE_FLOAT)
        return false;
    return expr_ev_to_u64(s->ev, key, &have) == EBB_OK && expr_ev_to_u64(s->ev, &wanted, &want) == EBB_OK && have == want;
}

/* map[key] and map.at(key) of a key that is there; one that isn't would be put there by the program. */
static bool tell_element(expr_ev *ev, const expr_value *object, const expr_args *args, expr_value *out)
{
    sought s = {ev, args};
    return tell_at(ev, object, args, out) || expr_library_find(ev, object, is_sought, &s, out);
}

static bool tell_count(expr_ev *ev, const expr_value *object, const expr_args *args, expr_value *out)
{
    sought s = {ev, args};
    const char *shown;
    expr_value value;
    expr_library kind = expr_library_of(object->type, &shown);
    if ((kind != EXPR_LIBRARY_MAP && kind != EXPR_LIBRARY_HASH_MAP) || strstr(shown, "multi"))
        return false;
    *out = expr_value_of_u64(ev->arena, expr_ev_basic(ev, "unsigned long"), expr_library_find(ev, object, is_sought, &s, &value));
    return true;
}

/* ---- the table ---------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    size_t n_args;
    answer_fn *answer;
} methods[] = {
    {"size", 0, tell_size},          {"length", 0, tell_size},       {"empty", 0, tell_empty},      {"front", 0, tell_front},
    {"back", 0, tell_back},          {"at", 1, tell_element},        {"operator[]", 1, tell_element}, {"count", 1, tell_count},    {"get", 0, tell_pointer},
    {"data", 0, tell_address},       {"c_str", 0, tell_address},     {"has_value", 0, tell_engaged}, {"value", 0, tell_value},
    {"operator==", 1, tell_equal},   {"operator!=", 1, tell_unequal}, {"operator<", 1, tell_less},   {"operator>", 1, tell_greater},
};

static bool is_string(sym_type *type)
{
    const char *shown;
    expr_library kind = expr_library_of(type, &shown);
    return kind == EXPR_LIBRARY_STRING || kind == EXPR_LIBRARY_VIEW;
}

bool expr_library_method(expr_ev *ev, const expr_value *object, const char *name, const expr_args *args, expr_value *out)
{
    const char *shown;
    if (expr_library_of(object->type, &shown) == EXPR_LIBRARY_NONE)
        return false;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        bool is_comparison = strncmp(methods[i].name, "operator", 8) == 0 && methods[i].name[8] != '[';
        if (strcmp(methods[i].name, name) == 0 && methods[i].n_args == args->n && (!is_comparison || is_string(object->type)))
            return methods[i].answer(ev, object, args, out);
    }
    return false;
}
