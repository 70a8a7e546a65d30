/* java_eval.c - walks a tree with Java's rules. */
#include "base/check.h"
#include "expr/java_eval.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_UNITS = 1 << 20 }; /* of a String that is copied */

static ebb_status eval_literal(java_ev *ev, const expr_java_literal *literal, java_value *out)
{
    switch (literal->code) {
    case 'L': *out = java_text(ev, literal->text); break;
    case 'F':
    case 'D': *out = java_real(ev, literal->code, literal->d); break;
    default: *out = java_integer(ev, literal->code, literal->i);
    }
    return EBB_OK;
}

bool java_is_constant(const expr_node *node)
{
    switch (node->kind) {
    case EXPR_NODE_LITERAL: return node->literal->code != 'N';
    case EXPR_NODE_PREFIX: return expr_operators[node->op].token[1] == '\0' && java_is_constant(node->left);
    case EXPR_NODE_CAST: return !strchr(node->type_name, '[') && java_is_constant(node->left);
    case EXPR_NODE_INFIX:
        for (; node->kind == EXPR_NODE_INFIX; node = node->left) {
            if (!java_is_constant(node->right))
                return false;
        }
        return java_is_constant(node);
    case EXPR_NODE_CONDITIONAL:
        return java_is_constant(node->left) && java_is_constant(node->right) && java_is_constant(node->third);
    default: return false;
    }
}

/* ---- names ----------------------------------------------------------------------------------------- */

static ebb_status eval_name(java_ev *ev, const expr_node *node, java_value *out)
{
    java_meaning meaning;
    ebb_status status = java_resolve(ev, node, &meaning);
    if (status)
        return status;
    *out = meaning.value;
    if (meaning.kind == JAVA_MEANS_CLASS)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "Attempt to use a type name as an expression");
    if (meaning.kind == JAVA_MEANS_PACKAGE)
        return java_fail_no_symbol(ev, meaning.package);
    return EBB_OK;
}

static bool all_digits(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

/* $ $$ $$n count from the end of the value history, $n from its beginning; other names are variables. */
static ebb_status eval_dollar(java_ev *ev, const char *name, java_value *out)
{
    const java_world *world = ev->world;
    bool from_end = *name == '$' || *name == '\0';
    const char *digits = *name == '$' ? name + 1 : name;
    ebb_status status;
    *out = (java_value){0};
    if (all_digits(digits) && strlen(digits) > 15)
        return ebb_fail(ev->err, EBB_NOT_FOUND, "History has not yet reached $%.100s.", digits);
    if ((from_end && !*digits) || all_digits(digits)) {
        long index = *digits ? atol(digits) : *name == '$';
        status = world->get_history(world->self, ev->arena, index, from_end, out, ev->err);
        out->place = JAVA_PLACE_NONE;
    } else {
        status = world->get_convenience(world->self, ev->arena, name, out, ev->err);
        out->place = JAVA_PLACE_CONVENIENCE;
        out->name = name;
    }
    if (!status && !out->type)
        out->type = java_type_of_code(ev, 'V');
    return status;
}

static ebb_status eval_class(java_ev *ev, const expr_node *node, java_value *out)
{
    const java_type *type;
    ebb_status status = java_type_named(ev, node->type_name, &type);
    *out = (java_value){.type = java_type_of(ev, "Ljava/lang/Class;")};
    return status ? status : ev->world->mirror(ev->world->self, type, &out->ref, ev->err);
}

/* ---- assignment ------------------------------------------------------------------------------------- */

/* The value is of the place's type already; JX1, JX2. */
static ebb_status store(java_ev *ev, const java_value *place, java_value *value)
{
    const java_world *world = ev->world;
    if (place->place == JAVA_PLACE_NONE)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "unexpected type: a variable is required on the left of an assignment");
    if (ev->is_pure)
        return ebb_fail(ev->err, EBB_UNSUPPORTED, "This would change the program.");
    if (ev->types_only)
        return EBB_OK;
    if (ev->is_lambda) /* JX5 */
        return ebb_fail(ev->err, EBB_UNSUPPORTED, "A lambda can't assign: it runs in a copy of the program.");
    if (place->place == JAVA_PLACE_CONVENIENCE)
        return world->set_convenience(world->self, place->name, value, ev->err);
    java_value text = *value;
    bool is_string = ev->may_call && value->ref && java_is_string(ev, java_dynamic_type(ev, value));
    java_string string;
    if (is_string && world->string(world->self, ev->arena, value->ref, MAX_UNITS, &string, NULL) != EBB_OK)
        is_string = false;
    if (is_string)
        text.text = string.utf8;
    ebb_status status = world->assign(world->self, place, value, ev->err);
    ev->may_call = false; /* the world left the copy */
    if (status != EBB_UNSUPPORTED || !is_string)
        return status;
    /* A String that a call made in the copy is as good by its text. */
    text.ref = 0;
    *value = text;
    return world->assign(world->self, place, value, ev->err);
}

