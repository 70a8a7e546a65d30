/* java_call.c - calls of methods and constructors. */
#include "expr/java_eval.h"

#include <string.h>

enum { MAX_NESTING = 32, MAX_ARGS = 255 };

ebb_status java_need_calls(java_ev *ev)
{
    if (ev->is_pure)
        return ebb_fail(ev->err, EBB_UNSUPPORTED, "This would call a method of the program: print it, and ask about what it gave: $1.field.");
    if (ev->may_call || ev->types_only)
        return EBB_OK;
    ebb_status status = ev->world->needs_calls(ev->world->self, ev->err);
    ev->may_call = !status;
    return status;
}

static ebb_status eval_args(java_ev *ev, const expr_node *node, java_value **args)
{
    if (node->n_args > MAX_ARGS)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "too many parameters");
    /* One in front for an instance around the new object. */
    *args = EBB_ARENA_ARRAY(ev->arena, java_value, node->n_args + 1);
    (*args)++;
    ebb_status status = EBB_OK;
    for (size_t i = 0; !status && i < node->n_args; i++) {
        status = java_eval_operand(ev, node->args[i], &(*args)[i]);
        if (!status && java_letter(ev, (*args)[i].type) == 'V')
            status = ebb_fail(ev->err, EBB_BAD_INPUT, "'void' type not allowed here");
    }
    return status;
}

/* The arguments from `first` on as the array that the method takes. */
static ebb_status pack_variable(java_ev *ev, const java_choice *choice, const java_value *args, size_t n_args, java_value *array)
{
    size_t first = choice->n_params - 1;
    *array = (java_value){.type = choice->params[first]};
    ebb_status status =
        ev->world->new_array(ev->world->self, array->type, (uint32_t)(n_args - first), &array->ref, ev->err);
    for (size_t i = first; !status && i < n_args; i++) {
        java_value element;
        const java_type *to = args[i].closure ? java_param_loaded(ev, choice, i) : ev->world->element(ev->world->self, array->type);
        status = java_assign_convert(ev, to, &args[i], false, &element);
        if (!status)
            status = java_set_element(ev, array, (uint32_t)(i - first), &element);
    }
    return status;
}

static ebb_status convert_args(java_ev *ev, const java_choice *choice, const java_value *args, size_t n_args, java_value *out)
{
    size_t n_plain = choice->is_variable ? choice->n_params - 1 : n_args;
    ebb_status status = EBB_OK;
    for (size_t i = 0; !status && i < n_plain; i++) {
        const java_type *to = args[i].closure ? java_param_loaded(ev, choice, i) : choice->params[i];
        status = java_assign_convert(ev, to, &args[i], false, &out[i]);
        if (!status)
            status = java_materialise(ev, &out[i]);
        out[i].type = choice->params[i];
    }
    return !status && choice->is_variable ? pack_variable(ev, choice, args, n_args, &out[n_plain]) : status;
}

/* The receiver is materialised already. */
/* `call` has no method yet, and its arguments as they were written. */
static ebb_status invoke(java_ev *ev, const java_choice *choice, java_call call, java_value *out)
{
    *out = (java_value){.type = choice->result};
    ebb_status status = java_need_calls(ev);
    if (status || ev->types_only)
        return status;
    java_value *converted = EBB_ARENA_ARRAY(ev->arena, java_value, choice->n_params + 1);
    status = convert_args(ev, choice, call.args, call.n_args, converted);
    call.method = choice->method;
    call.args = converted;
    call.n_args = choice->n_params;
    if (!status)
        status = ev->world->call(ev->world->self, &call, out, ev->err);
    out->type = choice->result;
    out->place = JAVA_PLACE_NONE;
    return status;
}

static ebb_status fail_no_method(java_ev *ev, const java_type *type, const char *name)
{
    if (java_is_bare(ev, type))
        return ebb_fail(ev->err, EBB_GONE, "Nothing can be called: no program is running.");
    return ebb_fail(ev->err, EBB_NOT_FOUND, "There is no method named %.150s in %.200s.", name,
                    ev->world->type_name(ev->world->self, type));
}

