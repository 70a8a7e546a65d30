/* cell.c - arithmetic with the types that the expression says, as the DWARF standard demands. */
#include "symbols/cell.h"

#include <dwarf.h>
#include <string.h>

typedef __int128 wide;
typedef unsigned __int128 uwide;

static bool is_float(sym_cell_type type)
{
    return type.encoding == DW_ATE_float;
}

static bool is_signed(sym_cell_type type)
{
    return type.encoding == DW_ATE_signed || type.encoding == DW_ATE_signed_char;
}

static unsigned nbytes_of(sym_cell_type type)
{
    return type.nbytes ? type.nbytes : 8;
}

sym_cell sym_cell_of(uint64_t value)
{
    sym_cell cell = {0};
    memcpy(cell.bytes, &value, sizeof value);
    return cell;
}

/* ---- between cells and C's own numbers -------------------------------------------------------- */

static wide integer_of(sym_cell cell)
{
    uwide bits = 0;
    unsigned nbits = nbytes_of(cell.type) * 8;
    memcpy(&bits, cell.bytes, nbytes_of(cell.type));
    if (is_signed(cell.type) && nbits < 128 && (bits >> (nbits - 1) & 1))
        bits |= ~(uwide)0 << nbits;
    return (wide)bits;
}

static sym_cell cell_of_integer(wide value, sym_cell_type type)
{
    sym_cell cell = {.type = type};
    memcpy(cell.bytes, &value, nbytes_of(type));
    return cell;
}

static long double float_of(sym_cell cell)
{
    float f;
    double d;
    long double l = 0;
    switch (cell.type.nbytes) {
    case 4: memcpy(&f, cell.bytes, sizeof f); return f;
    case 8: memcpy(&d, cell.bytes, sizeof d); return d;
    default: memcpy(&l, cell.bytes, 10); return l;
    }
}

static sym_cell cell_of_float(long double value, sym_cell_type type)
{
    sym_cell cell = {.type = type};
    float f = (float)value;
    double d = (double)value;
    switch (type.nbytes) {
    case 4: memcpy(cell.bytes, &f, sizeof f); break;
    case 8: memcpy(cell.bytes, &d, sizeof d); break;
    default: memcpy(cell.bytes, &value, 10); break;
    }
    return cell;
}

uint64_t sym_cell_u64(sym_cell cell)
{
    return (uint64_t)(uwide)integer_of(cell);
}

/* C leaves the conversion of a float that doesn't fit undefined; here it gives the nearest end. */
static wide integer_of_float(long double value)
{
    const long double limit = 170141183460469231731687303715884105728.0L; /* 2^127 */
    if (!(value > -limit))
        return (wide)((uwide)1 << 127);
    if (value >= limit)
        return (wide)(((uwide)1 << 127) - 1);
    return (wide)value;
}

sym_cell sym_cell_convert(sym_cell cell, sym_cell_type type)
{
    if (is_float(type))
        return cell_of_float(is_float(cell.type) ? float_of(cell) : (long double)integer_of(cell),
                             type);
    return cell_of_integer(
        is_float(cell.type) ? integer_of_float(float_of(cell)) : integer_of(cell), type);
}

sym_cell sym_cell_reinterpret(sym_cell cell, sym_cell_type type)
{
    cell.type = type;
    memset(cell.bytes + nbytes_of(type), 0, sizeof cell.bytes - nbytes_of(type));
    return cell;
}

/* ---- arithmetic ------------------------------------------------------------------------------- */

sym_cell sym_cell_unary(uint8_t atom, sym_cell a)
{
    if (is_float(a.type)) {
        long double x = float_of(a);
        return cell_of_float(atom == DW_OP_neg || (atom == DW_OP_abs && x < 0) ? -x : x, a.type);
    }
    /* The generic type is signed where that makes a difference to these. */
    sym_cell_type type = a.type;
    if (!type.nbytes)
        a.type.encoding = DW_ATE_signed;
    wide x = integer_of(a);
    switch (atom) {
    case DW_OP_neg: x = (wide)(0 - (uwide)x); break;
    case DW_OP_not: x = ~x; break;
    default: x = x < 0 ? (wide)(0 - (uwide)x) : x; break;
    }
    return cell_of_integer(x, type);
}

