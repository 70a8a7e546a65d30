/* print_scalar.c - numbers, enumerations, pointers and functions in their natural form. */
#include "base/text.h"
#include "expr/number.h"
#include "expr/print.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* libc's; <stdlib.h> hides it from compilers that don't know _Float128 by that name. */
int strfromf128(char *text, size_t nbytes, const char *format, expr_real number);

/* ---- integers -------------------------------------------------------------------------------- */

static void print_u128(ebb_buf *out, unsigned __int128 number)
{
    char digits[40], *end = digits + sizeof digits, *at = end;
    for (; number > UINT64_MAX; number /= 10) /* dividing what is larger than a register takes long */
        *--at = (char)('0' + (int)(number % 10));
    at = ebb_text_of_u64((uint64_t)number, at);
    ebb_buf_add(out, at, (size_t)(end - at));
}

void expr_print_integer(expr_printer *printer, const uint8_t *bytes, size_t nbytes, bool is_signed)
{
    unsigned __int128 bits = 0;
    nbytes = nbytes < sizeof bits ? nbytes : sizeof bits;
    memcpy(&bits, bytes, nbytes);
    unsigned unused = (unsigned)(8 * (sizeof bits - nbytes));
    if (is_signed && nbytes > 0) {
        bits = (unsigned __int128)((__int128)(bits << unused) >> unused);
        if ((__int128)bits < 0) {
            ebb_buf_addc(printer->out, '-');
            bits = -bits;
        }
    }
    print_u128(printer->out, bits);
}

/* 97 'a' for the character types and whatever else has the size of one. */
static void print_int(expr_printer *printer, sym_type *type, const uint8_t *bytes)
{
    sym_type *stripped = sym_type_strip(type);
    expr_print_integer(printer, bytes, (size_t)stripped->nbytes, stripped->is_signed);
    if (!expr_text_prefix(type, printer->format->letter))
        return;
    uint32_t code = 0;
    memcpy(&code, bytes, stripped->nbytes < sizeof code ? (size_t)stripped->nbytes : sizeof code);
    ebb_buf_addc(printer->out, ' ');
    expr_print_character(printer, type, code);
}

static void print_bool(expr_printer *printer, const sym_type *type, const uint8_t *bytes)
{
    if (bytes[0] > 1)
        expr_print_integer(printer, bytes, (size_t)type->nbytes, false);
    else
        ebb_buf_adds(printer->out, bytes[0] ? "true" : "false");
}

/* ---- enumerations ---------------------------------------------------------------------------- */

/* gdb's idea of an enum of flags: no enumerator is negative or has more than one bit. */
static bool is_flag_enum(const sym_type *type)
{
    for (size_t i = 0; i < type->n_enumerators; i++) {
        int64_t value = type->enumerators[i].value;
        if (value < 0 || (value & (value - 1)) != 0)
            return false;
    }
    return true;
}

static void print_flags(expr_printer *printer, const sym_type *type, uint64_t value)
{
    const char *separator = "(";
    for (size_t i = 0; i < type->n_enumerators; i++) {
        uint64_t flag = (uint64_t)type->enumerators[i].value;
        if ((value & flag) == 0)
            continue;
        ebb_buf_addf(printer->out, "%s%s", separator, type->enumerators[i].name);
        separator = " | ";
        value &= ~flag;
    }
    if (value)
        ebb_buf_addf(printer->out, "%sunknown: 0x%llx", separator, (unsigned long long)value);
    ebb_buf_addc(printer->out, ')');
}