/* JLS 10.5: an array may be one of a narrower class than its static type says. */
static ebb_status check_array_store(java_ev *ev, const java_value *place, const java_value *value)
{
    const java_type *array;
    if (place->place != JAVA_PLACE_ELEMENT || !java_is_reference(java_letter(ev, value->type)) || java_is_null(value))
        return EBB_OK;
    ebb_status status = ev->world->class_of(ev->world->self, place->holder, &array, ev->err);
    if (status)
        return status;
    const java_type *own = java_dynamic_type(ev, value);
    if (java_is_subtype(ev, own, ev->world->element(ev->world->self, array)))
        return EBB_OK;
    return ebb_fail(ev->err, EBB_BAD_INPUT, "java.lang.ArrayStoreException: %.200s", ev->world->type_name(ev->world->self, own));
}

static ebb_status convert_and_store(java_ev *ev, const java_value *place, const java_value *value, bool is_constant, java_value *out)
{
    bool is_variable = place->place == JAVA_PLACE_CONVENIENCE;
    *out = *value;
    ebb_status status = is_variable ? EBB_OK : java_assign_convert(ev, place->type, value, is_constant, out);
    if (!status)
        status = check_array_store(ev, place, out);
    if (!status)
        status = store(ev, place, out);
    if (!is_variable)
        out->type = place->type;
    out->place = JAVA_PLACE_NONE;
    return status;
}

/* x op= y is x = (T) (x op y). */
static ebb_status apply_and_store(java_ev *ev, expr_op op, const java_value *place, const java_value *right, java_value *out)
{
    java_value result, converted;
    ebb_status status = java_infix(ev, op, place, right, &result);
    if (status)
        return status;
    char code = java_primitive_code(ev, place);
    bool is_variable = place->place == JAVA_PLACE_CONVENIENCE;
    converted = result;
    if (!is_variable && code && !java_is_reference(java_letter(ev, result.type))) {
        const java_type *primitive = java_type_of_code(ev, code);
        status = java_cast(ev, primitive, &result, &converted);
    }
    return status ? status : convert_and_store(ev, place, &converted, false, out);
}

static ebb_status eval_assign(java_ev *ev, const expr_node *node, java_value *out)
{
    java_value place, right;
    ebb_status status = java_eval(ev, node->left, &place);
    if (!status)
        status = java_eval(ev, node->right, &right);
    if (status)
        return status;
    if (node->op == EXPR_OP_SET)
        return convert_and_store(ev, &place, &right, java_is_constant(node->right), out);
    return apply_and_store(ev, expr_applied_operator(node->op), &place, &right, out);
}

static ebb_status step_value(java_ev *ev, const expr_node *node, java_value *before, java_value *after)
{
    bool is_increment = node->op == EXPR_OP_PRE_INCREMENT || node->op == EXPR_OP_POST_INCREMENT;
    ebb_status status = java_eval(ev, node->left, before);
    if (status)
        return status;
    if (!java_is_numeric(java_primitive_code(ev, before)))
        return ebb_fail(ev->err, EBB_BAD_INPUT, "bad operand type %.200s for unary operator '%s'", java_type_text(ev, before->type),
                        expr_operators[node->op].token);
    java_value one = java_integer(ev, 'I', 1);
    return apply_and_store(ev, is_increment ? EXPR_OP_ADD : EXPR_OP_SUB, before, &one, after);
}

