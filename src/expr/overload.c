/* overload.c - see cplus.h: choosing among candidates, and passing arguments. */
#include "expr/cplus.h"
#include "expr/number.h"

#include <string.h>

/* What it takes to make a parameter of an argument; sums of these compare candidates.  One conversion is worse than any number of promotions.
 * What the program may not change its user may (UNQUALIFIED). */
enum { SAME = 0, QUALIFIED = 1, UNQUALIFIED = 5, PROMOTED = 10, CONVERTED = 1000, IMPOSSIBLE = 1000000 };
enum { MAX_BASE_DEPTH = 16 };

static bool is_class(sym_type *type)
{
    sym_type_kind kind = sym_type_strip(type)->kind;
    return kind == SYM_TYPE_STRUCT || kind == SYM_TYPE_UNION;
}

static bool is_constant(sym_type *type)
{
    for (; type; type = type->target) {
        if (type->kind == SYM_TYPE_CONST)
            return true;
        if (type->kind != SYM_TYPE_TYPEDEF && !sym_type_kind_is_qualifier(type->kind))
            return false;
    }
    return false;
}

/* ---- bases ------------------------------------------------------------------------------------ */

static bool find_base(expr_ev *ev, const expr_value *object, sym_type *base, unsigned depth, expr_value *out)
{
    sym_type *type = sym_type_strip(object->type);
    if (sym_type_same(type, base)) {
        *out = *object;
        return true;
    }
    for (size_t i = 0; depth < MAX_BASE_DEPTH && i < type->n_members; i++) {
        const sym_member *m = &type->members[i];
        expr_value inner;
        if (!m->is_base)
            continue;
        if (!m->is_virtual)
            inner = expr_value_part(ev->arena, object, m->type, m->offset, 0, 0);
        else if (ev->types_only)
            inner = expr_value_at(m->type, 0);
        else if (!expr_virtual_base(ev->world, object, m, &inner))
            continue;
        if (find_base(ev, &inner, base, depth + 1, out))
            return true;
    }
    return false;
}

bool expr_base_of(expr_ev *ev, const expr_value *object, sym_type *base, expr_value *out)
{
    return find_base(ev, object, sym_type_strip(base), 0, out);
}

static bool derives(sym_type *type, sym_type *base, unsigned depth)
{
    type = sym_type_strip(type);
    if (sym_type_same(type, base))
        return true;
    for (size_t i = 0; depth < MAX_BASE_DEPTH && i < type->n_members; i++)
        if (type->members[i].is_base && derives(type->members[i].type, base, depth + 1))
            return true;
    return false;
}

/* ---- ranking ---------------------------------------------------------------------------------- */

static unsigned rank_pointer(sym_type *param, const expr_value *arg)
{
    sym_type *type = sym_type_strip(arg->type);
    bool points = type->kind == SYM_TYPE_POINTER || type->kind == SYM_TYPE_ARRAY;
    sym_type *to = param->target ? sym_type_strip(param->target) : NULL, *from = points && type->target ? sym_type_strip(type->target) : NULL;
    if (type->kind == SYM_TYPE_FUNCTION)
        return to && to->kind == SYM_TYPE_FUNCTION ? SAME : IMPOSSIBLE;
    if (!points) /* only nullptr is a pointer; 0 may be one */
        return type->kind == SYM_TYPE_INT && arg->bytes && !arg->place.kind && expr_number_load(arg->type, arg->bytes).bits == 0 ? CONVERTED : IMPOSSIBLE;
    if (!to || to->kind == SYM_TYPE_VOID)
        return from && from->kind != SYM_TYPE_VOID ? CONVERTED : SAME;
    if (!from)
        return IMPOSSIBLE;
    if (sym_type_same(to, from))
        return is_constant(param->target) == is_constant(type->target) ? SAME : is_constant(param->target) ? QUALIFIED : IMPOSSIBLE;
    return is_class(to) && is_class(from) && derives(from, to, 0) ? PROMOTED : IMPOSSIBLE;
}

