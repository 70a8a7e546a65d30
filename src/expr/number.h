/* number.h - arithmetic as the C compiler would do it, for every integer and floating type.
 *
 * NU1  `bits` of an integer is always reduced to its type: zero-extended if unsigned, sign-extended
 * if signed, so that two numbers of one type compare as their bits do; NU2  `real` holds every
 * float, double, x87 and binary128 number exactly; an operation is carried out in the precision of
 * the result's own type, so rounding is the hardware's. */
#ifndef EBB_EXPR_NUMBER_H
#define EBB_EXPR_NUMBER_H

#include "expr/tree.h"

typedef unsigned __int128 expr_bits;
typedef __float128 expr_real;

typedef struct expr_number {
    sym_type *type; /* INT (or CHAR, BOOL, ENUM before promotion) or FLOAT, stripped */
    bool is_real;
    expr_bits bits;
    expr_real real;
} expr_number;

enum { EXPR_X87_NBYTES = 16, EXPR_X87_USED_NBYTES = 10 };

/* How the bytes of a FLOAT type are to be read. */
typedef enum expr_float_format {
    EXPR_FLOAT_UNKNOWN,
    EXPR_FLOAT_HALF,
    EXPR_FLOAT_SINGLE,
    EXPR_FLOAT_DOUBLE,
    EXPR_FLOAT_X87,
    EXPR_FLOAT_QUAD,
} expr_float_format;
expr_float_format expr_float_format_of(sym_type *type);
expr_real expr_real_load(expr_float_format format, const uint8_t *bytes);
void expr_real_store(expr_float_format format, expr_real real, uint8_t *bytes);

/* Whether values of the type can be loaded as numbers: integers up to 16 bytes and known floats. */
bool expr_type_is_number(sym_type *type);
expr_number expr_number_load(sym_type *type, const uint8_t *bytes);
expr_value expr_number_store(ebb_arena *arena, const expr_number *number, sym_type *type);

/* C's conversion to `type` (not a pointer): truncation, rounding, != 0 for _Bool. */
expr_number expr_number_convert(expr_number number, sym_type *type);
bool expr_number_is_zero(const expr_number *number);

/* Integer promotion: the type that a lone operand of that type is computed in. */
sym_type *expr_promoted_type(sym_types *types, sym_type *type);
/* Usual arithmetic conversions: the type that two operands meet in. */
sym_type *expr_common_type(sym_types *types, sym_type *left, sym_type *right);

/* left op right for two numbers of one type, + to %, & | ^; for shifts `right` is of any integer
 * type. Fails with EBB_BAD_INPUT on a division by zero or an integer operator on floats. */
ebb_status expr_number_infix(expr_op op, expr_number left, expr_number right, expr_number *out,
                             ebb_error *err) EBB_MUST_CHECK;
/* -1, 0, 1, or 2 if one is not a number. */
int expr_number_compare(const expr_number *left, const expr_number *right);
expr_number expr_number_negate(expr_number number);
expr_number expr_number_complement(expr_number number);

#endif
