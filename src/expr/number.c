/* number.c - integers are held in 128 bits and reduced to their type after every operation (NU1). */
#include "expr/number.h"
#include "base/check.h"
#include "expr/expr.h"

#include <string.h>

/* ---- floats ---------------------------------------------------------------------------------- */

expr_float_format expr_float_format_of(sym_type *type)
{
    type = sym_type_strip(type);
    bool is_binary128 = type->name && (strstr(type->name, "128") || strstr(type->name, "quad"));
    switch (type->nbytes) {
    case 2: return EXPR_FLOAT_HALF;
    case 4: return EXPR_FLOAT_SINGLE;
    case 8: return EXPR_FLOAT_DOUBLE;
    case EXPR_X87_NBYTES: return is_binary128 ? EXPR_FLOAT_QUAD : EXPR_FLOAT_X87;
    default: return EXPR_FLOAT_UNKNOWN;
    }
}

/* IEEE half precision by hand: the compiler's own support depends on its version. */
static float half_to_float(uint16_t half)
{
    unsigned exponent = half >> 10 & 0x1f, fraction = half & 0x3ff;
    float magnitude;
    if (exponent == 0x1f)
        magnitude = fraction ? __builtin_nanf("") : __builtin_inff();
    else if (exponent == 0)
        magnitude = (float)fraction / (1 << 24);
    else
        magnitude = __builtin_ldexpf((float)(fraction | 0x400), (int)exponent - 25);
    return half & 0x8000 ? -magnitude : magnitude;
}

static uint16_t half_from_float(float real)
{
    uint16_t sign = __builtin_signbit(real) ? 0x8000 : 0;
    float magnitude = __builtin_fabsf(real);
    if (__builtin_isnan(real))
        return sign | 0x7e00;
    if (magnitude >= 65520.0f)
        return sign | 0x7c00;
    int exponent;
    __builtin_frexpf(magnitude, &exponent);
    if (exponent < -13)
        exponent = -13;
    /* In units of the last place, rounded to even; a carry runs into the exponent by itself. */
    unsigned units = (unsigned)__builtin_rintf(__builtin_ldexpf(magnitude, 11 - exponent));
    return (uint16_t)(sign | (units + ((unsigned)(exponent + 13) << 10)));
}

expr_real expr_real_load(expr_float_format format, const uint8_t *bytes)
{
    switch (format) {
    case EXPR_FLOAT_HALF: {
        uint16_t half;
        memcpy(&half, bytes, sizeof half);
        return (expr_real)half_to_float(half);
    }
    case EXPR_FLOAT_SINGLE: {
        float single;
        memcpy(&single, bytes, sizeof single);
        return (expr_real)single;
    }
    case EXPR_FLOAT_DOUBLE: {
        double twice;
        memcpy(&twice, bytes, sizeof twice);
        return (expr_real)twice;
    }
    case EXPR_FLOAT_X87: {
        long double extended;
        memcpy(&extended, bytes, EXPR_X87_USED_NBYTES);
        return (expr_real)extended;
    }
    case EXPR_FLOAT_QUAD: {
        expr_real quad;
        memcpy(&quad, bytes, sizeof quad);
        return quad;
    }
    default: return 0;
    }
}

void expr_real_store(expr_float_format format, expr_real real, uint8_t *bytes)
{
    switch (format) {
    case EXPR_FLOAT_HALF: {
        uint16_t half = half_from_float((float)real);
        memcpy(bytes, &half, sizeof half);
        break;
    }
    case EXPR_FLOAT_SINGLE: {
        float single = (float)real;
        memcpy(bytes, &single, sizeof single);
        break;
    }
    case EXPR_FLOAT_DOUBLE: {
        double twice = (double)real;
        memcpy(bytes, &twice, sizeof twice);
        break;
    }
    case EXPR_FLOAT_X87: {
        long double extended = (long double)real;
        memset(bytes, 0, EXPR_X87_NBYTES);
        memcpy(bytes, &extended, EXPR_X87_USED_NBYTES);
        break;
    }
    case EXPR_FLOAT_QUAD: memcpy(bytes, &real, sizeof real); break;
    default: ebb_unreachable();
    }
}