/* A method of an object: by its static type, or by its own class if that hasn't got it. */
static ebb_status choose_for_value(java_ev *ev, const java_value *receiver, const char *name, const java_value *args, size_t n_args,
                                   java_choice *choice)
{
    const java_type *own = java_dynamic_type(ev, receiver);
    ebb_error error = {0};
    java_ev inner = *ev;
    inner.err = &error;
    ebb_status status = java_choose(&inner, receiver->type, name, args, n_args, choice);
    if (status && own != receiver->type) {
        ebb_status other = java_choose(&inner, own, name, args, n_args, choice);
        status = other == EBB_NOT_FOUND ? status : other;
    }
    if (status == EBB_NOT_FOUND)
        return fail_no_method(ev, own, name);
    return status ? ebb_fail(ev->err, status, "%s", error.text) : EBB_OK;
}

static ebb_status call_on_value(java_ev *ev, const expr_node *node, java_value *receiver, const char *name, java_value *out)
{
    java_value *args;
    java_choice choice;
    if (!receiver->type) /* a text, and no program to have strings */
        return java_need_calls(ev) ? EBB_GONE : ebb_fail(ev->err, EBB_NOT_FOUND, "No class of that value is known.");
    if (!java_is_reference(java_letter(ev, receiver->type)))
        return ebb_fail(ev->err, EBB_BAD_INPUT, "%.200s cannot be dereferenced", java_type_text(ev, receiver->type));
    ebb_status status = eval_args(ev, node, &args);
    if (status)
        return status;
    if (java_is_null(receiver) && !ev->types_only)
        return java_fail_null(ev, ebb_arena_printf(ev->arena, "Cannot invoke \"%.150s()\"", name),
                              node->left->kind == EXPR_NODE_MEMBER ? node->left->left : NULL);
    status = choose_for_value(ev, receiver, name, args, node->n_args, &choice);
    if (!status)
        status = java_need_calls(ev);
    if (!status)
        status = java_materialise(ev, receiver);
    if (status)
        return status;
    bool is_static = choice.method->access & JAVA_ACC_STATIC;
    return invoke(ev, &choice, (java_call){.ref = is_static ? 0 : receiver->ref, .is_virtual = !is_static, .args = args, .n_args = node->n_args}, out);
}

static ebb_status call_static(java_ev *ev, const expr_node *node, const java_type *type, const char *name, java_value *out)
{
    java_value *args;
    java_choice choice;
    ebb_status status = eval_args(ev, node, &args);
    if (!status)
        status = java_choose(ev, type, name, args, node->n_args, &choice);
    if (status == EBB_NOT_FOUND)
        return fail_no_method(ev, type, name);
    if (status)
        return status;
    if (choice.method->access & JAVA_ACC_STATIC)
        return invoke(ev, &choice, (java_call){.args = args, .n_args = node->n_args}, out);
    java_value instance;
    if (java_enclosing_instance(ev, type, &instance) != EBB_OK)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "non-static method %.200s cannot be referenced from a static context", name);
    return invoke(ev, &choice, (java_call){.ref = instance.ref, .is_virtual = true, .args = args, .n_args = node->n_args}, out);
}

static ebb_status call_super(java_ev *ev, const expr_node *node, java_value *out)
{
    java_value instance, *args;
    const java_type *type;
    java_choice choice;
    ebb_status status = java_eval_super(ev, node->left->left, &instance, &type);
    if (!status)
        status = eval_args(ev, node, &args);
    if (status)
        return status;
    status = java_choose(ev, type, node->left->name, args, node->n_args, &choice);
    if (status == EBB_NOT_FOUND)
        return fail_no_method(ev, type, node->left->name);
    return status ? status : invoke(ev, &choice, (java_call){.ref = instance.ref, .args = args, .n_args = node->n_args}, out);
}