/* ---- operators ---------------------------------------------------------------------------------------- */

static ebb_status eval_prefix(java_ev *ev, const expr_node *node, java_value *out)
{
    java_value operand;
    if (node->op == EXPR_OP_PRE_INCREMENT || node->op == EXPR_OP_PRE_DECREMENT)
        return step_value(ev, node, &operand, out);
    ebb_status status = java_eval(ev, node->left, &operand);
    return status ? status : java_prefix(ev, node->op, &operand, out);
}

static ebb_status eval_postfix(java_ev *ev, const expr_node *node, java_value *out)
{
    java_value after;
    ebb_status status = step_value(ev, node, out, &after);
    out->place = JAVA_PLACE_NONE;
    return status;
}

/* A part that Java's compiler looks at and the program passes by: *is_known says whether it makes sense here at all. */
static void eval_skipped(java_ev *ev, const expr_node *node, java_value *out, bool *is_known)
{
    java_ev only = *ev;
    only.types_only = true;
    only.err = NULL;
    *is_known = java_eval(&only, node, out) == EBB_OK && java_letter(ev, out->type) != 'V';
}

static ebb_status eval_logical(java_ev *ev, const expr_node *node, const java_value *left, java_value *out)
{
    bool is_and = node->op == EXPR_OP_LOGICAL_AND, is_true, is_known = true;
    java_value right;
    ebb_status status = java_as_boolean(ev, left, &is_true);
    bool is_skipped = !status && is_true != is_and;
    if (is_skipped)
        eval_skipped(ev, node->right, &right, &is_known);
    else if (!status)
        status = java_eval(ev, node->right, &right);
    if (!status && is_known && java_primitive_code(ev, &right) != 'Z')
        return java_as_boolean(ev, &right, &is_true); /* `true || 5` is wrong, though nobody needs the 5 */
    if (!status && !is_skipped)
        status = java_as_boolean(ev, &right, &is_true);
    if (!status)
        *out = java_boolean(ev, is_true);
    return status;
}

static ebb_status apply_infix(java_ev *ev, const expr_node *node, const java_value *left, java_value *out)
{
    if (node->op == EXPR_OP_LOGICAL_AND || node->op == EXPR_OP_LOGICAL_OR)
        return eval_logical(ev, node, left, out);
    java_value right;
    ebb_status status = java_eval(ev, node->right, &right);
    return status ? status : java_infix(ev, node->op, left, &right, out);
}

/* TE2 */
static ebb_status eval_infix(java_ev *ev, const expr_node *node, java_value *out)
{
    size_t n;
    const expr_node *const *chain = expr_infix_chain(ev->arena, node, &n);
    java_value left;
    ebb_status status = java_eval(ev, chain[0]->left, &left);
    for (size_t i = 0; !status && i < n; i++) {
        status = apply_infix(ev, chain[i], &left, out);
        left = *out;
    }
    return status;
}

/* ---- ? : ------------------------------------------------------------------------------------------------ */

/* An arm as far as its type goes. */
typedef struct conditional_arm {
    const expr_node *node;
    java_value value;
    char code; /* after unboxing; 0 */
} conditional_arm;

static bool is_small_constant(java_ev *ev, const conditional_arm *arm, char to)
{
    java_value ignored;
    java_ev quiet = *ev;
    quiet.err = NULL;
    return arm->code == 'I' && !java_is_reference(java_letter(ev, arm->value.type)) && java_is_constant(arm->node) && strchr("BSC", to) &&
           java_assign_convert(&quiet, java_type_of_code(ev, to), &arm->value, true, &ignored) == EBB_OK;
}

/* JLS 15.25.2 for two numbers. */
static char common_code(java_ev *ev, const conditional_arm *a, const conditional_arm *b)
{
    if (a->code == b->code)
        return a->code;
    if ((a->code == 'B' && b->code == 'S') || (a->code == 'S' && b->code == 'B'))
        return 'S';
    if (is_small_constant(ev, b, a->code))
        return a->code;
    if (is_small_constant(ev, a, b->code))
        return b->code;
    static const char order[] = "DFJ";
    for (size_t i = 0; i < 3; i++) {
        if (a->code == order[i] || b->code == order[i])
            return order[i];
    }
    return 'I';
}