/* ---- load, store, convert -------------------------------------------------------------------- */

static bool is_signed_type(const sym_type *type)
{
    return type->is_signed && type->kind != SYM_TYPE_BOOL;
}

bool expr_type_is_number(sym_type *type)
{
    type = sym_type_strip(type);
    if (type->kind == SYM_TYPE_FLOAT)
        return expr_float_format_of(type) != EXPR_FLOAT_UNKNOWN;
    return sym_type_is_integral(type) && type->nbytes >= 1 && type->nbytes <= sizeof(expr_bits);
}

/* NU1 */
static expr_bits reduce(expr_bits bits, const sym_type *type)
{
    unsigned unused = (unsigned)(8 * (sizeof bits - type->nbytes));
    if (unused == 0)
        return bits;
    bits <<= unused;
    return is_signed_type(type) ? (expr_bits)((__int128)bits >> unused) : bits >> unused;
}

expr_number expr_number_load(sym_type *type, const uint8_t *bytes)
{
    expr_number number = {.type = sym_type_strip(type)};
    ebb_check(expr_type_is_number(number.type));
    number.is_real = number.type->kind == SYM_TYPE_FLOAT;
    if (number.is_real) {
        number.real = expr_real_load(expr_float_format_of(number.type), bytes);
    } else {
        memcpy(&number.bits, bytes, number.type->nbytes);
        number.bits = reduce(number.bits, number.type);
    }
    return number;
}

expr_value expr_number_store(ebb_arena *arena, const expr_number *number, sym_type *type)
{
    uint8_t bytes[16] = {0};
    if (number->is_real)
        expr_real_store(expr_float_format_of(number->type), number->real, bytes);
    else
        memcpy(bytes, &number->bits, number->type->nbytes);
    return expr_value_of_bytes(arena, type, bytes);
}

/* Out of range C defines nothing: as in gdb the nearest number of 64 (or 128) bits, the largest for
 * a NaN. */
static expr_bits bits_of_real(expr_real real, const sym_type *type)
{
    unsigned nbits = type->nbytes > 8 ? 128 : 64;
    const expr_real limit = (expr_real)((expr_bits)1 << (nbits - 1));
    if (real != real || is_signed_type(type) || real < 0) {
        if (real != real || real >= limit)
            return ((expr_bits)1 << (nbits - 1)) - 1;
        return real <= -limit ? (expr_bits)1 << (nbits - 1) : (expr_bits)(__int128)real;
    }
    return real >= 2 * limit ? ~(expr_bits)0 : (expr_bits)real;
}

#define REAL_OF_BITS(ctype)                                                                        \
    (is_signed_type(number->type) ? (expr_real)(ctype)(__int128)number->bits : (expr_real)(ctype)number->bits)

/* 128 bits fit into no float: rounded to the precision that is asked for, at once. */
static expr_real real_of_bits(const expr_number *number, expr_float_format format)
{
    switch (format) {
    case EXPR_FLOAT_HALF:
    case EXPR_FLOAT_SINGLE: return REAL_OF_BITS(float);
    case EXPR_FLOAT_DOUBLE: return REAL_OF_BITS(double);
    case EXPR_FLOAT_X87: return REAL_OF_BITS(long double);
    default: return REAL_OF_BITS(expr_real);
    }
}

expr_number expr_number_convert(expr_number number, sym_type *type)
{
    expr_number out = {.type = sym_type_strip(type)};
    if (out.type->kind == SYM_TYPE_BOOL) {
        out.bits = !expr_number_is_zero(&number);
    } else if (out.type->kind == SYM_TYPE_FLOAT) {
        uint8_t bytes[16] = {0};
        expr_float_format format = expr_float_format_of(out.type);
        expr_real_store(format, number.is_real ? number.real : real_of_bits(&number, format), bytes);
        out.is_real = true;
        out.real = expr_real_load(format, bytes);
    } else {
        out.bits =
            reduce(number.is_real ? bits_of_real(number.real, out.type) : number.bits, out.type);
    }
    return out;
}

