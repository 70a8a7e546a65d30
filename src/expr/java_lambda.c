/* java_lambda.c - lambdas and method references as arguments and in casts.
 *
 * A lambda means nothing before its functional interface is known: until then it is a *closure*, the text with the parameters of the
 * lambdas around it.  Then the world makes an object of that interface whose method comes back here, and the body is walked with the
 * parameters bound.  Generics are gone, so most parameters are Objects: their own classes are asked, as everywhere (java_eval.h).
 *
 * A method reference becomes a lambda once it is known how many parameters it takes: String::length is #0 -> #0.length(). */
#include "expr/java_eval.h"

#include <string.h>

enum { MAX_HIERARCHY = 64, MAX_INTERFACES = 256 };

static const char *const receiver_name = "#"; /* no name of Java's, as #0, #1, ... are none */

/* ---- functional interfaces ---------------------------------------------------------------------- */

static bool same_params(const char *a, const char *b)
{
    size_t n = strcspn(a, ")");
    return n == strcspn(b, ")") && strncmp(a, b, n) == 0;
}

static bool is_same_method(const java_member *a, const java_member *b)
{
    return strcmp(a->name, b->name) == 0 && same_params(a->descriptor, b->descriptor);
}

/* Whether the interface, or one above it, has code for the method. */
static bool has_default(java_ev *ev, const java_type *type, const java_member *method, unsigned depth)
{
    const java_world *world = ev->world;
    const java_member *methods;
    const java_type *interfaces[MAX_INTERFACES];
    size_t n = world->methods(world->self, type, &methods);
    for (size_t i = 0; i < n; i++) {
        if (!(methods[i].access & (JAVA_ACC_ABSTRACT | JAVA_ACC_STATIC)) && is_same_method(&methods[i], method))
            return true;
    }
    n = depth < MAX_HIERARCHY ? world->interfaces(world->self, type, interfaces, MAX_INTERFACES) : 0;
    for (size_t i = 0; i < n && i < MAX_INTERFACES; i++) {
        if (has_default(ev, interfaces[i], method, depth + 1))
            return true;
    }
    return false;
}

static bool is_of_object(java_ev *ev, const java_member *method)
{
    const java_member *methods;
    size_t n = ev->world->methods(ev->world->self, java_type_of(ev, "Ljava/lang/Object;"), &methods);
    for (size_t i = 0; i < n; i++) {
        if (is_same_method(&methods[i], method))
            return true;
    }
    return false;
}

typedef struct sam_search {
    const java_type *root;
    const java_member *found;
    size_t n_params;
    bool has_several;
} sam_search;

/* A method that an interface has again, with types that are less generic, is still one. */
static void note_abstract(java_ev *ev, sam_search *search, const java_member *method)
{
    const java_type **params;
    size_t n = java_params(ev, method->descriptor, &params, NULL);
    if (search->found && (search->n_params != n || strcmp(search->found->name, method->name) != 0))
        search->has_several = true;
    if (search->found)
        return;
    search->found = method;
    search->n_params = n;
}

static void find_abstract(java_ev *ev, const java_type *type, unsigned depth, sam_search *search)
{
    const java_world *world = ev->world;
    const java_member *methods;
    const java_type *interfaces[MAX_INTERFACES];
    size_t n = world->methods(world->self, type, &methods);
    for (size_t i = 0; i < n; i++) {
        if (methods[i].access & JAVA_ACC_ABSTRACT && !is_of_object(ev, &methods[i]) && !has_default(ev, search->root, &methods[i], 0))
            note_abstract(ev, search, &methods[i]);
    }
    n = depth < MAX_HIERARCHY ? world->interfaces(world->self, type, interfaces, MAX_INTERFACES) : 0;
    for (size_t i = 0; i < n && i < MAX_INTERFACES; i++)
        find_abstract(ev, interfaces[i], depth + 1, search);
}

const java_member *java_functional_method(java_ev *ev, const java_type *type)
{
    sam_search search = {.root = type};
    if (java_letter(ev, type) != 'L' || ev->world->kind(ev->world->self, type) != JAVA_INTERFACE)
        return NULL;
    find_abstract(ev, type, 0, &search);
    return search.has_several ? NULL : search.found;
}

/* ---- closures ----------------------------------------------------------------------------------- */