static unsigned rank_number(sym_types *types, sym_type *param, sym_type *arg)
{
    if (sym_type_same(param, arg))
        return SAME;
    if (arg->kind == SYM_TYPE_POINTER)
        return param->kind == SYM_TYPE_BOOL ? CONVERTED + 1 : IMPOSSIBLE;
    if (!expr_type_is_number(arg) || param->kind == SYM_TYPE_ENUM)
        return IMPOSSIBLE;
    bool widens = arg->kind == SYM_TYPE_FLOAT && param->kind == SYM_TYPE_FLOAT && arg->nbytes == 4 && param->nbytes == 8;
    bool promotes = sym_type_is_integral(arg) && sym_type_same(expr_promoted_type(types, arg), param);
    return widens || promotes ? PROMOTED : CONVERTED;
}

static unsigned rank(expr_ev *ev, sym_type *declared, const expr_value *arg)
{
    sym_type *param = sym_type_strip(declared), *type = sym_type_strip(arg->type);
    bool is_bound = sym_type_is_reference(declared);
    unsigned extra = 0;
    if (is_bound) {
        bool is_lvalue = arg->place.kind == EXPR_PLACE_MEMORY, to_const = is_constant(param->target);
        if (param->is_rvalue ? is_lvalue : !to_const && !is_lvalue)
            return IMPOSSIBLE;
        extra = is_constant(arg->type) && !to_const ? UNQUALIFIED : to_const && !is_constant(arg->type) && !param->is_rvalue ? QUALIFIED : SAME;
        param = sym_type_strip(param->target);
    }
    if (is_class(param))
        return !is_class(type) ? IMPOSSIBLE : sym_type_same(param, type) ? extra : is_bound && derives(type, param, 0) ? extra + PROMOTED : IMPOSSIBLE;
    if (param->kind == SYM_TYPE_POINTER)
        return extra + rank_pointer(param, arg);
    if (param->kind == SYM_TYPE_ARRAY || param->kind == SYM_TYPE_FUNCTION)
        return sym_type_same(param, type) ? extra : IMPOSSIBLE;
    return extra + rank_number(ev->world->types, param, type);
}

static size_t n_hidden(const expr_candidate *c)
{
    return sym_type_strip(c->type)->has_this;
}

static unsigned rank_all(expr_ev *ev, const expr_candidate *c, const expr_args *args, bool is_const)
{
    sym_type *type = sym_type_strip(c->type);
    size_t hidden = n_hidden(c), n = type->n_params - hidden;
    if (args->n < n || (args->n > n && !type->is_variadic))
        return IMPOSSIBLE;
    bool has_object = c->method && !c->method->is_static;
    unsigned sum = has_object && is_const && !c->method->is_const ? UNQUALIFIED : has_object && c->method->is_const && !is_const ? QUALIFIED : SAME;
    for (size_t i = 0; i < n && sum < IMPOSSIBLE; i++)
        sum += rank(ev, type->params[hidden + i], &args->items[i]);
    return sum;
}

static bool is_same_code(const expr_candidate *a, const expr_candidate *b)
{
    if (a->method && b->method)
        return a->method->linkage_name && b->method->linkage_name && strcmp(a->method->linkage_name, b->method->linkage_name) == 0;
    return a->addr && a->addr == b->addr;
}

/* How what was given looks, for the messages. */
static const char *spell(expr_ev *ev, const char *name, const expr_args *args)
{
    ebb_buf text = {0};
    ebb_buf_addf(&text, "%.100s(", name);
    for (size_t i = 0; i < args->n; i++) {
        ebb_buf_adds(&text, i ? ", " : "");
        sym_type_print(args->items[i].type, &text);
    }
    ebb_buf_adds(&text, ")");
    const char *kept = ebb_arena_strndup(ev->arena, ebb_buf_text(&text), text.n < 300 ? text.n : 300);
    ebb_buf_fini(&text);
    return kept;
}

