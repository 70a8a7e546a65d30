/* java_operate.c - operators on values: promotions, and arithmetic that wraps as Java's does. */
#include "base/check.h"
#include "expr/java_eval.h"

#include <math.h>
#include <string.h>

static ebb_status fail_operands(java_ev *ev, expr_op op, const java_value *left, const java_value *right)
{
    return ebb_fail(ev->err, EBB_BAD_INPUT, "bad operand types for binary operator '%s': %.150s and %.150s",
                    expr_operators[op].token, java_type_text(ev, left->type), java_type_text(ev, right->type));
}

static ebb_status fail_operand(java_ev *ev, expr_op op, const java_value *operand)
{
    return ebb_fail(ev->err, EBB_BAD_INPUT, "bad operand type %.200s for unary operator '%s'",
                    java_type_text(ev, operand->type), expr_operators[op].token);
}

char java_promoted(char a, char b)
{
    if (a == 'D' || b == 'D')
        return 'D';
    if (a == 'F' || b == 'F')
        return 'F';
    return a == 'J' || b == 'J' ? 'J' : 'I';
}

/* ---- arithmetic ---------------------------------------------------------------------------------- */

static double real_arithmetic(expr_op op, double a, double b)
{
    switch (op) {
    case EXPR_OP_ADD: return a + b;
    case EXPR_OP_SUB: return a - b;
    case EXPR_OP_MUL: return a * b;
    case EXPR_OP_DIV: return a / b;
    default: return fmod(a, b);
    }
}

/* In the precision of float: a double's result, narrowed, is the same for these operations but not for the remainder. */
static double float_arithmetic(expr_op op, float a, float b)
{
    return op == EXPR_OP_MOD ? (double)fmodf(a, b) : (double)(float)real_arithmetic(op, a, b);
}

static int64_t divide(expr_op op, int64_t a, int64_t b)
{
    if (b == -1)
        return op == EXPR_OP_DIV ? (int64_t)-(uint64_t)a : 0;
    return op == EXPR_OP_DIV ? a / b : a % b;
}

/* On 64 bits; an int's result is cut down by the caller. */
static int64_t integer_arithmetic(expr_op op, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch (op) {
    case EXPR_OP_ADD: return (int64_t)(x + y);
    case EXPR_OP_SUB: return (int64_t)(x - y);
    case EXPR_OP_MUL: return (int64_t)(x * y);
    case EXPR_OP_AND: return a & b;
    case EXPR_OP_OR: return a | b;
    case EXPR_OP_XOR: return a ^ b;
    case EXPR_OP_DIV:
    case EXPR_OP_MOD: return divide(op, a, b);
    default: ebb_unreachable();
    }
}

static bool compare(expr_op op, bool is_less, bool is_equal, bool is_greater)
{
    switch (op) {
    case EXPR_OP_EQ: return is_equal;
    case EXPR_OP_NE: return !is_equal;
    case EXPR_OP_LT: return is_less;
    case EXPR_OP_LE: return is_less || is_equal;
    case EXPR_OP_GT: return is_greater;
    default: return is_greater || is_equal;
    }
}

static java_value real_infix(java_ev *ev, expr_op op, char code, double a, double b)
{
    if (expr_op_is_comparison(op))
        return java_boolean(ev, compare(op, a < b, a == b, a > b));
    return java_real(ev, code, code == 'F' ? float_arithmetic(op, (float)a, (float)b) : real_arithmetic(op, a, b));
}

static ebb_status integer_infix(java_ev *ev, expr_op op, char code, int64_t a, int64_t b, java_value *out)
{
    if (expr_op_is_comparison(op)) {
        *out = java_boolean(ev, compare(op, a < b, a == b, a > b));
        return EBB_OK;
    }
    bool is_division = op == EXPR_OP_DIV || op == EXPR_OP_MOD;
    if (is_division && b == 0 && !ev->types_only)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "java.lang.ArithmeticException: / by zero");
    java_value wide = java_integer(ev, 'J', is_division && b == 0 ? 0 : integer_arithmetic(op, a, b));
    *out = java_convert_primitive(ev, &wide, code);
    return EBB_OK;
}

static java_value shift(java_ev *ev, expr_op op, char code, int64_t a, int64_t by)
{
    unsigned n = (unsigned)by & (code == 'J' ? 63 : 31);
    uint64_t bits = code == 'J' ? (uint64_t)a : (uint32_t)a;
    java_value wide = java_integer(ev, 'J', op == EXPR_OP_SHL ? (int64_t)(bits << n) : op == EXPR_OP_SHR ? a >> n : (int64_t)(bits >> n));
    return java_convert_primitive(ev, &wide, code);
}

