/* call.c - calling a function of the debuggee: who is called, and with which arguments. */
#include "expr/cplus.h"
#include "expr/number.h"

#include <string.h>

typedef struct called {
    uint64_t addr;
    sym_type *type; /* FUNCTION, stripped */
} called;

static sym_type *result_type(expr_ev *ev, const called *callee)
{
    return callee->type->target ? callee->type->target : expr_ev_basic(ev, "void");
}

/* Without debug information only the cast around the call can tell what comes back. */
static ebb_status find_unknown_callee(expr_ev *ev, const expr_node *node, sym_type *result,
                                      called *callee)
{
    if (result) {
        callee->type = sym_type_function_of(ev->world->types, result);
        return EBB_OK;
    }
    if (node->kind == EXPR_NODE_NAME && callee->type->kind == SYM_TYPE_FUNCTION)
        return ebb_fail(
            ev->err, EBB_BAD_INPUT,
            "'%.200s' has unknown return type; cast the call to its declared return type",
            node->name);
    return ebb_fail(
        ev->err, EBB_BAD_INPUT,
        "'at 0x%llx' has unknown return type; cast the call to its declared return type",
        (unsigned long long)callee->addr);
}

static ebb_status find_callee(expr_ev *ev, const expr_node *node, sym_type *result, called *callee)
{
    expr_value value;
    ebb_status status = expr_ev_node(ev, node, &value);
    if (status)
        return status;
    sym_type *type = sym_type_strip(value.type);
    status = expr_ev_to_u64(ev, &value, &callee->addr);
    if (type->kind == SYM_TYPE_POINTER && type->target)
        type = sym_type_strip(type->target);
    bool is_function = type->kind == SYM_TYPE_FUNCTION;
    if (status || (!is_function && type->kind != SYM_TYPE_INT))
        return ebb_fail(ev->err, EBB_BAD_INPUT, "Invalid data type for function to be called.");
    callee->type = type;
    if (!is_function || expr_type_has_no_debug_info(type))
        return find_unknown_callee(ev, node, result, callee);
    return EBB_OK;
}

/* C's default argument promotions, for arguments that no parameter type tells about. */
static ebb_status promote_argument(expr_ev *ev, expr_value *arg)
{
    ebb_status status = expr_ev_decay(ev, arg);
    if (status || !expr_type_is_number(arg->type))
        return status;
    sym_type *type = expr_promoted_type(ev->world->types, arg->type);
    if (type->kind == SYM_TYPE_FLOAT && sym_type_size(type) < 8)
        type = expr_ev_basic(ev, "double");
    expr_value converted;
    status = expr_ev_cast(ev, type, arg, &converted);
    if (!status)
        *arg = converted;
    return status;
}

static ebb_status convert_argument(expr_ev *ev, const called *callee, size_t i, expr_value *arg)
{
    ebb_status status;
    if (i < callee->type->n_params) {
        status = expr_overload_pass(ev, callee->type->params[i], arg);
    } else {
        status = promote_argument(ev, arg);
    }
    return status ? status : expr_ev_fetch(ev, arg);
}

static ebb_status eval_args(expr_ev *ev, const expr_node *node, expr_args *args)
{
    *args = (expr_args){EBB_ARENA_ARRAY(ev->arena, expr_value, node->n_args + 1), node->n_args};
    for (size_t i = 0; i < node->n_args; i++)
        EBB_TRY(expr_ev_node(ev, node->args[i], &args->items[i]));
    return EBB_OK;
}

/* object.function(...) and pointer->function(...); EBB_NOT_FOUND if it is a member that can be called. */
static ebb_status call_member(expr_ev *ev, const expr_node *node, expr_value *out)
{
    const expr_node *callee = node->left;
    expr_value object;
    sym_member member;
    expr_args args;
    EBB_TRY(expr_ev_node(ev, callee->left, &object));
    EBB_TRY(expr_ev_object(ev, &object, callee->op == EXPR_OP_ARROW));
    if (callee->scope)
        EBB_TRY(expr_as_base(ev, callee->scope, false, &object));
    if (sym_type_find_member(sym_type_strip(object.type), callee->name, &member))
        return EBB_NOT_FOUND;
    EBB_TRY(eval_args(ev, node, &args));
    ebb_status status = expr_method_call(ev, &object, callee->name, &args, out);
    return status != EBB_NOT_FOUND ? status : ebb_fail(ev->err, EBB_BAD_INPUT, "There is no member or method named %.200s.", callee->name);
}

/* What only C++ can call; EBB_NOT_FOUND if this is nothing of the kind. */
static ebb_status call_cplus(expr_ev *ev, const expr_node *node, expr_value *out)
{
    expr_args args;
    expr_value object;
    expr_ev quiet = {.arena = ev->arena, .world = ev->world, .types_only = true};
    if (node->left->kind == EXPR_NODE_MEMBER)
        return call_member(ev, node, out);
    if (!ev->world->find_functions)
        return EBB_NOT_FOUND;
    if (node->left->kind == EXPR_NODE_INFIX && (node->left->op == EXPR_OP_MEMBER_AT || node->left->op == EXPR_OP_ARROW_AT)) {
        EBB_TRY(eval_args(ev, node, &args));
        return expr_member_at_call(ev, node->left, &args, out);
    }
    if (node->left->kind == EXPR_NODE_NAME) {
        EBB_TRY(eval_args(ev, node, &args));
        ebb_status status = expr_named_call(ev, node->left, &args, out);
        if (status != EBB_NOT_FOUND)
            return status;
    }
    if (expr_ev_node(&quiet, node->left, &object) != EBB_OK || sym_type_strip(object.type)->kind != SYM_TYPE_STRUCT)
        return EBB_NOT_FOUND;
    EBB_TRY(expr_ev_node(ev, node->left, &object)); /* one that can be called as a function */
    EBB_TRY(eval_args(ev, node, &args));
    return expr_method_call(ev, &object, "operator()", &args, out);
}

ebb_status expr_ev_call(expr_ev *ev, const expr_node *node, sym_type *result_if_unknown,
                        expr_value *out)
{
    if (expr_is_function(node->left))
        return expr_ev_function(ev, node, out);
    ebb_status cplus = call_cplus(ev, node, out);
    if (cplus != EBB_NOT_FOUND)
        return cplus;
    called callee;
    ebb_status status = find_callee(ev, node->left, result_if_unknown, &callee);
    if (status)
        return status;
    if (node->n_args < callee.type->n_params)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "Too few arguments in function call.");
    if (node->n_args > callee.type->n_params && callee.type->is_prototyped &&
        !callee.type->is_variadic)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "Too many arguments in function call.");
    expr_value *args = EBB_ARENA_ARRAY(ev->arena, expr_value, node->n_args + 1);
    for (size_t i = 0; i < node->n_args; i++) {
        status = expr_ev_node(ev, node->args[i], &args[i]);
        if (!status)
            status = convert_argument(ev, &callee, i, &args[i]);
        if (status)
            return status;
    }
    if (ev->types_only) {
        *out = (expr_value){.type = result_type(ev, &callee)};
        return EBB_OK;
    }
    expr_call call = {callee.addr, callee.type, args, node->n_args};
    return ev->world->call(ev->world->self, ev->arena, &call, out, ev->err);
}
