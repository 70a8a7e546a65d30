/* complex.c - arithmetic on complex numbers, by the compiler's own: each precision on its own (number.h, NU2), and a real operand
 * stays real (C11 G.5), so that infinities and signed zeros come out as in the program. */
#include "base/check.h"
#include "expr/eval.h"
#include "expr/number.h"

/* A complex operand, or a real one in an operation with such. */
typedef struct operand {
    bool is_complex;
    expr_number real, imaginary;
} operand;

bool expr_type_is_complex(sym_type *type)
{
    type = sym_type_strip(type);
    if (type->kind != SYM_TYPE_COMPLEX || !type->target || sym_type_strip(type->target)->kind != SYM_TYPE_FLOAT)
        return false;
    expr_float_format format = expr_float_format_of(type->target);
    return (format == EXPR_FLOAT_SINGLE || format == EXPR_FLOAT_DOUBLE || format == EXPR_FLOAT_X87) &&
           2 * sym_type_size(type->target) == sym_type_size(type);
}

static sym_type *part_type(sym_type *type)
{
    return expr_type_is_complex(type) ? sym_type_strip(sym_type_strip(type)->target) : type;
}

/* Both parts in the precision of `part`. */
static operand load(const expr_value *value, sym_type *part)
{
    operand o = {.is_complex = expr_type_is_complex(value->type)};
    sym_type *own = part_type(value->type);
    o.real = expr_number_convert(expr_number_load(own, value->bytes), part);
    o.imaginary = (expr_number){.type = part, .is_real = true};
    if (o.is_complex)
        o.imaginary = expr_number_convert(expr_number_load(own, value->bytes + sym_type_size(own)), part);
    return o;
}

static expr_value store(expr_ev *ev, const operand *o, sym_type *type)
{
    uint8_t bytes[2 * EXPR_X87_NBYTES] = {0};
    expr_float_format format = expr_float_format_of(part_type(type));
    expr_real_store(format, o->real.real, bytes);
    expr_real_store(format, o->imaginary.real, bytes + sym_type_size(part_type(type)));
    return expr_value_of_bytes(ev->arena, type, bytes);
}

static sym_type *common_part(expr_ev *ev, sym_type *left, sym_type *right)
{
    return expr_common_type(ev->world->types, part_type(left), part_type(right));
}

/* Complex if one of the two is: then that one itself, if it is wide enough. */
sym_type *expr_ev_common_type(expr_ev *ev, sym_type *left, sym_type *right)
{
    sym_type *part = common_part(ev, left, right);
    expr_float_format format = expr_float_format_of(part);
    if (!expr_type_is_complex(left) && !expr_type_is_complex(right))
        return part;
    if (expr_type_is_complex(left) && expr_float_format_of(part_type(left)) == format)
        return sym_type_strip(left);
    if (expr_type_is_complex(right) && expr_float_format_of(part_type(right)) == format)
        return sym_type_strip(right);
    return expr_ev_basic(ev, format == EXPR_FLOAT_SINGLE   ? "complex float"
                             : format == EXPR_FLOAT_DOUBLE ? "complex double"
                                                           : "complex long double");
}

/* ---- operators ---------------------------------------------------------------------------------- */

#define OPERATE(x, y)                                                                              \
    switch (op) {                                                                                  \
    case EXPR_OP_ADD: z = (x) + (y); break;                                                        \
    case EXPR_OP_SUB: z = (x) - (y); break;                                                        \
    case EXPR_OP_MUL: z = (x) * (y); break;                                                        \
    default: z = (x) / (y); break;                                                                 \
    }

#define COMPLEX_OPERATE(ctype)                                                                     \
    do {                                                                                           \
        volatile ctype ar = (ctype)a->real.real, br = (ctype)b->real.real;                         \
        volatile ctype _Complex ac = __builtin_complex((ctype)a->real.real, (ctype)a->imaginary.real), \
                                bc = __builtin_complex((ctype)b->real.real, (ctype)b->imaginary.real); \
        ctype _Complex z;                                                                          \
        if (!b->is_complex) {                                                                      \
            OPERATE(ac, br)                                                                        \
        } else if (!a->is_complex) {                                                               \
            OPERATE(ar, bc)                                                                        \
        } else {                                                                                   \
            OPERATE(ac, bc)                                                                        \
        }                                                                                          \
        out.real.real = (expr_real)__real__ z;                                                     \
        out.imaginary.real = (expr_real)__imag__ z;                                                \
    } while (0)

__attribute__((no_sanitize("float-divide-by-zero"))) static operand
operate(expr_op op, expr_float_format format, const operand *a, const operand *b)
{
    operand out = *a;
    switch (format) {
    case EXPR_FLOAT_SINGLE: COMPLEX_OPERATE(float); break;
    case EXPR_FLOAT_DOUBLE: COMPLEX_OPERATE(double); break;
    default: COMPLEX_OPERATE(long double); break;
    }
    return out;
}

static bool equal(const operand *a, const operand *b)
{
    return expr_number_compare(&a->real, &b->real) == 0 && expr_number_compare(&a->imaginary, &b->imaginary) == 0;
}

ebb_status expr_ev_complex_infix(expr_ev *ev, expr_op op, const expr_value *left, const expr_value *right, expr_value *out)
{
    bool is_equality = op == EXPR_OP_EQ || op == EXPR_OP_NE;
    if (!is_equality && op != EXPR_OP_ADD && op != EXPR_OP_SUB && op != EXPR_OP_MUL && op != EXPR_OP_DIV)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "Invalid binary operation on numbers.");
    sym_type *part = common_part(ev, left->type, right->type);
    expr_float_format format = expr_float_format_of(part);
    if (format == EXPR_FLOAT_QUAD)
        return ebb_fail(ev->err, EBB_UNSUPPORTED, "Complex numbers of that precision can't be computed with.");
    operand a = load(left, part), b = load(right, part);
    if (is_equality) {
        *out = expr_value_of_u64(ev->arena, expr_ev_basic(ev, "int"), equal(&a, &b) == (op == EXPR_OP_EQ));
        return EBB_OK;
    }
    operand result = operate(op, format, &a, &b);
    *out = store(ev, &result, expr_ev_common_type(ev, left->type, right->type));
    return EBB_OK;
}

expr_value expr_ev_complex_prefix(expr_ev *ev, expr_op op, const expr_value *value)
{
    operand o = load(value, part_type(value->type));
    if (op == EXPR_OP_NEGATE)
        o.real = expr_number_negate(o.real);
    if (op == EXPR_OP_NEGATE || op == EXPR_OP_COMPLEMENT) /* ~ conjugates, as GNU C has it */
        o.imaginary = expr_number_negate(o.imaginary);
    return store(ev, &o, sym_type_strip(value->type));
}

/* ---- conversions -------------------------------------------------------------------------------- */

bool expr_complex_is_zero(const expr_value *value)
{
    operand o = load(value, part_type(value->type));
    return expr_number_is_zero(&o.real) && expr_number_is_zero(&o.imaginary);
}

expr_value expr_ev_to_complex(expr_ev *ev, const expr_value *value, sym_type *type)
{
    operand o = load(value, part_type(type));
    return store(ev, &o, type);
}

expr_value expr_complex_part(expr_ev *ev, const expr_value *value, bool imaginary)
{
    sym_type *part = part_type(value->type);
    return expr_value_part(ev->arena, value, part, imaginary ? sym_type_size(part) : 0, 0, 0);
}