static void print_enum(expr_printer *printer, const sym_type *type, const uint8_t *bytes)
{
    uint64_t value = 0;
    unsigned nbytes = type->nbytes < 8 ? (unsigned)type->nbytes : 8, unused = 64 - 8 * nbytes;
    memcpy(&value, bytes, nbytes);
    if (type->is_signed && nbytes > 0)
        value = (uint64_t)((int64_t)(value << unused) >> unused);
    for (size_t i = 0; i < type->n_enumerators; i++) {
        if ((uint64_t)type->enumerators[i].value == value) {
            ebb_buf_adds(printer->out, type->enumerators[i].name);
            return;
        }
    }
    if (value == 0)
        ebb_buf_adds(printer->out, "0");
    else if (is_flag_enum(type))
        print_flags(printer, type, value);
    else
        expr_print_integer(printer, bytes, nbytes, type->is_signed);
}

/* ---- floats ---------------------------------------------------------------------------------- */

/* gdb's digits: enough to tell any two numbers of the precision apart, 2 + mantissa bits *
 * log10(2). */
static const struct {
    unsigned n_digits, n_fraction_bits, n_exponent_bits;
} float_formats[] = {
    [EXPR_FLOAT_HALF] = {5, 10, 5},     [EXPR_FLOAT_SINGLE] = {9, 23, 8},
    [EXPR_FLOAT_DOUBLE] = {17, 52, 11}, [EXPR_FLOAT_X87] = {21, 64, 15},
    [EXPR_FLOAT_QUAD] = {36, 112, 15},
};

/* The fraction of a NaN as gdb writes it: the highest bits, then 32 at a time with their zeros. */
static void print_nan_or_inf(expr_printer *printer, unsigned __int128 fraction, unsigned n_bits,
                             bool is_negative, bool is_inf)
{
    ebb_buf_adds(printer->out, is_negative ? "-" : "");
    if (is_inf) {
        ebb_buf_adds(printer->out, "inf");
        return;
    }
    ebb_buf_adds(printer->out, "nan(0x");
    unsigned below = (n_bits - 1) / 32 * 32;
    ebb_buf_addf(printer->out, "%x", (unsigned)(fraction >> below));
    for (; below > 0; below -= 32)
        ebb_buf_addf(printer->out, "%08x", (unsigned)(fraction >> (below - 32)));
    ebb_buf_addc(printer->out, ')');
}

static void print_finite(expr_printer *printer, expr_float_format format, const uint8_t *bytes)
{
    char text[64];
    int n_digits = (int)float_formats[format].n_digits;
    if (format == EXPR_FLOAT_QUAD) {
        strfromf128(text, sizeof text, "%.36g", expr_real_load(format, bytes));
    } else {
        snprintf(text, sizeof text, "%.*Lg", n_digits, (long double)expr_real_load(format, bytes));
    }
    ebb_buf_adds(printer->out, text);
}

static void print_float_as(expr_printer *printer, expr_float_format format, const uint8_t *bytes,
                           size_t nbytes)
{
    unsigned __int128 bits = 0;
    if (format == EXPR_FLOAT_UNKNOWN) {
        ebb_buf_adds(printer->out, "<invalid float value>");
        return;
    }
    memcpy(&bits, bytes, format == EXPR_FLOAT_X87 ? EXPR_X87_USED_NBYTES : nbytes);
    unsigned n_fraction = float_formats[format].n_fraction_bits,
             n_exponent = float_formats[format].n_exponent_bits;
    unsigned __int128 fraction = bits & (((unsigned __int128)1 << n_fraction) - 1);
    unsigned exponent = (unsigned)(bits >> n_fraction) & ((1u << n_exponent) - 1);
    bool is_negative = bits >> (n_fraction + n_exponent) & 1;
    /* The x87 has encodings that its own instructions refuse: the integer bit goes with the
     * exponent. */
    if (format == EXPR_FLOAT_X87 && (exponent != 0) != (bool)(fraction >> 63)) {
        ebb_buf_adds(printer->out, "<invalid float value>");
        return;
    }
    if (exponent != (1u << n_exponent) - 1) {
        print_finite(printer, format, bytes);
        return;
    }
    /* The x87 fraction has its integer bit written out. */
    bool is_inf =
        format == EXPR_FLOAT_X87 ? (fraction & ~((unsigned __int128)1 << 63)) == 0 : fraction == 0;
    print_nan_or_inf(printer, fraction, n_fraction, is_negative, is_inf);
}

