/* eval.c - walks a tree. */
#include "expr/cplus.h"
#include "base/check.h"
#include "expr/number.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

sym_type *expr_ev_basic(expr_ev *ev, const char *name)
{
    sym_type *type = sym_types_basic(ev->world->types, name);
    ebb_check(type);
    return type;
}

static expr_value int_value(expr_ev *ev, bool is_true)
{
    return expr_value_of_u64(ev->arena, expr_ev_basic(ev, "int"), is_true);
}

expr_value expr_ev_truth(expr_ev *ev, bool is_true)
{
    const expr_world *world = ev->world;
    bool has_bool = (world->is_cplus && world->is_cplus(world->self)) || (world->is_rust && world->is_rust(world->self));
    sym_type *type = has_bool ? world->find_type(world->self, SYM_TYPE_TYPEDEF, "bool") : NULL;
    return has_bool ? expr_value_of_u64(ev->arena, type ? type : expr_ev_basic(ev, "bool"), is_true) : int_value(ev, is_true);
}

static ebb_status type_of(expr_ev *ev, const expr_node *node, sym_type **type);

/* ---- names ----------------------------------------------------------------------------------- */

/* A reference is what it refers to. */
static ebb_status see_through_reference(expr_ev *ev, expr_value *value)
{
    if (!value->type || !sym_type_is_reference(value->type))
        return EBB_OK;
    uint64_t addr = 0;
    sym_type *declared = value->type;
    ebb_status status = expr_ev_fetch(ev, value);
    if (status)
        return status;
    memcpy(&addr, value->bytes, sizeof addr);
    *value = expr_value_at(sym_type_strip(declared)->target, addr);
    value->reference = declared;
    return EBB_OK;
}

static sym_type *seen_through(sym_type *type)
{
    return sym_type_is_reference(type) ? sym_type_strip(type)->target : type;
}

/* With may_be_unknown a variable without a type comes through: a cast or & will give it one. */
static ebb_status eval_name(expr_ev *ev, const expr_node *node, bool may_be_unknown,
                            expr_value *out)
{
    *out = (expr_value){0};
    ebb_status status =
        ev->world->find_name(ev->world->self, ev->arena, node->scope, node->name, out, ev->err);
    if (status == EBB_NOT_FOUND && expr_word_value(ev, node, out))
        return EBB_OK;
    if (status)
        return status;
    if (!may_be_unknown && sym_type_strip(out->type)->kind == SYM_TYPE_UNKNOWN)
        return ebb_fail(ev->err, EBB_BAD_INPUT,
                        "'%.200s' has unknown type; cast it to its declared type", node->name);
    return see_through_reference(ev, out);
}