bool expr_number_is_zero(const expr_number *number)
{
    return number->is_real ? number->real == 0 : number->bits == 0;
}

/* ---- the types that C computes in ------------------------------------------------------------ */

sym_type *expr_promoted_type(sym_types *types, sym_type *type)
{
    type = sym_type_strip(type);
    if (!sym_type_is_integral(type))
        return type;
    if (type->kind == SYM_TYPE_ENUM) {
        if (type->nbytes > 4)
            return sym_types_basic(types, type->is_signed ? "long" : "unsigned long");
        return sym_types_basic(types, type->is_signed || type->nbytes < 4 ? "int" : "unsigned int");
    }
    return type->nbytes < 4 ? sym_types_basic(types, "int") : type;
}

/* Among types of one size, `long long` ranks above `long`. */
static unsigned rank(const sym_type *type)
{
    bool is_long_long = type->name && strstr(type->name, "long long");
    return (unsigned)type->nbytes * 2 + is_long_long;
}

static const char *unsigned_name(const sym_type *type)
{
    switch (type->nbytes) {
    case 4: return "unsigned int";
    case 16: return "unsigned __int128";
    default: return rank(type) % 2 ? "unsigned long long" : "unsigned long";
    }
}

sym_type *expr_common_type(sym_types *types, sym_type *left, sym_type *right)
{
    left = expr_promoted_type(types, left);
    right = expr_promoted_type(types, right);
    bool left_is_float = left->kind == SYM_TYPE_FLOAT,
         right_is_float = right->kind == SYM_TYPE_FLOAT;
    if (left_is_float || right_is_float) {
        if (!left_is_float)
            return right;
        if (!right_is_float)
            return left;
        return expr_float_format_of(right) > expr_float_format_of(left) ? right : left;
    }
    if (left->is_signed == right->is_signed)
        return rank(right) > rank(left) ? right : left;
    sym_type *with_sign = left->is_signed ? left : right, *without = left->is_signed ? right : left;
    if (rank(without) >= rank(with_sign))
        return without;
    if (with_sign->nbytes > without->nbytes)
        return with_sign;
    return sym_types_basic(types, unsigned_name(with_sign));
}

/* ---- operators ------------------------------------------------------------------------------- */

/* NU2: each precision on its own, written once. */
#define REAL_OPERATE(ctype)                                                                        \
    do {                                                                                           \
        volatile ctype a_ = (ctype)left, b_ = (ctype)right, result_ = 0;                           \
        switch (op) {                                                                              \
        case EXPR_OP_ADD: result_ = a_ + b_; break;                                                \
        case EXPR_OP_SUB: result_ = a_ - b_; break;                                                \
        case EXPR_OP_MUL: result_ = a_ * b_; break;                                                \
        default: result_ = a_ / b_; break;                                                         \
        }                                                                                          \
        return (expr_real)result_;                                                                 \
    } while (0)

__attribute__((no_sanitize("float-divide-by-zero"))) static expr_real
real_infix(expr_op op, expr_float_format format, expr_real left, expr_real right)
{
    switch (format) {
    case EXPR_FLOAT_HALF:
    case EXPR_FLOAT_SINGLE: REAL_OPERATE(float);
    case EXPR_FLOAT_DOUBLE: REAL_OPERATE(double);
    case EXPR_FLOAT_X87: REAL_OPERATE(long double);
    default: REAL_OPERATE(expr_real);
    }
}

