/* method.c - see cplus.h: member functions and operators. */
#include "expr/cplus.h"
#include "expr/library.h"

#include <stdio.h>
#include <string.h>

enum { MAX_CANDIDATES = 64, MAX_BASE_DEPTH = 16 };

typedef struct candidates {
    expr_candidate items[MAX_CANDIDATES];
    size_t n;
} candidates;

static bool is_class(sym_type *type)
{
    sym_type_kind kind = sym_type_strip(type)->kind;
    return kind == SYM_TYPE_STRUCT || kind == SYM_TYPE_UNION;
}

static bool is_constant(sym_type *type)
{
    for (; type && type->kind != SYM_TYPE_CONST; type = type->target)
        if (type->kind != SYM_TYPE_TYPEDEF && !sym_type_kind_is_qualifier(type->kind))
            return false;
    return type != NULL;
}

/* ---- which class an object is of ---------------------------------------------------------------- */

/* "<vtable for geo::Circle+16>": the class. */
static char *class_of_table(expr_ev *ev, uint64_t table)
{
    static const char begin[] = "<vtable for ";
    ebb_buf text = {0};
    char *name = NULL;
    if (ev->world->symbolise(ev->world->self, table, true, &text)) {
        const char *at = ebb_buf_text(&text), *plus = strrchr(at, '+');
        if (strncmp(at, begin, sizeof begin - 1) == 0 && plus)
            name = ebb_arena_strndup(ev->arena, at + sizeof begin - 1, (size_t)(plus - at) - (sizeof begin - 1));
    }
    ebb_buf_fini(&text);
    return name;
}

bool expr_dynamic_object(expr_ev *ev, const expr_value *object, expr_value *out)
{
    const expr_world *world = ev->world;
    uint64_t table;
    int64_t to_top;
    if (ev->types_only || object->place.kind != EXPR_PLACE_MEMORY || !sym_type_is_polymorphic(object->type) || !world->find_type ||
        world->read(world->self, object->place.addr, &table, sizeof table, NULL) != EBB_OK ||
        world->read(world->self, table - 16, &to_top, sizeof to_top, NULL) != EBB_OK)
        return false;
    char *name = class_of_table(ev, table);
    sym_type *type = name ? world->find_type(world->self, SYM_TYPE_STRUCT, name) : NULL;
    if (!type)
        return false;
    *out = expr_value_at(type, object->place.addr + (uint64_t)to_top);
    return true;
}

/* ---- member functions --------------------------------------------------------------------------- */

static void add_methods(sym_type *type, const char *name, candidates *found)
{
    for (size_t i = 0; i < type->n_methods && found->n < MAX_CANDIDATES; i++)
        if (strcmp(type->methods[i].name, name) == 0)
            found->items[found->n++] = (expr_candidate){.type = type->methods[i].type, .method = &type->methods[i]};
}

/* Those of the class itself hide those of its bases.  *owner is the object as the class that has them. */
static bool find_methods(expr_ev *ev, const expr_value *object, const char *name, unsigned depth, candidates *found, expr_value *owner)
{
    sym_type *type = sym_type_strip(object->type);
    add_methods(type, name, found);
    *owner = *object;
    if (found->n)
        return true;
    for (size_t i = 0; depth < MAX_BASE_DEPTH && i < type->n_members; i++) {
        expr_value base;
        if (type->members[i].is_base && expr_base_of(ev, object, type->members[i].type, &base) && find_methods(ev, &base, name, depth + 1, found, owner))
            return true;
    }
    return false;
}

static bool same_parameters(const sym_method *a, const sym_method *b)
{
    sym_type *x = sym_type_strip(a->type), *y = sym_type_strip(b->type);
    if (x->n_params != y->n_params || a->is_const != b->is_const)
        return false;
    for (size_t i = x->has_this; i < x->n_params; i++)
        if (!sym_type_same(x->params[i], y->params[i]))
            return false;
    return true;
}

/* CP2: the function of the object's own class that stands in for `method`. */
static void find_overriding(expr_ev *ev, expr_value *object, const sym_method **method)
{
    candidates found = {0};
    expr_value whole, owner;
    if (!(*method)->is_virtual || !expr_dynamic_object(ev, object, &whole) || !find_methods(ev, &whole, (*method)->name, 0, &found, &owner))
        return;
    for (size_t i = 0; i < found.n; i++)
        if (same_parameters(found.items[i].method, *method)) {
            *method = found.items[i].method;
            *object = owner;
            return;
        }
}