static bool binary_float(uint8_t atom, sym_cell a, sym_cell b, sym_cell *out)
{
    long double x = float_of(a), y = float_of(b);
    switch (atom) {
    case DW_OP_plus: *out = cell_of_float(x + y, a.type); break;
    case DW_OP_minus: *out = cell_of_float(x - y, a.type); break;
    case DW_OP_mul: *out = cell_of_float(x * y, a.type); break;
    case DW_OP_div: *out = cell_of_float(x / y, a.type); break;
    case DW_OP_eq: *out = sym_cell_of(x == y); break;
    case DW_OP_ne: *out = sym_cell_of(x != y); break;
    case DW_OP_lt: *out = sym_cell_of(x < y); break;
    case DW_OP_le: *out = sym_cell_of(x <= y); break;
    case DW_OP_gt: *out = sym_cell_of(x > y); break;
    case DW_OP_ge: *out = sym_cell_of(x >= y); break;
    default: *out = a; break;
    }
    return true;
}

static wide shift_right(wide x, wide by, unsigned nbits, bool arithmetic)
{
    if (by < 0 || by >= nbits)
        return arithmetic && x < 0 ? -1 : 0;
    return arithmetic ? x >> by : (wide)((uwide)x >> by);
}

static sym_cell as(sym_cell cell, uint8_t encoding)
{
    cell.type = (sym_cell_type){(uint8_t)nbytes_of(cell.type), encoding};
    return cell;
}

/* Division, comparisons and shra read the generic type as signed, mod and shr as unsigned. */
bool sym_cell_binary(uint8_t atom, sym_cell a, sym_cell b, sym_cell *out)
{
    if (is_float(a.type) && is_float(b.type))
        return binary_float(atom, a, b, out);
    sym_cell_type type = a.type;
    unsigned nbits = nbytes_of(type) * 8;
    bool generic = !type.nbytes;
    wide x = integer_of(a), y = integer_of(b);
    wide sx = generic ? integer_of(as(a, DW_ATE_signed)) : x;
    wide sy = generic ? integer_of(as(b, DW_ATE_signed)) : y;
    wide result;
    switch (atom) {
    case DW_OP_plus: result = (wide)((uwide)x + (uwide)y); break;
    case DW_OP_minus: result = (wide)((uwide)x - (uwide)y); break;
    case DW_OP_mul: result = (wide)((uwide)x * (uwide)y); break;
    case DW_OP_and: result = x & y; break;
    case DW_OP_or: result = x | y; break;
    case DW_OP_xor: result = x ^ y; break;
    case DW_OP_div:
        if (sy == 0)
            return false;
        result = sy == -1 ? (wide)(0 - (uwide)sx) : sx / sy;
        break;
    case DW_OP_mod:
        if (y == 0)
            return false;
        result = y == -1 ? 0 : x % y;
        break;
    case DW_OP_shl: result = y < 0 || y >= nbits ? 0 : (wide)((uwide)x << y); break;
    case DW_OP_shr:
        result = shift_right(integer_of(as(a, DW_ATE_unsigned)), y, nbits, false);
        break;
    case DW_OP_shra: result = shift_right(integer_of(as(a, DW_ATE_signed)), y, nbits, true); break;
    case DW_OP_eq: *out = sym_cell_of(x == y); return true;
    case DW_OP_ne: *out = sym_cell_of(x != y); return true;
    case DW_OP_lt: *out = sym_cell_of(sx < sy); return true;
    case DW_OP_le: *out = sym_cell_of(sx <= sy); return true;
    case DW_OP_gt: *out = sym_cell_of(sx > sy); return true;
    case DW_OP_ge: *out = sym_cell_of(sx >= sy); return true;
    default: result = 0; break;
    }
    *out = cell_of_integer(result, type);
    return true;
}