struct java_closure {
    const expr_node *node;
    const java_scope *scope;
    const java_type *type; /* a reference's, where its left side is a class; NULL: it is a value, `this` or `super` */
};

static const java_scope *bind(java_ev *ev, const java_scope *around, const char *name, const java_value *value)
{
    java_scope *made = EBB_ARENA_NEW(ev->arena, java_scope);
    *made = (java_scope){.name = name, .value = *value, .around = around};
    made->value.place = JAVA_PLACE_NONE;
    return made;
}

/* JLS 15.13.3: what stands in front of the :: is evaluated once, when the reference is. */
static ebb_status look_at_left(java_ev *ev, java_closure *closure)
{
    const expr_node *left = closure->node->left;
    java_meaning meaning;
    if (left->kind == EXPR_NODE_THIS || left->kind == EXPR_NODE_SUPER)
        return EBB_OK;
    if (left->kind == EXPR_NODE_TYPE)
        return java_type_named(ev, left->type_name, &closure->type);
    ebb_status status = java_resolve(ev, left, &meaning);
    if (status)
        return status;
    if (meaning.kind == JAVA_MEANS_PACKAGE && (meaning.type = java_load_class(ev, meaning.package)))
        meaning.kind = JAVA_MEANS_CLASS;
    if (meaning.kind == JAVA_MEANS_PACKAGE)
        return java_fail_no_symbol(ev, meaning.package);
    if (meaning.kind == JAVA_MEANS_CLASS) {
        closure->type = meaning.type;
        return EBB_OK;
    }
    if (java_is_null(&meaning.value) && !ev->types_only)
        return java_fail_null(ev, ebb_arena_printf(ev->arena, "Cannot refer to \"%.150s\"", closure->node->name), left);
    closure->scope = bind(ev, closure->scope, receiver_name, &meaning.value);
    return EBB_OK;
}

bool java_is_functional(const expr_node *node)
{
    return node->kind == EXPR_NODE_LAMBDA || node->kind == EXPR_NODE_METHOD_REFERENCE;
}

ebb_status java_eval_operand(java_ev *ev, const expr_node *node, java_value *out)
{
    if (!java_is_functional(node))
        return java_eval(ev, node, out);
    java_closure *closure = EBB_ARENA_NEW(ev->arena, java_closure);
    *closure = (java_closure){.node = node, .scope = ev->scope};
    *out = (java_value){.type = java_type_of_code(ev, 'N'), .closure = closure};
    return node->kind == EXPR_NODE_METHOD_REFERENCE ? look_at_left(ev, closure) : EBB_OK;
}

/* ---- what fits ----------------------------------------------------------------------------------- */

/* The class, interface or receiver in which a reference looks for its method. */
static const java_type *searched_type(java_ev *ev, const java_closure *closure)
{
    java_value value;
    const java_type *type;
    java_ev quiet = *ev;
    quiet.err = NULL;
    if (closure->type)
        return closure->type;
    if (closure->node->left->kind == EXPR_NODE_SUPER)
        return java_eval_super(&quiet, closure->node->left, &value, &type) ? NULL : type;
    if (closure->node->left->kind == EXPR_NODE_THIS)
        return java_eval_this(&quiet, closure->node->left, &value) ? NULL : java_dynamic_type(ev, &value);
    return java_dynamic_type(ev, &closure->scope->value);
}

static bool is_constructor(const java_closure *closure)
{
    return strcmp(closure->node->name, "new") == 0;
}

static bool refers_to_static(java_ev *ev, const java_closure *closure, size_t n)
{
    return java_has_method_taking(ev, closure->type, closure->node->name, n, true);
}

static bool refers_with(java_ev *ev, const java_closure *closure, size_t n)
{
    const java_type *type = searched_type(ev, closure);
    const char *name = closure->node->name;
    if (!type)
        return false;
    if (is_constructor(closure) && java_letter(ev, type) == '[')
        return n == 1;
    if (is_constructor(closure)) /* that of an inner class takes the instance around it, too */
        return java_has_method_taking(ev, type, "<init>", n, false) || java_has_method_taking(ev, type, "<init>", n + 1, false);
    if (!closure->type)
        return java_has_method_taking(ev, type, name, n, false) || java_has_method_taking(ev, type, name, n, true);
    return refers_to_static(ev, closure, n) || (n > 0 && java_has_method_taking(ev, type, name, n - 1, false));
}