/* f(x): the innermost class around the place that has an f. */
static ebb_status call_unqualified(java_ev *ev, const expr_node *node, java_value *out)
{
    const char *name = node->left->name;
    const java_type *scope = ev->world->scope_class(ev->world->self), *type = scope;
    for (unsigned i = 0; type && i < MAX_NESTING; i++) {
        if (java_has_method(ev, type, name))
            return call_static(ev, node, type, name, out);
        type = java_outer_class(ev, type);
    }
    return scope ? fail_no_method(ev, scope, name) : java_fail_no_symbol(ev, name);
}

ebb_status java_eval_call(java_ev *ev, const expr_node *node, java_value *out)
{
    const expr_node *callee = node->left;
    if (callee->kind == EXPR_NODE_NAME)
        return call_unqualified(ev, node, out);
    if (callee->kind == EXPR_NODE_DOLLAR)
        return java_eval_function(ev, node, out);
    if (callee->kind != EXPR_NODE_MEMBER)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "Only a method can be called.");
    if (callee->left->kind == EXPR_NODE_SUPER)
        return call_super(ev, node, out);
    java_meaning left;
    ebb_status status = java_resolve(ev, callee->left, &left);
    if (status)
        return status;
    if (left.kind == JAVA_MEANS_PACKAGE && (left.type = java_load_class(ev, left.package)))
        left.kind = JAVA_MEANS_CLASS;
    switch (left.kind) {
    case JAVA_MEANS_VALUE: return call_on_value(ev, node, &left.value, callee->name, out);
    case JAVA_MEANS_CLASS: return call_static(ev, node, left.type, callee->name, out);
    default: return java_fail_no_symbol(ev, left.package);
    }
}

/* ---- new ------------------------------------------------------------------------------------------ */

/* Whether its constructors take the instance around it first, as javac makes them. */
static bool is_inner(java_ev *ev, const java_type *type)
{
    const java_member *fields;
    size_t n = ev->world->fields(ev->world->self, type, &fields);
    for (size_t i = 0; i < n; i++) {
        if (strncmp(fields[i].name, "this$", 5) == 0 && fields[i].access & JAVA_ACC_SYNTHETIC)
            return true;
    }
    return false;
}

ebb_status java_eval_new(java_ev *ev, const expr_node *node, java_value *out)
{
    const java_world *world = ev->world;
    const java_type *type, *outer;
    java_value *args, around;
    java_choice choice;
    size_t n_args = node->n_args;
    ebb_status status = java_type_named(ev, node->type_name, &type);
    if (!status)
        status = eval_args(ev, node, &args);
    if (status)
        return status;
    if (world->kind(world->self, type) != JAVA_CLASS)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "%.200s is abstract; cannot be instantiated", java_type_text(ev, type));
    outer = is_inner(ev, type) ? java_outer_class(ev, type) : NULL;
    if (outer && java_enclosing_instance(ev, outer, &around) == EBB_OK) {
        *--args = around;
        n_args++;
    }
    status = java_choose(ev, type, "<init>", args, n_args, &choice);
    if (status == EBB_NOT_FOUND)
        return fail_no_method(ev, type, "<init>");
    java_value made = {.type = type}, nothing;
    if (!status)
        status = java_need_calls(ev);
    if (!status && !ev->types_only)
        status = world->new_object(world->self, type, &made.ref, ev->err);
    if (!status)
        status = invoke(ev, &choice, (java_call){.ref = made.ref, .args = args, .n_args = n_args}, &nothing);
    *out = made;
    return status;
}

ebb_status java_call_simple(java_ev *ev, const java_type *type, const java_value *receiver, const char *name, const java_value *arg,
                            java_value *out)
{
    java_choice choice;
    size_t n_args = arg != NULL;
    java_value object = receiver ? *receiver : (java_value){0};
    ebb_status status = java_choose(ev, type, name, arg, n_args, &choice);
    if (status == EBB_NOT_FOUND)
        return fail_no_method(ev, type, name);
    if (!status)
        status = java_need_calls(ev);
    if (!status && receiver)
        status = java_materialise(ev, &object);
    return status ? status : invoke(ev, &choice, (java_call){.ref = object.ref, .is_virtual = receiver != NULL, .args = arg, .n_args = n_args}, out);
}
