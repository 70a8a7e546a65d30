/* print_format.c - format letters: reading them, and printing a scalar by one. */
#include "expr/number.h"
#include "expr/print.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

expr_format expr_format_default(void)
{
    return (expr_format){.elements_limit = 200,
                         .repeats_limit = 10,
                         .depth_limit = 20,
                         .address = true,
                         .symbol = true,
                         .union_members = true};
}

/* ---- reading --------------------------------------------------------------------------------- */

ebb_status expr_format_parse(const char *text, expr_format *format, long *count, const char **rest,
                             ebb_error *err)
{
    *count = 1;
    if (*text == '/')
        text++;
    if (*text == '-' && isdigit((unsigned char)text[1])) {
        *count = -atol(text + 1);
        text += 1 + strspn(text + 1, "0123456789");
    }
    for (; *text && !isspace((unsigned char)*text); text++) {
        if (isdigit((unsigned char)*text)) {
            char *end;
            *count = strtol(text, &end, 10);
            text = end - 1;
        } else if (strchr("bhwg", *text)) {
            format->size = *text;
        } else if (*text == 'r') {
            format->raw = true;
        } else if (strchr("xduotzcsafi", *text)) {
            format->letter = *text;
        } else {
            return ebb_fail(err, EBB_BAD_INPUT, "Undefined output format \"%c\".", *text);
        }
    }
    while (isspace((unsigned char)*text))
        text++;
    *rest = text;
    return EBB_OK;
}

/* ---- printing -------------------------------------------------------------------------------- */

/* The digits of little-endian bytes in base 2^nbits, highest first, without leading zeros unless
 * padded. */
static void print_digits(expr_printer *printer, const uint8_t *bytes, size_t nbytes, unsigned nbits,
                         bool is_padded)
{
    size_t n = (8 * nbytes + nbits - 1) / nbits;
    bool started = is_padded;
    for (size_t i = n; i-- > 0;) {
        unsigned digit = 0;
        for (unsigned b = 0; b < nbits; b++) {
            size_t bit = i * nbits + b;
            if (bit < 8 * nbytes && bytes[bit / 8] >> bit % 8 & 1)
                digit |= 1u << b;
        }
        started |= digit != 0 || i == 0;
        if (started)
            ebb_buf_addc(printer->out, "0123456789abcdef"[digit]);
    }
}

static bool is_zero(const uint8_t *bytes, size_t nbytes)
{
    for (size_t i = 0; i < nbytes; i++) {
        if (bytes[i])
            return false;
    }
    return true;
}

static void print_octal(expr_printer *printer, const uint8_t *bytes, size_t nbytes)
{
    if (!is_zero(bytes, nbytes))
        ebb_buf_addc(printer->out, '0');
    print_digits(printer, bytes, nbytes, 3, false);
}

/* Floats are converted for 'c' and 'a', where every other letter looks at their bytes. */
static uint64_t as_number(expr_printer *printer, sym_type *type, const uint8_t *bytes)
{
    uint64_t number = 0;
    if (expr_type_is_number(type)) {
        sym_type *wide = sym_types_basic(printer->world->types, "long");
        expr_number loaded = expr_number_load(type, bytes);
        return (uint64_t)(loaded.is_real ? expr_number_convert(loaded, wide).bits : loaded.bits);
    }
    memcpy(&number, bytes, sym_type_size(type) < 8 ? (size_t)sym_type_size(type) : 8);
    return number;
}

static void print_as_character(expr_printer *printer, sym_type *type, const uint8_t *bytes)
{
    sym_type *stripped = sym_type_strip(type);
    bool is_signed = stripped->is_signed || stripped->kind == SYM_TYPE_FLOAT;
    sym_type *character =
        sym_types_basic(printer->world->types, is_signed ? "char" : "unsigned char");
    uint8_t code = (uint8_t)as_number(printer, type, bytes);
    expr_print_integer(printer, &code, 1, is_signed);
    ebb_buf_addc(printer->out, ' ');
    expr_print_character(printer, character, code);
}

static void print_as_address(expr_printer *printer, sym_type *type, const uint8_t *bytes)
{
    uint64_t addr = as_number(printer, type, bytes);
    ebb_buf_addf(printer->out, "0x%llx", (unsigned long long)addr);
    size_t after = printer->out->n;
    ebb_buf_addc(printer->out, ' ');
    if (!printer->world->symbolise(printer->world->self, addr, true, printer->out))
        ebb_buf_truncate(printer->out, after);
}

/* An integer of the size of a float is one; others stay integers. */
static void print_as_float(expr_printer *printer, sym_type *type, const uint8_t *bytes)
{
    sym_type *stripped = sym_type_strip(type);
    sym_types *types = printer->world->types;
    if (stripped->kind == SYM_TYPE_FLOAT || stripped->kind == SYM_TYPE_COMPLEX)
        expr_print_scalar(printer, type, bytes);
    else if (stripped->nbytes == 4)
        expr_print_float(printer, sym_types_basic(types, "float"), bytes);
    else if (stripped->nbytes == 8)
        expr_print_float(printer, sym_types_basic(types, "double"), bytes);
    else if (stripped->nbytes == EXPR_X87_NBYTES)
        expr_print_float(printer, sym_types_basic(types, "long double"), bytes);
    else
        expr_print_integer(printer, bytes, (size_t)stripped->nbytes, stripped->is_signed);
}

ebb_status expr_print_formatted(expr_printer *printer, sym_type *type, const uint8_t *bytes)
{
    size_t nbytes = (size_t)sym_type_size(type);
    bool is_padded = printer->format->size != 0;
    char letter = printer->format->letter;
    if ((letter == 'd' || letter == 'u') && nbytes > 16)
        letter = 'x';
    switch (letter) {
    case 'x':
    case 'z':
        ebb_buf_adds(printer->out, "0x");
        print_digits(printer, bytes, nbytes, 4, is_padded || letter == 'z');
        break;
    case 'o': print_octal(printer, bytes, nbytes); break;
    case 't': print_digits(printer, bytes, nbytes, 1, is_padded); break;
    case 'd': expr_print_integer(printer, bytes, nbytes, true); break;
    case 'u': expr_print_integer(printer, bytes, nbytes, false); break;
    case 'c': print_as_character(printer, type, bytes); break;
    case 'a': print_as_address(printer, type, bytes); break;
    case 'f': print_as_float(printer, type, bytes); break;
    default:
        return ebb_fail(printer->err, EBB_BAD_INPUT,
                        "Format letter \"%c\" is meaningless in \"print\" command.", letter);
    }
    return EBB_OK;
}