static ebb_status find_code(expr_ev *ev, const sym_method *method, uint64_t *addr)
{
    const expr_world *world = ev->world;
    if (method->linkage_name && world->find_linked && world->find_linked(world->self, method->linkage_name, addr))
        return EBB_OK;
    return ebb_fail(ev->err, EBB_UNAVAILABLE, "Cannot evaluate function -- may be inlined");
}

/* Arguments in place, `this` first if there is one. */
static ebb_status call_candidate(expr_ev *ev, const expr_candidate *c, const expr_value *self, const expr_args *args, expr_value *out)
{
    sym_type *type = sym_type_strip(c->type);
    size_t hidden = type->has_this;
    expr_value *passed = EBB_ARENA_ARRAY(ev->arena, expr_value, args->n + 1);
    if (hidden)
        passed[0] = expr_value_of_u64(ev->arena, type->params[0], self->place.addr);
    for (size_t i = 0; i < args->n; i++) {
        passed[hidden + i] = args->items[i];
        if (hidden + i < type->n_params)
            EBB_TRY(expr_overload_pass(ev, type->params[hidden + i], &passed[hidden + i]));
        EBB_TRY(expr_ev_fetch(ev, &passed[hidden + i]));
    }
    if (ev->types_only) {
        *out = (expr_value){.type = type->target ? type->target : expr_ev_basic(ev, "void")};
        return EBB_OK;
    }
    expr_call call = {c->addr, type, passed, hidden + args->n};
    return ev->world->call(ev->world->self, ev->arena, &call, out, ev->err);
}

/* An object that is the value of an expression gets into the debuggee, where `this` can point to it. */
static ebb_status place_object(expr_ev *ev, expr_value *object)
{
    if (object->place.kind == EXPR_PLACE_MEMORY || ev->types_only)
        return EBB_OK;
    EBB_TRY(expr_ev_fetch(ev, object));
    uint64_t addr;
    EBB_TRY(ev->world->place_bytes(ev->world->self, object->bytes, (size_t)sym_type_size(object->type), &addr, ev->err));
    *object = expr_value_at(object->type, addr);
    return EBB_OK;
}

ebb_status expr_method_call(expr_ev *ev, const expr_value *of, const char *name, const expr_args *args, expr_value *out)
{
    expr_value here = *of, *object = &here;
    candidates found = {0};
    expr_value owner;
    const expr_candidate *chosen;
    if (expr_library_method(ev, object, name, args, out))
        return EBB_OK;
    if (!is_class(object->type) || !find_methods(ev, object, name, 0, &found, &owner))
        return EBB_NOT_FOUND;
    EBB_TRY(expr_overload_choose(ev, &(expr_candidates){name, found.items, found.n, is_constant(object->type)}, args, &chosen));
    expr_candidate callee = *chosen;
    if (!callee.method->is_static)
        EBB_TRY(place_object(ev, &owner));
    if (!ev->types_only) {
        find_overriding(ev, &owner, &callee.method);
        callee.type = callee.method->type;
        EBB_TRY(find_code(ev, callee.method, &callee.addr));
    }
    return call_candidate(ev, &callee, &owner, args, out);
}

ebb_status expr_method_value(expr_ev *ev, const expr_value *object, const char *name, expr_value *out)
{
    candidates found = {0};
    expr_value owner;
    uint64_t addr;
    if (!is_class(object->type) || !find_methods(ev, object, name, 0, &found, &owner))
        return EBB_NOT_FOUND;
    if (found.n > 1)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "cannot resolve overloaded method `%.200s': no arguments supplied", name);
    const sym_method *method = found.items[0].method;
    if (find_code(ev, method, &addr) != EBB_OK)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "Cannot take address of method %.200s.", name);
    *out = expr_value_at(method->type, addr);
    return EBB_OK;
}

/* ---- functions by name -------------------------------------------------------------------------- */

static void add_functions(expr_ev *ev, const char *scope, const char *name, candidates *found)
{
    const expr_world *world = ev->world;
    const expr_function *functions;
    size_t n = world->find_functions ? world->find_functions(world->self, ev->arena, scope, name, &functions) : 0;
    for (size_t i = 0; i < n && found->n < MAX_CANDIDATES; i++)
        found->items[found->n++] = (expr_candidate){.type = functions[i].type, .addr = functions[i].addr};
}