/* JLS 14.8: what may stand alone, so that its value may be left aside. */
static bool is_statement(const expr_node *body)
{
    switch (body->kind) {
    case EXPR_NODE_CALL:
    case EXPR_NODE_NEW:
    case EXPR_NODE_ASSIGN:
    case EXPR_NODE_POSTFIX: return true;
    case EXPR_NODE_PREFIX: return body->op == EXPR_OP_PRE_INCREMENT || body->op == EXPR_OP_PRE_DECREMENT;
    default: return false;
    }
}

/* A body that is known to give nothing; parameters are as the interface has them. */
static bool gives_nothing(java_ev *ev, const java_closure *closure, const java_type *const *params)
{
    const expr_node *node = closure->node;
    java_ev only = *ev;
    java_value ignored;
    only.types_only = true;
    only.err = NULL;
    only.scope = closure->scope;
    for (size_t i = 0; i < node->n_args; i++)
        only.scope = bind(ev, only.scope, node->args[i]->name, &(java_value){.type = params[i]});
    return is_statement(node->left) && java_eval(&only, node->left, &ignored) == EBB_OK && java_letter(ev, ignored.type) == 'V';
}

bool java_closure_fits(java_ev *ev, const java_closure *closure, const java_type *interface)
{
    const java_member *method = java_functional_method(ev, interface);
    const java_type **params, *result;
    if (!method)
        return false;
    size_t n = java_params(ev, method->descriptor, &params, &result);
    if (closure->node->kind == EXPR_NODE_METHOD_REFERENCE)
        return refers_with(ev, closure, n);
    if (closure->node->n_args != n)
        return false;
    return java_letter(ev, result) == 'V' ? is_statement(closure->node->left) : !gives_nothing(ev, closure, params);
}

/* JLS 15.12.2.5: of two interfaces the one whose method gives something, or something more special. */
bool java_functional_is_more_specific(java_ev *ev, const java_type *a, const java_type *b)
{
    const java_member *first = java_functional_method(ev, a), *second = java_functional_method(ev, b);
    const java_type **params, *gives, *other;
    if (!first || !second)
        return false;
    java_params(ev, first->descriptor, &params, &gives);
    java_params(ev, second->descriptor, &params, &other);
    if (java_letter(ev, other) == 'V')
        return true;
    return java_letter(ev, gives) != 'V' && java_is_subtype(ev, gives, other);
}

/* ---- references as lambdas ------------------------------------------------------------------------ */

static const expr_node *make_node(java_ev *ev, expr_node node)
{
    expr_node *made = EBB_ARENA_NEW(ev->arena, expr_node);
    *made = node;
    return made;
}

static const expr_node *name_node(java_ev *ev, const char *name)
{
    return make_node(ev, (expr_node){.kind = EXPR_NODE_NAME, .name = name});
}

/* left.name(args) */
static const expr_node *call_node(java_ev *ev, const expr_node *left, const char *name, const expr_node *const *args, size_t n)
{
    const expr_node *member = make_node(ev, (expr_node){.kind = EXPR_NODE_MEMBER, .op = EXPR_OP_MEMBER, .left = left, .name = name});
    return make_node(ev, (expr_node){.kind = EXPR_NODE_CALL, .op = EXPR_OP_CALL, .left = member, .args = args, .n_args = n});
}

static const expr_node *body_of_reference(java_ev *ev, const java_closure *closure, const expr_node *const *args, size_t n)
{
    const expr_node *left = closure->node->left;
    const char *name = closure->node->name;
    if (!closure->type) {
        bool is_bound = left->kind != EXPR_NODE_THIS && left->kind != EXPR_NODE_SUPER;
        return call_node(ev, is_bound ? name_node(ev, receiver_name) : left, name, args, n);
    }
    const char *type_name = ev->world->type_name(ev->world->self, closure->type);
    bool is_array = java_letter(ev, closure->type) == '[';
    if (is_constructor(closure))
        return make_node(ev, (expr_node){.kind = is_array ? EXPR_NODE_NEW_ARRAY : EXPR_NODE_NEW, .type_name = type_name, .args = args, .n_args = n});
    if (n > 0 && !refers_to_static(ev, closure, n))
        return call_node(ev, args[0], name, args + 1, n - 1);
    return call_node(ev, name_node(ev, type_name), name, args, n);
}