static ebb_status divide(expr_op op, const expr_number *left, const expr_number *right,
                         expr_bits *bits, ebb_error *err)
{
    if (right->bits == 0)
        return ebb_fail(err, EBB_BAD_INPUT, "Division by zero");
    bool is_division = op == EXPR_OP_DIV;
    if (!is_signed_type(left->type)) {
        *bits = is_division ? left->bits / right->bits : left->bits % right->bits;
        return EBB_OK;
    }
    /* The smallest number / -1 overflows: as a negation it wraps round, like the other operators. */
    if (right->bits == ~(expr_bits)0)
        *bits = is_division ? -left->bits : 0;
    else
        *bits = (expr_bits)(is_division ? (__int128)left->bits / (__int128)right->bits
                                        : (__int128)left->bits % (__int128)right->bits);
    return EBB_OK;
}

/* Bits beyond the width are gone, as in gdb; a negative count too. */
static expr_bits shift(expr_op op, const expr_number *left, const expr_number *right)
{
    bool is_negative = is_signed_type(right->type) && (__int128)right->bits < 0;
    unsigned width = (unsigned)left->type->nbytes * 8;
    if (op == EXPR_OP_SHL)
        return is_negative || right->bits >= width ? 0 : left->bits << right->bits;
    if (is_negative)
        return 0;
    unsigned count = right->bits >= width ? width - 1 : (unsigned)right->bits;
    if (is_signed_type(left->type))
        return (expr_bits)((__int128)left->bits >> count);
    return right->bits >= width ? 0 : left->bits >> count;
}

static ebb_status bits_infix(expr_op op, const expr_number *left, const expr_number *right,
                             expr_bits *bits, ebb_error *err)
{
    switch (op) {
    case EXPR_OP_ADD: *bits = left->bits + right->bits; break;
    case EXPR_OP_SUB: *bits = left->bits - right->bits; break;
    case EXPR_OP_MUL: *bits = left->bits * right->bits; break;
    case EXPR_OP_DIV:
    case EXPR_OP_MOD: return divide(op, left, right, bits, err);
    case EXPR_OP_AND: *bits = left->bits & right->bits; break;
    case EXPR_OP_OR: *bits = left->bits | right->bits; break;
    case EXPR_OP_XOR: *bits = left->bits ^ right->bits; break;
    case EXPR_OP_SHL:
    case EXPR_OP_SHR: *bits = shift(op, left, right); break;
    default: ebb_unreachable();
    }
    return EBB_OK;
}

ebb_status expr_number_infix(expr_op op, expr_number left, expr_number right, expr_number *out,
                             ebb_error *err)
{
    *out = (expr_number){.type = left.type, .is_real = left.is_real};
    if (left.is_real || right.is_real) {
        if (op != EXPR_OP_ADD && op != EXPR_OP_SUB && op != EXPR_OP_MUL && op != EXPR_OP_DIV)
            return ebb_fail(err, EBB_BAD_INPUT, "Integer-only operation on floating point number.");
        out->real = real_infix(op, expr_float_format_of(left.type), left.real, right.real);
        if (expr_float_format_of(left.type) == EXPR_FLOAT_HALF)
            *out = expr_number_convert(*out, left.type);
        return EBB_OK;
    }
    ebb_status status = bits_infix(op, &left, &right, &out->bits, err);
    out->bits = reduce(out->bits, out->type);
    return status;
}

int expr_number_compare(const expr_number *left, const expr_number *right)
{
    if (left->is_real) {
        if (left->real != left->real || right->real != right->real)
            return 2;
        return (left->real > right->real) - (left->real < right->real);
    }
    if (is_signed_type(left->type))
        return ((__int128)left->bits > (__int128)right->bits) -
               ((__int128)left->bits < (__int128)right->bits);
    return (left->bits > right->bits) - (left->bits < right->bits);
}

expr_number expr_number_negate(expr_number number)
{
    if (number.is_real)
        number.real = -number.real;
    else
        number.bits = reduce(-number.bits, number.type);
    return number;
}

expr_number expr_number_complement(expr_number number)
{
    number.bits = reduce(~number.bits, number.type);
    return number;
}
