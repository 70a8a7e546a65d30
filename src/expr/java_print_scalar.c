/* java_print_scalar.c - primitives and strings, as literals of Java would be written. */
#include "expr/java_print.h"
#include "expr/java_text.h"

#include <inttypes.h>
#include <string.h>

/* ---- characters ------------------------------------------------------------------------------------ */

static bool is_unprintable(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0xd800 && code < 0xe000) || (code & 0xfffe) == 0xfffe ||
           (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) || code == 0xfeff;
}

static void add_character(ebb_buf *out, uint32_t code, char quote)
{
    static const char escaped[] = "\b\t\n\f\r\\", letters[] = "btnfr\\";
    const char *special = code && code < 0x80 ? strchr(escaped, (int)code) : NULL;
    if (special)
        ebb_buf_addf(out, "\\%c", letters[special - escaped]);
    else if (code == (uint32_t)quote)
        ebb_buf_addf(out, "\\%c", quote);
    else if (is_unprintable(code))
        ebb_buf_addf(out, "\\u%04" PRIx32, code & 0xffff);
    else
        java_text_add(out, code);
}

void java_print_text(java_printer *printer, const char *text, bool more_follows)
{
    ebb_buf_addc(printer->out, '"');
    while (*text)
        add_character(printer->out, java_text_next(&text), '"');
    ebb_buf_addc(printer->out, '"');
    if (more_follows)
        ebb_buf_adds(printer->out, "...");
}

ebb_status java_print_string(java_printer *printer, uint64_t ref)
{
    const java_world *world = printer->ev.world;
    size_t limit = java_print_limit(printer);
    java_string text;
    ebb_status status = world->string(world->self, printer->ev.arena, ref, (uint32_t)limit, &text, printer->ev.err);
    if (!status)
        java_print_text(printer, text.utf8, text.length > limit);
    return status;
}

/* ---- primitives -------------------------------------------------------------------------------------- */

static unsigned size_of(char code)
{
    return code == 'Z' || code == 'B' ? 1 : code == 'C' || code == 'S' ? 2 : code == 'J' || code == 'D' ? 8 : 4;
}

/* The bits of the value, as many as its type has. */
static uint64_t bits_of(char code, const java_value *value)
{
    uint64_t bits = (uint64_t)value->i;
    float as_float = (float)value->d;
    if (code == 'F') {
        bits = 0;
        memcpy(&bits, &as_float, sizeof as_float);
    } else if (code == 'D') {
        memcpy(&bits, &value->d, sizeof bits);
    }
    unsigned nbits = 8 * size_of(code);
    return nbits == 64 ? bits : bits & ((UINT64_C(1) << nbits) - 1);
}

static void print_binary(ebb_buf *out, uint64_t bits)
{
    int top = bits ? 63 - __builtin_clzll(bits) : 0;
    for (int i = top; i >= 0; i--)
        ebb_buf_addc(out, bits >> i & 1 ? '1' : '0');
}

static void print_as_character(java_printer *printer, int64_t i)
{
    ebb_buf_addf(printer->out, "%" PRId64 " '", i);
    add_character(printer->out, (uint16_t)i, '\'');
    ebb_buf_addc(printer->out, '\'');
}

static void print_natural(java_printer *printer, char code, const java_value *value)
{
    if (code == 'C') {
        ebb_buf_addc(printer->out, '\'');
        add_character(printer->out, (uint16_t)value->i, '\'');
        ebb_buf_addc(printer->out, '\'');
    } else {
        java_add_primitive(printer->out, code, value);
    }
}

/* An integer of the size of a float or double is one. */
static void print_as_float(java_printer *printer, char code, const java_value *value)
{
    uint64_t bits = bits_of(code, value);
    if (code == 'I') {
        float number;
        memcpy(&number, &bits, sizeof number);
        java_text_add_float(printer->out, number);
    } else if (code == 'J') {
        double number;
        memcpy(&number, &bits, sizeof number);
        java_text_add_double(printer->out, number);
    } else {
        print_natural(printer, code, value);
    }
}

void java_print_primitive(java_printer *printer, const java_value *value)
{
    char code = java_letter(&printer->ev, value->type);
    bool is_real = code == 'F' || code == 'D';
    uint64_t bits = bits_of(code, value);
    int64_t whole = is_real ? (int64_t)bits : value->i;
    ebb_buf *out = printer->out;
    switch (printer->format->letter) {
    case 'x':
    case 'a': ebb_buf_addf(out, "0x%" PRIx64, bits); break;
    case 'z': ebb_buf_addf(out, "0x%0*" PRIx64, (int)(2 * size_of(code)), bits); break;
    case 'o': ebb_buf_addf(out, bits ? "0%" PRIo64 : "%" PRIo64, bits); break;
    case 't': print_binary(out, bits); break;
    case 'd': ebb_buf_addf(out, "%" PRId64, whole); break;
    case 'u': ebb_buf_addf(out, "%" PRIu64, bits); break;
    case 'c': print_as_character(printer, is_real ? java_convert_primitive(&printer->ev, value, 'I').i : whole); break;
    case 'f': print_as_float(printer, code, value); break;
    default: print_natural(printer, code, value);
    }
}