static bool is_reference_arm(java_ev *ev, const conditional_arm *arm)
{
    return java_is_reference(java_letter(ev, arm->value.type));
}

/* Gives the chosen arm the type that the two have together. */
static ebb_status meet(java_ev *ev, const conditional_arm *chosen, const conditional_arm *other, java_value *out)
{
    *out = chosen->value;
    out->place = JAVA_PLACE_NONE;
    bool both_references = is_reference_arm(ev, chosen) && is_reference_arm(ev, other);
    bool both_primitive = chosen->code && other->code && (chosen->code == 'Z') == (other->code == 'Z');
    bool same_box = both_references && chosen->value.type == other->value.type;
    if (both_primitive && !same_box && (!both_references || (java_unboxed_code(ev, chosen->value.type) && java_unboxed_code(ev, other->value.type)))) {
        java_value opened;
        ebb_status status = java_unbox(ev, &chosen->value, &opened);
        if (!status)
            *out = java_convert_primitive(ev, &opened, common_code(ev, chosen, other));
        return status;
    }
    if (both_references && java_is_subtype(ev, chosen->value.type, other->value.type))
        out->type = other->value.type;
    else if (both_references && !java_is_subtype(ev, other->value.type, chosen->value.type))
        out->type = java_type_of(ev, "Ljava/lang/Object;");
    return EBB_OK;
}

static ebb_status eval_conditional(java_ev *ev, const expr_node *node, java_value *out)
{
    java_value condition;
    bool is_true, is_known;
    ebb_status status = java_eval(ev, node->left, &condition);
    if (!status)
        status = java_as_boolean(ev, &condition, &is_true);
    if (status)
        return status;
    conditional_arm chosen = {.node = is_true ? node->right : node->third}, other = {.node = is_true ? node->third : node->right};
    status = java_eval(ev, chosen.node, &chosen.value);
    if (status)
        return status;
    if (java_letter(ev, chosen.value.type) == 'V')
        return ebb_fail(ev->err, EBB_BAD_INPUT, "'void' type not allowed here");
    eval_skipped(ev, other.node, &other.value, &is_known);
    *out = chosen.value;
    out->place = JAVA_PLACE_NONE;
    if (!is_known)
        return EBB_OK;
    chosen.code = java_primitive_code(ev, &chosen.value);
    other.code = java_primitive_code(ev, &other.value);
    return meet(ev, &chosen, &other, out);
}

/* ---- the walk --------------------------------------------------------------------------------------------- */

static ebb_status eval_cast(java_ev *ev, const expr_node *node, java_value *out)
{
    const java_type *type;
    java_value value;
    ebb_status status = java_type_named(ev, node->type_name, &type);
    if (!status)
        status = java_eval_operand(ev, node->left, &value);
    return status ? status : java_cast(ev, type, &value, out);
}

/* From here on the name is that object: `&&` and `?:` get to what follows only if it is one. */
static void bind(java_ev *ev, const char *name, const java_type *type, const java_value *value)
{
    java_scope *scope = ebb_arena_alloc(ev->arena, sizeof *scope);
    *scope = (java_scope){.name = name, .value = *value, .around = ev->scope};
    scope->value.type = type;
    scope->value.place = JAVA_PLACE_NONE;
    ev->scope = scope;
}

static ebb_status eval_instanceof(java_ev *ev, const expr_node *node, java_value *out)
{
    const java_type *type;
    java_value value;
    bool is_instance;
    ebb_status status = java_eval(ev, node->left, &value);
    if (!status)
        status = java_type_named(ev, node->type_name, &type);
    if (!status)
        status = java_instance_of(ev, &value, type, &is_instance);
    if (!status && node->name && (is_instance || ev->types_only))
        bind(ev, node->name, type, &value);
    if (!status)
        *out = java_boolean(ev, is_instance);
    return status;
}