ebb_status expr_overload_choose(expr_ev *ev, const expr_candidates *among, const expr_args *args, const expr_candidate **chosen)
{
    unsigned best = IMPOSSIBLE;
    bool is_tied = false;
    for (const expr_candidate *c = among->items; c < among->items + among->n; c++) {
        unsigned r = rank_all(ev, c, args, among->of_const);
        if (r < best) {
            best = r;
            *chosen = c;
            is_tied = false;
        } else if (r == best && r < IMPOSSIBLE && !is_same_code(*chosen, c)) {
            is_tied = true;
        }
    }
    if (best >= IMPOSSIBLE)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "No function can be called as %s.", spell(ev, among->name, args));
    if (is_tied)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "Several functions can be called as %s; cast the arguments.", spell(ev, among->name, args));
    return EBB_OK;
}

/* ---- passing ---------------------------------------------------------------------------------- */

/* The address of an object, which gets into the debuggee if it is nowhere yet. */
static ebb_status address_for(expr_ev *ev, expr_value *arg, uint64_t *addr)
{
    *addr = arg->place.addr;
    if (arg->place.kind == EXPR_PLACE_MEMORY && !arg->place.nbits)
        return EBB_OK;
    EBB_TRY(expr_ev_fetch(ev, arg));
    if (ev->types_only)
        return EBB_OK;
    return ev->world->place_bytes(ev->world->self, arg->bytes, (size_t)sym_type_size(arg->type), addr, ev->err);
}

/* A reference to the argument itself, or to what it becomes as the parameter's type. */
static ebb_status bind(expr_ev *ev, sym_type *param, expr_value *arg)
{
    sym_type *target = sym_type_strip(param)->target;
    expr_value bound;
    uint64_t addr;
    if (is_class(target) && is_class(arg->type)) {
        if (!expr_base_of(ev, arg, target, &bound))
            return ebb_fail(ev->err, EBB_BAD_INPUT, "Invalid cast.");
    } else if (sym_type_same(sym_type_strip(target), sym_type_strip(arg->type))) {
        bound = *arg;
    } else {
        EBB_TRY(expr_ev_convert_for_assignment(ev, target, arg, &bound));
    }
    EBB_TRY(address_for(ev, &bound, &addr));
    *arg = expr_value_of_u64(ev->arena, param, addr);
    return EBB_OK;
}

ebb_status expr_class_cast(expr_ev *ev, sym_type *to, sym_type *from, uint64_t *addr)
{
    expr_value object, base;
    if (!*addr || !to || !from || !is_class(to) || !is_class(from) || sym_type_same(sym_type_strip(to), sym_type_strip(from)))
        return EBB_OK;
    object = expr_value_at(from, *addr);
    if (expr_base_of(ev, &object, to, &base)) {
        *addr = base.place.addr;
        return EBB_OK;
    }
    expr_ev quiet = *ev; /* from a base to what it is a part of: not from a virtual one, whose place depends on the object */
    quiet.types_only = true;
    object = expr_value_at(to, *addr);
    if (expr_base_of(&quiet, &object, from, &base) && base.place.addr >= *addr)
        *addr -= base.place.addr - *addr;
    return EBB_OK;
}

ebb_status expr_as_base(expr_ev *ev, const char *base, bool is_arrow, expr_value *object)
{
    expr_value found;
    sym_type *type = ev->world->find_type(ev->world->self, SYM_TYPE_TYPEDEF, base);
    EBB_TRY(expr_ev_object(ev, object, is_arrow));
    if (!type || !expr_base_of(ev, object, type, &found))
        return ebb_fail(ev->err, EBB_BAD_INPUT, "base class '%.200s' is ambiguous or not a base of that object", base);
    *object = found;
    return EBB_OK;
}

ebb_status expr_overload_pass(expr_ev *ev, sym_type *param, expr_value *arg)
{
    expr_value converted;
    if (sym_type_is_reference(param))
        return bind(ev, param, arg);
    if (is_class(param) && sym_type_is_by_address(param))
        return ebb_fail(ev->err, EBB_UNSUPPORTED, "An object that takes code to be copied can't be passed by value from here.");
    EBB_TRY(expr_ev_convert_for_assignment(ev, param, arg, &converted));
    *arg = converted;
    return EBB_OK;
}