/* Both operands are primitives. */
static ebb_status primitive_infix(java_ev *ev, expr_op op, const java_value *left, const java_value *right, java_value *out)
{
    char a = java_letter(ev, left->type), b = java_letter(ev, right->type);
    if (a == 'Z' && b == 'Z' && (expr_op_is_bitwise(op) || op == EXPR_OP_EQ || op == EXPR_OP_NE)) {
        *out = java_boolean(ev, op == EXPR_OP_EQ ? left->i == right->i
                                : op == EXPR_OP_NE ? left->i != right->i
                                                   : integer_arithmetic(op, left->i, right->i) != 0);
        return EBB_OK;
    }
    if (!java_is_numeric(a) || !java_is_numeric(b) ||
        ((expr_op_is_bitwise(op) || expr_op_is_shift(op)) && (!java_is_integral(a) || !java_is_integral(b))))
        return fail_operands(ev, op, left, right);
    if (expr_op_is_shift(op)) {
        char code = java_promoted(a, 'I');
        *out = shift(ev, op, code, left->i, right->i);
        return EBB_OK;
    }
    char code = java_promoted(a, b);
    java_value x = java_convert_primitive(ev, left, code), y = java_convert_primitive(ev, right, code);
    if (code == 'J' || code == 'I')
        return integer_infix(ev, op, code, x.i, y.i, out);
    *out = real_infix(ev, op, code, x.d, y.d);
    return EBB_OK;
}

/* ---- references ---------------------------------------------------------------------------------- */

/* A literal is the interned string of its text: it is one with the program's own. */
static ebb_status intern(java_ev *ev, const java_value *value, uint64_t *ref)
{
    java_value interned = *value;
    *ref = value->ref;
    if (!value->text || ev->types_only)
        return EBB_OK;
    ebb_status status = java_call_simple(ev, value->type, value, "intern", NULL, &interned);
    *ref = interned.ref;
    return status;
}

static ebb_status same_object(java_ev *ev, const java_value *left, const java_value *right, bool *out)
{
    if (left->text && right->text) {
        *out = strcmp(left->text, right->text) == 0;
        return EBB_OK;
    }
    if (java_is_null(left) || java_is_null(right)) {
        *out = java_is_null(left) && java_is_null(right);
        return EBB_OK;
    }
    uint64_t a, b;
    ebb_status status = intern(ev, left, &a);
    if (!status)
        status = intern(ev, right, &b);
    if (!status)
        *out = a == b;
    return status;
}

static ebb_status reference_infix(java_ev *ev, expr_op op, const java_value *left, const java_value *right, java_value *out)
{
    bool is_same;
    ebb_status status = same_object(ev, left, right, &is_same);
    if (!status)
        *out = java_boolean(ev, (op == EXPR_OP_EQ) == is_same);
    return status;
}

ebb_status java_infix(java_ev *ev, expr_op op, const java_value *left, const java_value *right, java_value *out)
{
    bool are_references = java_is_reference(java_letter(ev, left->type)) && java_is_reference(java_letter(ev, right->type));
    if ((op == EXPR_OP_EQ || op == EXPR_OP_NE) && are_references)
        return reference_infix(ev, op, left, right, out);
    if (op == EXPR_OP_ADD && (java_joins_text(ev, left) || java_joins_text(ev, right)))
        return java_concat(ev, left, right, out);
    if (!java_primitive_code(ev, left) || !java_primitive_code(ev, right))
        return fail_operands(ev, op, left, right);
    java_value a, b;
    ebb_status status = java_unbox(ev, left, &a);
    if (!status)
        status = java_unbox(ev, right, &b);
    return status ? status : primitive_infix(ev, op, &a, &b, out);
}

/* ---- one operand ---------------------------------------------------------------------------------- */

ebb_status java_as_boolean(java_ev *ev, const java_value *value, bool *out)
{
    java_value opened;
    if (java_primitive_code(ev, value) != 'Z')
        return ebb_fail(ev->err, EBB_BAD_INPUT, "incompatible types: %.200s cannot be converted to boolean",
                        java_type_text(ev, value->type));
    ebb_status status = java_unbox(ev, value, &opened);
    if (!status)
        *out = opened.i != 0;
    return status;
}

ebb_status java_prefix(java_ev *ev, expr_op op, const java_value *operand, java_value *out)
{
    char code = java_primitive_code(ev, operand);
    bool is_good = op == EXPR_OP_NOT ? code == 'Z' : op == EXPR_OP_COMPLEMENT ? java_is_integral(code) : java_is_numeric(code);
    if (!is_good)
        return fail_operand(ev, op, operand);
    java_value opened;
    ebb_status status = java_unbox(ev, operand, &opened);
    if (status)
        return status;
    if (op == EXPR_OP_NOT) {
        *out = java_boolean(ev, !opened.i);
        return EBB_OK;
    }
    java_value wide = java_convert_primitive(ev, &opened, java_promoted(code, 'I'));
    char to = java_letter(ev, wide.type);
    if (op == EXPR_OP_PLUS)
        *out = wide;
    else if (to == 'F' || to == 'D')
        *out = java_real(ev, to, -wide.d);
    else {
        wide.i = op == EXPR_OP_NEGATE ? (int64_t)-(uint64_t)wide.i : ~wide.i;
        *out = java_convert_primitive(ev, &wide, to);
    }
    return EBB_OK;
}