ebb_status java_eval(java_ev *ev, const expr_node *node, java_value *out)
{
    *out = (java_value){0};
    switch (node->kind) {
    case EXPR_NODE_LITERAL: return eval_literal(ev, node->literal, out);
    case EXPR_NODE_NAME:
    case EXPR_NODE_MEMBER: return eval_name(ev, node, out);
    case EXPR_NODE_DOLLAR: return eval_dollar(ev, node->name, out);
    case EXPR_NODE_TYPE: return ebb_fail(ev->err, EBB_BAD_INPUT, "Attempt to use a type name as an expression");
    case EXPR_NODE_PREFIX: return eval_prefix(ev, node, out);
    case EXPR_NODE_POSTFIX: return eval_postfix(ev, node, out);
    case EXPR_NODE_INFIX: return eval_infix(ev, node, out);
    case EXPR_NODE_ASSIGN: return eval_assign(ev, node, out);
    case EXPR_NODE_CONDITIONAL: return eval_conditional(ev, node, out);
    case EXPR_NODE_INDEX: return java_eval_index(ev, node, out);
    case EXPR_NODE_CALL: return java_eval_call(ev, node, out);
    case EXPR_NODE_CAST: return eval_cast(ev, node, out);
    case EXPR_NODE_INSTANCEOF: return eval_instanceof(ev, node, out);
    case EXPR_NODE_NEW: return java_eval_new(ev, node, out);
    case EXPR_NODE_NEW_ARRAY: return java_eval_new_array(ev, node, out);
    case EXPR_NODE_CLASS: return eval_class(ev, node, out);
    case EXPR_NODE_THIS: return java_eval_this(ev, node, out);
    case EXPR_NODE_LAMBDA: return ebb_fail(ev->err, EBB_BAD_INPUT, "A lambda can only be an argument or be cast: (Runnable) () -> f().");
    case EXPR_NODE_METHOD_REFERENCE:
        return ebb_fail(ev->err, EBB_BAD_INPUT, "A method reference can only be an argument or be cast: (Runnable) this::f.");
    default: return ebb_fail(ev->err, EBB_BAD_INPUT, "This is no expression of Java.");
    }
}

/* ---- from outside ------------------------------------------------------------------------------------------ */

ebb_status expr_java_eval(ebb_arena *arena, const java_world *world, const expr_node *tree, java_value *value, ebb_error *err)
{
    java_ev ev = {.arena = arena, .world = world, .err = err};
    return java_eval(&ev, tree, value);
}

ebb_status expr_java_place(ebb_arena *arena, const java_world *world, const expr_node *tree, java_value *place, ebb_error *err)
{
    java_ev ev = {.arena = arena, .world = world, .err = err, .is_pure = true};
    ebb_status status = java_eval(&ev, tree, place);
    if (!status && (place->place == JAVA_PLACE_NONE || place->place == JAVA_PLACE_CONVENIENCE))
        status = ebb_fail(err, EBB_UNSUPPORTED, "This is no variable, field or element: name the one that holds it.");
    return status;
}

ebb_status expr_java_type_of(ebb_arena *arena, const java_world *world, const expr_node *tree, const java_type **type,
                             bool *is_type_name, ebb_error *err)
{
    java_ev ev = {.arena = arena, .world = world, .err = err, .types_only = true};
    java_meaning meaning;
    ebb_status status = java_resolve(&ev, tree, &meaning);
    if (status)
        return status;
    if (meaning.kind == JAVA_MEANS_PACKAGE)
        return java_fail_no_symbol(&ev, meaning.package);
    *is_type_name = meaning.kind == JAVA_MEANS_CLASS;
    *type = *is_type_name ? meaning.type : meaning.value.type;
    return EBB_OK;
}

ebb_status expr_java_truth(const java_world *world, const java_value *value, bool *out, ebb_error *err)
{
    ebb_arena arena = {0};
    java_ev ev = {.arena = &arena, .world = world, .err = err};
    ebb_status status = java_as_boolean(&ev, value, out);
    ebb_arena_fini(&arena);
    return status;
}