static bool all_digits(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

/* $ $$ $$n count from the end of the value history, $n from its beginning. */
static ebb_status eval_history(expr_ev *ev, const char *name, expr_value *out, bool *is_history)
{
    bool from_end = *name == '$' || *name == '\0';
    const char *digits = *name == '$' ? name + 1 : name;
    *is_history = (from_end && *digits == '\0') || all_digits(digits);
    if (!*is_history)
        return EBB_OK;
    if (strlen(digits) > 15)
        return ebb_fail(ev->err, EBB_NOT_FOUND, "History has not yet reached $%.100s.", digits);
    long index = *digits ? atol(digits) : *name == '$';
    return ev->world->get_history(ev->world->self, ev->arena, index, from_end, out, ev->err);
}

/* The world's variable may be set again while its old value is still in use ($v++). */
static void own_bytes(expr_ev *ev, expr_value *value)
{
    if (value->bytes)
        value->bytes = expr_value_of_bytes(ev->arena, value->type, value->bytes).bytes;
    if (value->missing) {
        size_t nbytes = (size_t)(sym_type_size(value->type) + 7) / 8;
        uint8_t *missing = ebb_arena_alloc(ev->arena, nbytes);
        memcpy(missing, value->missing, nbytes);
        value->missing = missing;
    }
}

static ebb_status eval_dollar(expr_ev *ev, const expr_node *node, expr_value *out)
{
    const expr_world *world = ev->world;
    *out = (expr_value){0};
    bool is_history;
    ebb_status status = eval_history(ev, node->name, out, &is_history);
    if (status || is_history)
        return status;
    status = world->find_register(world->self, ev->arena, node->name, out, ev->err);
    if (status != EBB_NOT_FOUND)
        return status;
    status = world->get_convenience(world->self, ev->arena, node->name, out, ev->err);
    own_bytes(ev, out);
    out->place = (expr_place){.kind = EXPR_PLACE_CONVENIENCE, .name = node->name};
    return status;
}

/* ---- prefix operators ------------------------------------------------------------------------ */

static ebb_status eval_operand(expr_ev *ev, const expr_node *node, expr_value *out)
{
    return node->kind == EXPR_NODE_NAME ? eval_name(ev, node, true, out)
                                        : expr_ev_node(ev, node, out);
}

static ebb_status eval_address(expr_ev *ev, const expr_node *operand, expr_value *out)
{
    expr_value value;
    if (operand->kind == EXPR_NODE_NAME && expr_member_pointer(ev, operand, out))
        return EBB_OK;
    ebb_status status = eval_operand(ev, operand, &value);
    if (status)
        return status;
    bool is_name = operand->kind == EXPR_NODE_NAME;
    if (is_name && value.place.kind == EXPR_PLACE_REGISTER)
        return ebb_fail(ev->err, EBB_BAD_INPUT,
                        "Address requested for identifier \"%.200s\" which is in %s%s",
                        operand->name, value.place.name ? "register $" : "a register",
                        value.place.name ? value.place.name : "");
    if (is_name && value.place.kind != EXPR_PLACE_MEMORY)
        return ebb_fail(ev->err, EBB_BAD_INPUT,
                        "Can't take address of \"%.200s%s%.200s\" which isn't an lvalue.", operand->scope ? operand->scope : "",
                        operand->scope && *operand->scope ? "::" : "", operand->name);
    return expr_ev_address_of(ev, &value, out);
}

enum { MAX_ALIGNMENT = 16, MAX_ALIGNMENT_DEPTH = 32 };

static uint64_t alignment(sym_type *type, unsigned depth)
{
    type = sym_type_strip(type);
    if (depth > MAX_ALIGNMENT_DEPTH)
        return 1;
    uint64_t most = 1;
    switch (type->kind) {
    case SYM_TYPE_ARRAY:
    case SYM_TYPE_COMPLEX: return type->target ? alignment(type->target, depth + 1) : 1;
    case SYM_TYPE_STRUCT:
    case SYM_TYPE_UNION:
        for (size_t i = 0; i < type->n_members; i++) {
            uint64_t inner = alignment(type->members[i].type, depth + 1);
            most = inner > most ? inner : most;
        }
        return most;
    default: return type->nbytes > MAX_ALIGNMENT ? MAX_ALIGNMENT : type->nbytes ? type->nbytes : 1;
    }
}

static ebb_status eval_size(expr_ev *ev, const expr_node *node, expr_value *out)
{
    sym_type *type;
    ebb_status status = type_of(ev, node->left, &type);
    if (status)
        return status;
    type = seen_through(type);
    sym_type_kind kind = sym_type_strip(type)->kind;
    uint64_t nbytes = kind == SYM_TYPE_VOID || kind == SYM_TYPE_FUNCTION ? 1 : sym_type_size(type);
    uint64_t answer = node->op == EXPR_OP_SIZEOF ? nbytes : alignment(type, 0);
    *out = expr_value_of_u64(ev->arena, expr_ev_basic(ev, "unsigned long"), answer);
    return EBB_OK;
}

/* ++ and --: *old is the value before, *changed what was stored. */
static ebb_status step_value(expr_ev *ev, const expr_node *node, expr_value *old,
                             expr_value *changed)
{
    bool is_increment = node->op == EXPR_OP_PRE_INCREMENT || node->op == EXPR_OP_POST_INCREMENT;
    ebb_status status = expr_ev_node(ev, node->left, old);
    if (!status)
        status = expr_ev_fetch(ev, old);
    if (status)
        return status;
    expr_value one = int_value(ev, true), left = *old, sum;
    status = expr_ev_infix(ev, is_increment ? EXPR_OP_ADD : EXPR_OP_SUB, &left, &one, &sum);
    return status ? status : expr_ev_assign(ev, old, &sum, changed);
}

static ebb_status eval_prefix(expr_ev *ev, const expr_node *node, expr_value *out)
{
    expr_value operand;
    ebb_status status;
    switch (node->op) {
    case EXPR_OP_SIZEOF:
    case EXPR_OP_ALIGNOF:
    case EXPR_OP_ALIGNOF_CPLUS: return eval_size(ev, node, out);
    case EXPR_OP_ADDRESS: return eval_address(ev, node->left, out);
    case EXPR_OP_PRE_INCREMENT:
    case EXPR_OP_PRE_DECREMENT: return step_value(ev, node, &operand, out);
    default:
        status = expr_ev_node(ev, node->left, &operand);
        if (status)
            return status;
        if (node->op != EXPR_OP_DEREF)
            return expr_ev_prefix(ev, node->op, &operand, out);
        status = expr_ev_deref(ev, &operand, out);
        if (!status && node->type)
            out->reference = node->type;
        return status;
    }
}

static ebb_status eval_postfix(expr_ev *ev, const expr_node *node, expr_value *out)
{
    expr_value changed;
    ebb_status status = step_value(ev, node, out, &changed);
    out->place = (expr_place){.kind = EXPR_PLACE_NONE};
    return status;
}

/* ---- infix operators ------------------------------------------------------------------------- */

static ebb_status eval_logical(expr_ev *ev, const expr_node *node, expr_value *left,
                               expr_value *out)
{
    bool is_and = node->op == EXPR_OP_LOGICAL_AND, is_true;
    expr_value right;
    ebb_status status = expr_refuse_struct(ev, expr_operators[node->op].token, left, NULL);
    if (!status)
        status = expr_ev_to_bool(ev, left, &is_true);
    if (!status && is_true == is_and) {
        status = expr_ev_node(ev, node->right, &right);
        if (!status)
            status = expr_refuse_struct(ev, expr_operators[node->op].token, &right, NULL);
        if (!status)
            status = expr_ev_to_bool(ev, &right, &is_true);
    }
    if (!status)
        *out = expr_ev_truth(ev, is_true);
    return status;
}

static ebb_status apply_infix(expr_ev *ev, const expr_node *node, expr_value *left, expr_value *out)
{
    if (node->op == EXPR_OP_LOGICAL_AND || node->op == EXPR_OP_LOGICAL_OR)
        return eval_logical(ev, node, left, out);
    if (node->op == EXPR_OP_COMMA)
        return expr_ev_node(ev, node->right, out);
    expr_value right;
    ebb_status status = expr_ev_node(ev, node->right, &right);
    if (!status && (node->op == EXPR_OP_MEMBER_AT || node->op == EXPR_OP_ARROW_AT))
        return expr_member_at(ev, left, &right, node->op == EXPR_OP_ARROW_AT, out);
    return status ? status : expr_ev_infix(ev, node->op, left, &right, out);
}

/* TE2 */
static ebb_status eval_infix(expr_ev *ev, const expr_node *node, expr_value *out)
{
    size_t n;
    const expr_node *const *chain = expr_infix_chain(ev->arena, node, &n);
    expr_value left;
    ebb_status status = expr_ev_node(ev, chain[0]->left, &left);
    for (size_t i = 0; !status && i < n; i++) {
        status = apply_infix(ev, chain[i], &left, out);
        left = *out;
    }
    return status;
}

static ebb_status eval_assign(expr_ev *ev, const expr_node *node, expr_value *out)
{
    expr_value to, from;
    ebb_status status = expr_ev_node(ev, node->left, &to);
    if (!status)
        status = expr_ev_node(ev, node->right, &from);
    if (status)
        return status;
    if (node->op == EXPR_OP_SET)
        return expr_ev_assign(ev, &to, &from, out);
    expr_value left = to, result;
    status = expr_ev_infix(ev, expr_applied_operator(node->op), &left, &from, &result);
    return status ? status : expr_ev_assign(ev, &to, &result, out);
}

static bool is_arithmetic(sym_type *type)
{
    return expr_type_is_number(type) || expr_type_is_complex(type);
}

/* C11 6.5.15: two arithmetic arms meet in their common type, whichever is chosen.  Arms of one type
 * keep it even if C would promote it, so that an enumerator or character is still printed as such.
 */
static void convert_to_common(expr_ev *ev, const expr_node *other_arm, expr_value *value)
{
    expr_ev quiet = {.arena = ev->arena, .world = ev->world, .types_only = true};
    expr_value converted;
    sym_type *other;
    if (!is_arithmetic(value->type) || type_of(&quiet, other_arm, &other) || !is_arithmetic(other = seen_through(other)) || sym_type_same(value->type, other))
        return;
    sym_type *common = expr_ev_common_type(ev, value->type, other);
    if (expr_ev_cast(ev, common, value, &converted) == EBB_OK)
        *value = converted;
}

static ebb_status eval_conditional(expr_ev *ev, const expr_node *node, expr_value *out)
{
    expr_value condition;
    bool is_true;
    ebb_status status = expr_ev_node(ev, node->left, &condition);
    if (!status)
        status = expr_ev_to_bool(ev, &condition, &is_true);
    if (!status)
        status = expr_ev_node(ev, is_true ? node->right : node->third, out);
    if (!status)
        convert_to_common(ev, is_true ? node->third : node->right, out);
    return status;
}

/* ---- the rest -------------------------------------------------------------------------------- */

static ebb_status eval_index(expr_ev *ev, const expr_node *node, expr_value *out)
{
    expr_value array, index;
    ebb_status status = expr_ev_node(ev, node->left, &array);
    if (!status)
        status = expr_ev_node(ev, node->right, &index);
    return status ? status : expr_ev_index(ev, &array, &index, out);
}

static ebb_status eval_member(expr_ev *ev, const expr_node *node, expr_value *out)
{
    expr_value aggregate;
    ebb_status status = expr_ev_node(ev, node->left, &aggregate);
    if (!status && node->scope)
        status = expr_as_base(ev, node->scope, node->op == EXPR_OP_ARROW, &aggregate);
    return status ? status
                  : expr_ev_member(ev, &aggregate, node->name, node->op == EXPR_OP_ARROW && !node->scope, out);
}

static ebb_status eval_cast(expr_ev *ev, const expr_node *node, expr_value *out)
{
    expr_value value;
    ebb_status status = node->left->kind == EXPR_NODE_CALL
                            ? expr_ev_call(ev, node->left, node->type, &value)
                            : eval_operand(ev, node->left, &value);
    return status ? status : expr_ev_cast(ev, node->type, &value, out);
}

static ebb_status eval_at_address(expr_ev *ev, const expr_node *node, expr_value *out)
{
    expr_value value;
    uint64_t addr;
    ebb_status status = expr_ev_node(ev, node->left, &value);
    if (!status)
        status = expr_ev_to_u64(ev, &value, &addr);
    if (!status)
        *out = expr_value_at(node->type, addr);
    return status;
}

static ebb_status eval_node(expr_ev *ev, const expr_node *node, expr_value *out)
{
    switch (node->kind) {
    case EXPR_NODE_LITERAL:
    case EXPR_NODE_STRING: *out = *node->value; return EBB_OK;
    case EXPR_NODE_NAME: return eval_name(ev, node, false, out);
    case EXPR_NODE_DOLLAR: return eval_dollar(ev, node, out);
    case EXPR_NODE_TYPE:
        return ebb_fail(ev->err, EBB_BAD_INPUT, "Attempt to use a type name as an expression");
    case EXPR_NODE_PREFIX: return eval_prefix(ev, node, out);
    case EXPR_NODE_POSTFIX: return eval_postfix(ev, node, out);
    case EXPR_NODE_INFIX: return eval_infix(ev, node, out);
    case EXPR_NODE_ASSIGN: return eval_assign(ev, node, out);
    case EXPR_NODE_CONDITIONAL: return eval_conditional(ev, node, out);
    case EXPR_NODE_INDEX: return eval_index(ev, node, out);
    case EXPR_NODE_MEMBER: return eval_member(ev, node, out);
    case EXPR_NODE_CALL: return expr_ev_call(ev, node, NULL, out);
    case EXPR_NODE_CAST: return eval_cast(ev, node, out);
    case EXPR_NODE_DYNAMIC_CAST: return expr_dynamic_cast(ev, node, out);
    case EXPR_NODE_AT_ADDRESS: return eval_at_address(ev, node, out);
    default: break; /* Java's */
    }
    ebb_unreachable();
}

ebb_status expr_ev_node(expr_ev *ev, const expr_node *node, expr_value *out)
{
    ebb_status status = eval_node(ev, node, out);
    return status ? status : see_through_reference(ev, out);
}

/* ---- from outside ---------------------------------------------------------------------------- */

static ebb_status type_of(expr_ev *ev, const expr_node *node, sym_type **type)
{
    if (node->kind == EXPR_NODE_TYPE) {
        *type = node->type;
        return EBB_OK;
    }
    expr_ev only = *ev;
    only.types_only = true;
    expr_value value;
    ebb_status status = expr_ev_node(&only, node, &value);
    if (!status)
        *type = value.reference ? value.reference : value.type;
    return status;
}

ebb_status expr_eval(ebb_arena *arena, const expr_world *world, const expr_node *tree,
                     expr_value *value, ebb_error *err)
{
    expr_ev ev = {.arena = arena, .world = world, .err = err};
    return expr_ev_node(&ev, tree, value);
}

ebb_status expr_type_of(ebb_arena *arena, const expr_world *world, const expr_node *tree,
                        sym_type **type, bool *is_type_name, ebb_error *err)
{
    expr_ev ev = {.arena = arena, .world = world, .err = err};
    *is_type_name = tree->kind == EXPR_NODE_TYPE;
    return type_of(&ev, tree, type);
}

ebb_status expr_evaluate(ebb_arena *arena, const expr_world *world, const char *text,
                         expr_value *value, ebb_error *err)
{
    const expr_node *tree;
    ebb_status status = expr_parse(arena, world, text, &tree, err);
    return status ? status : expr_eval(arena, world, tree, value, err);
}