void expr_print_float(expr_printer *printer, sym_type *type, const uint8_t *bytes)
{
    print_float_as(printer, expr_float_format_of(type), bytes, (size_t)sym_type_size(type));
}

static void print_complex(expr_printer *printer, const sym_type *type, const uint8_t *bytes)
{
    sym_type half = *type; /* a stand-in with the size and name of one part */
    half.kind = SYM_TYPE_FLOAT;
    half.nbytes = type->nbytes / 2;
    half.complete = NULL;
    expr_print_float(printer, &half, bytes);
    ebb_buf_adds(printer->out, " + ");
    expr_print_float(printer, &half, bytes + half.nbytes);
    ebb_buf_addc(printer->out, 'i');
}

void expr_print_scalar(expr_printer *printer, sym_type *type, const uint8_t *bytes)
{
    sym_type *stripped = sym_type_strip(type);
    switch (stripped->kind) {
    case SYM_TYPE_BOOL: print_bool(printer, stripped, bytes); break;
    case SYM_TYPE_CHAR:
    case SYM_TYPE_INT: print_int(printer, type, bytes); break;
    case SYM_TYPE_FLOAT: expr_print_float(printer, stripped, bytes); break;
    case SYM_TYPE_COMPLEX: print_complex(printer, stripped, bytes); break;
    case SYM_TYPE_ENUM: print_enum(printer, stripped, bytes); break;
    case SYM_TYPE_POINTER:
        expr_print_integer(printer, bytes, (size_t)stripped->nbytes, false);
        break;
    default: ebb_buf_adds(printer->out, "<unknown type>"); break;
    }
}

/* ---- pointers, functions, types -------------------------------------------------------------- */

/* 0x401136 <add+4>; true if anything was printed. */
static bool print_address(expr_printer *printer, uint64_t addr, bool with_symbol, bool data_too)
{
    ebb_buf *out = printer->out;
    size_t before = out->n;
    if (printer->format->address)
        ebb_buf_addf(out, "0x%llx", (unsigned long long)addr);
    if (with_symbol) {
        size_t after = out->n;
        if (after > before)
            ebb_buf_addc(out, ' ');
        size_t symbol = out->n;
        if (!printer->world->symbolise(printer->world->self, addr, data_too, out) ||
            out->n == symbol)
            ebb_buf_truncate(out, after);
    }
    return out->n > before;
}

void expr_print_pointer(expr_printer *printer, sym_type *target, uint64_t addr)
{
    sym_type *stripped = target ? sym_type_strip(target) : NULL;
    bool is_function = stripped && stripped->kind == SYM_TYPE_FUNCTION;
    bool is_printed =
        print_address(printer, addr, is_function || printer->format->symbol, !is_function);
    bool is_text = stripped && expr_text_prefix(target, printer->format->letter);
    if (!is_text || addr == 0)
        return;
    if (is_printed)
        ebb_buf_addc(printer->out, ' ');
    expr_print_text_at(printer, target, addr);
}

void expr_print_type(expr_printer *printer, sym_type *type)
{
    sym_type *target = type->kind == SYM_TYPE_POINTER ? type->target : NULL;
    if (expr_type_has_no_debug_info(type))
        ebb_buf_adds(printer->out, type->name);
    else if (target && expr_type_has_no_debug_info(target))
        ebb_buf_addf(printer->out, "%s *", target->name);
    else
        sym_type_print(type, printer->out);
}

void expr_print_function(expr_printer *printer, const expr_value *function)
{
    ebb_buf_addc(printer->out, '{');
    expr_print_type(printer, function->type);
    ebb_buf_adds(printer->out, "} ");
    print_address(printer, function->place.addr, true, false);
}
