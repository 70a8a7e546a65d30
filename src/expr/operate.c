/* operate.c - prefix and infix operators on values: which rule of C applies to which operands. */
#include "base/check.h"
#include "expr/cplus.h"
#include "expr/number.h"

static bool is_pointer(const expr_value *value)
{
    return sym_type_strip(value->type)->kind == SYM_TYPE_POINTER;
}

static bool is_struct(const expr_value *value)
{
    sym_type_kind kind = sym_type_strip(value->type)->kind;
    return kind == SYM_TYPE_STRUCT || kind == SYM_TYPE_UNION;
}

ebb_status expr_refuse_struct(expr_ev *ev, const char *token, const expr_value *left,
                              const expr_value *right)
{
    if (is_struct(left) || (right && is_struct(right)))
        return ebb_fail(ev->err, EBB_BAD_INPUT, "Structure has no component named operator%s.",
                        token);
    return EBB_OK;
}

static ebb_status fail_not_number(expr_ev *ev)
{
    return ebb_fail(ev->err, EBB_BAD_INPUT,
                    "Argument to arithmetic operation not a number or boolean.");
}

/* Ready to be computed with: decayed, and its bytes are there. */
static ebb_status prepare(expr_ev *ev, expr_value *value)
{
    ebb_status status = expr_ev_decay(ev, value);
    return status ? status : expr_ev_fetch(ev, value);
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static ebb_status arithmetic(expr_ev *ev, expr_op op, const expr_value *left,
                             const expr_value *right, expr_value *out)
{
    if (!expr_type_is_number(left->type) || !expr_type_is_number(right->type))
        return fail_not_number(ev);
    sym_types *types = ev->world->types;
    expr_number a = expr_number_load(left->type, left->bytes),
                b = expr_number_load(right->type, right->bytes), result;
    /* A shift has the type of its left operand alone. */
    sym_type *common = expr_op_is_shift(op) ? expr_promoted_type(types, left->type)
                                    : expr_common_type(types, left->type, right->type);
    a = expr_number_convert(a, common);
    if (!expr_op_is_shift(op))
        b = expr_number_convert(b, common);
    bool divides = op == EXPR_OP_DIV || op == EXPR_OP_MOD;
    if (ev->types_only && divides && expr_number_is_zero(&b)) {
        *out = expr_number_store(ev->arena, &a, common);
        return EBB_OK;
    }
    ebb_status status = expr_number_infix(op, a, b, &result, ev->err);
    if (!status)
        *out = expr_number_store(ev->arena, &result, common);
    return status;
}

/* ---- comparison ------------------------------------------------------------------------------ */

/* `order` as expr_number_compare gives it: with a NaN only != holds. */
static bool comparison_holds(expr_op op, int order)
{
    switch (op) {
    case EXPR_OP_EQ: return order == 0;
    case EXPR_OP_NE: return order != 0;
    case EXPR_OP_LT: return order == -1;
    case EXPR_OP_GT: return order == 1;
    case EXPR_OP_LE: return order == -1 || order == 0;
    case EXPR_OP_GE: return order == 1 || order == 0;
    default: ebb_unreachable();
    }
}

/* Whether this is complex arithmetic. */
static bool meets_complex(const expr_value *left, const expr_value *right)
{
    bool left_is = expr_type_is_complex(left->type), right_is = expr_type_is_complex(right->type);
    return (left_is && (right_is || expr_type_is_number(right->type))) || (right_is && expr_type_is_number(left->type));
}

static bool is_integer(const expr_value *value)
{
    return sym_type_is_integral(value->type) && expr_type_is_number(value->type);
}

static bool has_address(const expr_value *value)
{
    return is_pointer(value) || is_integer(value) || sym_type_strip(value->type)->kind == SYM_TYPE_MEMBER_POINTER;
}

static ebb_status compare(expr_ev *ev, expr_op op, expr_value *left, expr_value *right,
                          expr_value *out)
{
    int order;
    if (expr_type_is_number(left->type) && expr_type_is_number(right->type)) {
        sym_type *common = expr_common_type(ev->world->types, left->type, right->type);
        expr_number a = expr_number_convert(expr_number_load(left->type, left->bytes), common);
        expr_number b = expr_number_convert(expr_number_load(right->type, right->bytes), common);
        order = expr_number_compare(&a, &b);
    } else if (has_address(left) && has_address(right)) {
        uint64_t a, b;
        ebb_status status = expr_ev_to_u64(ev, left, &a);
        if (!status)
            status = expr_ev_to_u64(ev, right, &b);
        if (status)
            return status;
        order = (a > b) - (a < b);
    } else {
        return ebb_fail(ev->err, EBB_BAD_INPUT, "Invalid type combination in %s.",
                        op == EXPR_OP_EQ || op == EXPR_OP_NE ? "equality test" : "ordering comparison");
    }
    *out = expr_ev_truth(ev, comparison_holds(op, order));
    return EBB_OK;
}

/* ---- infix ----------------------------------------------------------------------------------- */

/* pointer + n, n + pointer, pointer - n, pointer - pointer */
static ebb_status pointer_arithmetic(expr_ev *ev, expr_op op, expr_value *left, expr_value *right,
                                     expr_value *out)
{
    if (is_pointer(left) && is_pointer(right)) {
        if (op == EXPR_OP_SUB)
            return expr_ev_pointer_difference(ev, left, right, out);
        return fail_not_number(ev);
    }
    expr_value *pointer = is_pointer(left) ? left : right,
               *number = is_pointer(left) ? right : left;
    bool is_sum = op == EXPR_OP_ADD || (op == EXPR_OP_SUB && pointer == left);
    if (!is_sum || !is_integer(number))
        return fail_not_number(ev);
    uint64_t n;
    ebb_status status = expr_ev_to_u64(ev, number, &n);
    if (status)
        return status;
    return expr_ev_pointer_add(ev, pointer, (int64_t)(op == EXPR_OP_SUB ? -n : n), out);
}

ebb_status expr_ev_infix(expr_ev *ev, expr_op op, expr_value *left, expr_value *right,
                         expr_value *out)
{
    if (op == EXPR_OP_REPEAT)
        return expr_ev_repeat(ev, left, right, out);
    ebb_status status = expr_operator_call(ev, expr_operators[op].token, left, right, out);
    if (status != EBB_NOT_FOUND)
        return status;
    status = expr_refuse_struct(ev, expr_operators[op].token, left, right);
    if (!status)
        status = prepare(ev, left);
    if (!status)
        status = prepare(ev, right);
    if (status)
        return status;
    bool is_order = expr_op_is_comparison(op) && op != EXPR_OP_EQ && op != EXPR_OP_NE;
    if (meets_complex(left, right) && !is_order)
        return expr_ev_complex_infix(ev, op, left, right, out);
    if (expr_op_is_comparison(op))
        return compare(ev, op, left, right, out);
    if (is_pointer(left) || is_pointer(right))
        return pointer_arithmetic(ev, op, left, right, out);
    return arithmetic(ev, op, left, right, out);
}

/* ---- prefix ---------------------------------------------------------------------------------- */

/* + - ~ on the promoted operand */
static ebb_status unary_arithmetic(expr_ev *ev, expr_op op, expr_value *operand, expr_value *out)
{
    ebb_status status = expr_ev_fetch(ev, operand);
    if (status)
        return status;
    if (expr_type_is_complex(operand->type)) {
        *out = expr_ev_complex_prefix(ev, op, operand);
        return EBB_OK;
    }
    bool is_integral = sym_type_is_integral(operand->type);
    if (!expr_type_is_number(operand->type) || (op == EXPR_OP_COMPLEMENT && !is_integral))
        return ebb_fail(ev->err, EBB_BAD_INPUT,
                        op == EXPR_OP_COMPLEMENT
                            ? "Argument to complement operation not an integer, boolean."
                        : op == EXPR_OP_NEGATE ? "Argument to negate operation not a number."
                                               : "Argument to positive operation not a number.");
    sym_type *type = expr_promoted_type(ev->world->types, operand->type);
    expr_number number = expr_number_convert(expr_number_load(operand->type, operand->bytes), type);
    if (op == EXPR_OP_NEGATE)
        number = expr_number_negate(number);
    else if (op == EXPR_OP_COMPLEMENT)
        number = expr_number_complement(number);
    *out = expr_number_store(ev->arena, &number, type);
    return EBB_OK;
}

/* __real__, __imag__: of a real number they are itself and zero. */
static ebb_status take_part(expr_ev *ev, expr_op op, expr_value *operand, expr_value *out)
{
    if (expr_type_is_complex(operand->type)) {
        *out = expr_complex_part(ev, operand, op == EXPR_OP_IMAGINARY);
        return EBB_OK;
    }
    if (!expr_type_is_number(operand->type))
        return fail_not_number(ev);
    ebb_status status = expr_ev_fetch(ev, operand);
    *out = *operand;
    if (!status && op == EXPR_OP_IMAGINARY)
        *out = expr_value_of_bytes(ev->arena, operand->type, (uint8_t[16]){0});
    return status;
}

ebb_status expr_ev_prefix(expr_ev *ev, expr_op op, expr_value *operand, expr_value *out)
{
    ebb_status status = expr_operator_call(ev, expr_operators[op].token, operand, NULL, out);
    if (status != EBB_NOT_FOUND)
        return status;
    status = expr_refuse_struct(ev, expr_operators[op].token, operand, NULL);
    if (status)
        return status;
    if (op == EXPR_OP_REAL || op == EXPR_OP_IMAGINARY)
        return take_part(ev, op, operand, out);
    if (op != EXPR_OP_NOT)
        return unary_arithmetic(ev, op, operand, out);
    bool is_true;
    status = expr_ev_to_bool(ev, operand, &is_true);
    if (!status)
        *out = expr_ev_truth(ev, !is_true);
    return status;
}