/* What is around a class: "geo" of "geo::Point". */
static const char *namespace_of(expr_ev *ev, sym_type *type)
{
    type = sym_type_strip(type);
    const char *name = type->name, *last = NULL;
    int depth = 0;
    for (const char *at = name; is_class(type) && at && *at; at++) {
        depth += *at == '<';
        depth -= *at == '>';
        if (depth == 0 && strncmp(at, "::", 2) == 0)
            last = at;
    }
    return last ? ebb_arena_strndup(ev->arena, name, (size_t)(last - name)) : NULL;
}

static ebb_status call_function(expr_ev *ev, const char *name, const candidates *found, const expr_args *args, expr_value *out)
{
    const expr_candidate *chosen;
    EBB_TRY(expr_overload_choose(ev, &(expr_candidates){.name = name, .items = found->items, .n = found->n}, args, &chosen));
    return call_candidate(ev, chosen, NULL, args, out);
}

ebb_status expr_operator_call(expr_ev *ev, const char *token, const expr_value *left, const expr_value *right, expr_value *out)
{
    char name[32];
    snprintf(name, sizeof name, "operator%s", token);
    expr_value values[2] = {*left, right ? *right : *left};
    const expr_args others = {&values[1], right != NULL}, both = {values, right ? 2 : 1};
    if (!is_class(left->type) && !(right && is_class(right->type)))
        return EBB_NOT_FOUND;
    if (is_class(left->type)) {
        ebb_status status = expr_method_call(ev, left, name, &others, out);
        if (status != EBB_NOT_FOUND)
            return status;
    }
    candidates found = {0};
    const char *scopes[] = {namespace_of(ev, left->type), right ? namespace_of(ev, right->type) : NULL, NULL};
    bool is_same = scopes[0] && scopes[1] && strcmp(scopes[0], scopes[1]) == 0;
    for (int i = 0; i < 2; i++)
        if (scopes[i] && !(i == 1 && is_same))
            add_functions(ev, scopes[i], name, &found);
    add_functions(ev, NULL, name, &found);
    return found.n ? call_function(ev, name, &found, &both, out) : EBB_NOT_FOUND;
}

/* A function of the class that the selected frame works for, without `this->`. */
static ebb_status call_of_this(expr_ev *ev, const char *name, const expr_args *args, expr_value *out)
{
    const expr_world *world = ev->world;
    expr_value this, object;
    candidates found = {0};
    expr_value owner;
    if (world->find_name(world->self, ev->arena, NULL, "this", &this, NULL) != EBB_OK || sym_type_strip(this.type)->kind != SYM_TYPE_POINTER ||
        expr_ev_deref(ev, &this, &object) != EBB_OK || !is_class(object.type) || !find_methods(ev, &object, name, 0, &found, &owner))
        return EBB_NOT_FOUND;
    return expr_method_call(ev, &object, name, args, out);
}

/* C::f() of a static function that has no code of its own: it is known by its class alone. */
static ebb_status call_of_class(expr_ev *ev, const expr_node *callee, const expr_args *args, expr_value *out)
{
    const expr_world *world = ev->world;
    sym_type *type = callee->scope && *callee->scope && world->find_type ? world->find_type(world->self, SYM_TYPE_STRUCT, callee->scope) : NULL;
    expr_value object = expr_value_at(type, 0), owner;
    candidates found = {0};
    if (!type || !find_methods(ev, &object, callee->name, 0, &found, &owner) || !found.items[0].method->is_static)
        return EBB_NOT_FOUND;
    return expr_method_call(ev, &object, callee->name, args, out);
}

ebb_status expr_named_call(expr_ev *ev, const expr_node *callee, const expr_args *args, expr_value *out)
{
    expr_value value;
    const expr_world *world = ev->world;
    if (callee->kind != EXPR_NODE_NAME || !world->find_functions)
        return EBB_NOT_FOUND;
    bool is_found = world->find_name(world->self, ev->arena, callee->scope, callee->name, &value, NULL) == EBB_OK;
    if (is_found && sym_type_strip(value.type)->kind != SYM_TYPE_FUNCTION)
        return EBB_NOT_FOUND; /* a pointer, or an object */
    ebb_status status = callee->scope ? EBB_NOT_FOUND : call_of_this(ev, callee->name, args, out);
    if (status != EBB_NOT_FOUND)
        return status;
    candidates found = {0};
    add_functions(ev, callee->scope && *callee->scope ? callee->scope : NULL, callee->name, &found);
    return found.n > 0 ? call_function(ev, callee->name, &found, args, out) : call_of_class(ev, callee, args, out);
}