static const expr_node *lambda_of_reference(java_ev *ev, const java_closure *closure, size_t n)
{
    const expr_node **args = EBB_ARENA_ARRAY(ev->arena, const expr_node *, n);
    for (size_t i = 0; i < n; i++)
        args[i] = name_node(ev, ebb_arena_printf(ev->arena, "#%zu", i));
    return make_node(ev, (expr_node){.kind = EXPR_NODE_LAMBDA, .args = args, .n_args = n, .left = body_of_reference(ev, closure, args, n)});
}

/* ---- running --------------------------------------------------------------------------------------- */

typedef struct bound_lambda {
    java_lambda base; /* first: what the world knows of it */
    java_ev ev;       /* as it was where the lambda stands */
    const expr_node *node;
    const java_type *result;
} bound_lambda;

static ebb_status bind_params(java_ev *ev, const expr_node *node, const java_value *args)
{
    ebb_status status = EBB_OK;
    for (size_t i = 0; !status && i < node->n_args; i++) {
        java_value value = args[i];
        const java_type *type;
        if (node->args[i]->type_name) {
            status = java_type_named(ev, node->args[i]->type_name, &type);
            if (!status)
                status = java_cast(ev, type, &args[i], &value);
        }
        ev->scope = bind(ev, ev->scope, node->args[i]->name, &value);
    }
    return status;
}

static ebb_status convert_result(java_ev *ev, const bound_lambda *lambda, const java_value *value, java_value *out)
{
    if (java_letter(ev, lambda->result) == 'V') {
        *out = (java_value){.type = lambda->result};
        return EBB_OK;
    }
    ebb_status status = java_assign_convert(ev, lambda->result, value, java_is_constant(lambda->node->left), out);
    return status ? status : java_materialise(ev, out);
}

static ebb_status run_lambda(java_lambda *base, const java_value *args, java_value *out, ebb_error *err)
{
    const bound_lambda *lambda = (const bound_lambda *)base;
    java_run run = {.home = lambda->ev.arena};
    java_ev ev = lambda->ev;
    java_value value;
    ev.err = err;
    ev.arena = &run.arena;
    ev.run = &run;
    ebb_status status = bind_params(&ev, lambda->node, args);
    if (!status)
        status = java_eval(&ev, lambda->node->left, &value);
    if (!status)
        status = convert_result(&ev, lambda, &value, out);
    if (run.has_made_one)
        ebb_arena_adopt(run.home, &run.arena);
    ebb_arena_fini(&run.arena);
    return status;
}

ebb_status java_make_lambda(java_ev *ev, const java_type *interface, const java_closure *closure, java_value *out)
{
    const java_world *world = ev->world;
    const java_member *method = java_functional_method(ev, interface);
    const java_type **params, *result;
    *out = (java_value){.type = interface};
    if (!method)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "incompatible types: %.200s is not a functional interface", java_type_text(ev, interface));
    if (!java_closure_fits(ev, closure, interface))
        return ebb_fail(ev->err, EBB_BAD_INPUT, "incompatible types: this is no %.200s, whose method is %.100s%.200s",
                        java_type_text(ev, interface), method->name, method->descriptor);
    ebb_status status = java_need_calls(ev);
    if (status || ev->types_only)
        return status;
    size_t n = java_params(ev, method->descriptor, &params, &result);
    bound_lambda *lambda = EBB_ARENA_NEW(ev->arena, bound_lambda);
    *lambda = (bound_lambda){.base = {.method = method, .run = run_lambda}, .ev = *ev, .node = closure->node, .result = result};
    if (closure->node->kind == EXPR_NODE_METHOD_REFERENCE)
        lambda->node = lambda_of_reference(ev, closure, n);
    lambda->ev.scope = closure->scope;
    lambda->ev.is_lambda = true;
    if (ev->run) {
        ev->run->has_made_one = true;
        lambda->ev.arena = ev->run->home;
        lambda->ev.run = NULL;
    }
    return world->new_lambda(world->self, interface, &lambda->base, &out->ref, ev->err);
}

/* ---- names ------------------------------------------------------------------------------------------ */

bool java_find_bound(const java_ev *ev, const char *name, java_value *out)
{
    for (const java_scope *at = ev->scope; at; at = at->around) {
        if (strcmp(at->name, name) == 0) {
            *out = at->value;
            return true;
        }
    }
    return false;
}
