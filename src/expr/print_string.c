/* print_string.c - characters and strings with C's escapes, gdb's runs and limits.
 *
 * A string is cut into characters (of several bytes, where the terminal and so the program speak
 * UTF-8), those into runs of equal ones; long runs stand outside of the quotes:
 *     "xy", 'a' <repeats 20 times>, "bc" */
#include "expr/print.h"

#include <ctype.h>
#include <langinfo.h>
#include <string.h>
#include <wctype.h>

enum { PAGE_NBYTES = 4096, MAX_TEXT_NBYTES = 16 << 20 };

/* ---- character types ------------------------------------------------------------------------- */

static const char *prefix_of_name(const char *name)
{
    if (!name)
        return NULL;
    return strcmp(name, "wchar_t") == 0    ? "L"
           : strcmp(name, "char16_t") == 0 ? "u"
           : strcmp(name, "char32_t") == 0 ? "U"
                                           : NULL;
}

const char *expr_text_prefix(sym_type *type, char letter)
{
    if (letter != 0 && letter != 's')
        return NULL;
    sym_type *stripped = sym_type_strip(type);
    if (stripped->kind != SYM_TYPE_CHAR && stripped->kind != SYM_TYPE_INT)
        return NULL;
    if (stripped->nbytes == 1) /* a byte that isn't called a character, as in $xmm0.v16_int8, is a number */
        return stripped->kind == SYM_TYPE_CHAR || letter == 's' ? "" : NULL;
    if (stripped->nbytes != 2 && stripped->nbytes != 4)
        return NULL;
    if (stripped->is_rust)
        return stripped->kind == SYM_TYPE_CHAR ? "" : NULL;
    /* wchar_t and its like are typedefs: look at the names on the way. */
    for (sym_type *at = type; at && at != stripped; at = at->target) {
        const char *prefix = at->kind == SYM_TYPE_TYPEDEF ? prefix_of_name(at->name) : NULL;
        if (prefix)
            return prefix;
    }
    if (prefix_of_name(stripped->name))
        return prefix_of_name(stripped->name);
    return stripped->kind == SYM_TYPE_CHAR ? (stripped->nbytes == 2 ? "u" : "U") : NULL;
}

/* ---- characters ------------------------------------------------------------------------------ */

typedef struct character {
    uint32_t code;
    const uint8_t *bytes;
    size_t nbytes;
    bool is_raw; /* bytes that are no character: shown as escapes */
} character;

static bool speaks_utf8(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* The UTF-8 character at `at`, of two bytes or more; false if there is none. */
static bool decode_utf8(const uint8_t *at, size_t available, character *c)
{
    size_t n = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (at[0] < 0xc2 || at[0] > 0xf4 || n > available)
        return false;
    uint32_t code = at[0] & (0x7f >> n);
    for (size_t i = 1; i < n; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return false;
        code = code << 6 | (at[i] & 0x3f);
    }
    bool is_surrogate = code >= 0xd800 && code < 0xe000;
    if (code < smallest[n] || code > 0x10ffff || is_surrogate)
        return false;
    *c = (character){.code = code, .bytes = at, .nbytes = n};
    return true;
}

/* The two halves of a character in UTF-16; false if they aren't. */
static bool decode_utf16(const uint8_t *at, size_t available, character *c)
{
    uint16_t high, low;
    if (available < 4)
        return false;
    memcpy(&high, at, sizeof high);
    memcpy(&low, at + 2, sizeof low);
    if (high < 0xd800 || high > 0xdbff || low < 0xdc00 || low > 0xdfff)
        return false;
    uint32_t code = 0x10000 + ((uint32_t)(high - 0xd800) << 10) + (low - 0xdc00);
    *c = (character){.code = code, .bytes = at, .nbytes = 4};
    return true;
}

static character next_character(const uint8_t *at, size_t available, size_t unit_nbytes)
{
    character c = {.bytes = at, .nbytes = unit_nbytes};
    memcpy(&c.code, at, unit_nbytes);
    if (unit_nbytes == 2 && decode_utf16(at, available, &c))
        return c;
    if (unit_nbytes > 1 || at[0] < 0x80)
        return c;
    if (!speaks_utf8() || !decode_utf8(at, available, &c))
        c.is_raw = true;
    return c;
}

static bool same_character(const character *a, const character *b)
{
    return a->nbytes == b->nbytes && memcmp(a->bytes, b->bytes, a->nbytes) == 0;
}

static void add_utf8(ebb_buf *out, uint32_t code)
{
    if (code < 0x80) {
        ebb_buf_addc(out, (char)code);
    } else if (code < 0x800) {
        ebb_buf_addc(out, (char)(0xc0 | code >> 6));
        ebb_buf_addc(out, (char)(0x80 | (code & 0x3f)));
    } else {
        if (code < 0x10000) {
            ebb_buf_addc(out, (char)(0xe0 | code >> 12));
        } else {
            ebb_buf_addc(out, (char)(0xf0 | code >> 18));
            ebb_buf_addc(out, (char)(0x80 | (code >> 12 & 0x3f)));
        }
        ebb_buf_addc(out, (char)(0x80 | (code >> 6 & 0x3f)));
        ebb_buf_addc(out, (char)(0x80 | (code & 0x3f)));
    }
}

static bool is_printable(const character *c)
{
    if (c->is_raw || c->code > 0x10ffff)
        return false;
    return c->code < 0x80 ? isprint((int)c->code) : speaks_utf8() && iswprint((wint_t)c->code);
}

/* Escapes the units of a character; true if the last one was a \x, which has no end of its own. */
static bool add_escaped(ebb_buf *out, const character *c, size_t unit_nbytes)
{
    bool is_hex = false;
    for (size_t i = 0; i < c->nbytes; i += unit_nbytes) {
        uint32_t unit = 0;
        memcpy(&unit, c->bytes + i, unit_nbytes);
        is_hex = unit > 0777;
        ebb_buf_addf(out, is_hex ? "\\x%x" : "\\%.3o", unit);
    }
    return is_hex;
}

/* A digit after a \x (*is_after_hex) would belong to it, and is escaped too. */
static void add_character(ebb_buf *out, const character *c, size_t unit_nbytes, char quote,
                          bool *is_after_hex)
{
    bool is_digit_of_hex = *is_after_hex && c->code < 0x80 && isxdigit((int)c->code);
    *is_after_hex = false;
    static const char letters[] = "abfnrtv", codes[] = "\a\b\f\n\r\t\v";
    const char *named = c->code && c->code < 0x80 ? strchr(codes, (int)c->code) : NULL;
    if (named)
        ebb_buf_addf(out, "\\%c", letters[named - codes]);
    else if (!is_printable(c) || is_digit_of_hex)
        *is_after_hex = add_escaped(out, c, unit_nbytes);
    else {
        if (c->code == (uint32_t)quote || c->code == '\\')
            ebb_buf_addc(out, '\\');
        add_utf8(out, c->code);
    }
}

void expr_print_character(expr_printer *printer, sym_type *type, uint32_t code)
{
    uint8_t bytes[sizeof code];
    size_t unit_nbytes = (size_t)sym_type_size(type);
    const char *prefix = expr_text_prefix(type, 0);
    memcpy(bytes, &code, sizeof bytes);
    character c = next_character(bytes, unit_nbytes, unit_nbytes);
    ebb_buf_addf(printer->out, "%s'", prefix ? prefix : "");
    add_character(printer->out, &c, unit_nbytes, '\'', &(bool){false});
    ebb_buf_addc(printer->out, '\'');
}

/* ---- strings --------------------------------------------------------------------------------- */

typedef struct text_writer {
    ebb_buf *out;
    const char *prefix;
    size_t unit_nbytes;
    bool in_quotes, anything, is_after_hex;
} text_writer;

static void leave_quotes(text_writer *writer)
{
    if (writer->in_quotes)
        ebb_buf_addc(writer->out, '"');
    writer->in_quotes = false;
}

static void separate(text_writer *writer)
{
    leave_quotes(writer);
    if (writer->anything)
        ebb_buf_adds(writer->out, ", ");
    writer->anything = true;
}

static void write_run(text_writer *writer, const character *c, size_t n, unsigned repeats_limit)
{
    if (n > repeats_limit) {
        separate(writer);
        ebb_buf_addf(writer->out, "%s'", writer->prefix);
        add_character(writer->out, c, writer->unit_nbytes, '\'', &(bool){false});
        ebb_buf_addf(writer->out, "' <repeats %zu times>", n);
        return;
    }
    if (!writer->in_quotes) {
        separate(writer);
        ebb_buf_addf(writer->out, "%s\"", writer->prefix);
        writer->in_quotes = true;
        writer->is_after_hex = false;
    }
    for (size_t i = 0; i < n; i++)
        add_character(writer->out, c, writer->unit_nbytes, '"', &writer->is_after_hex);
}

/* A UTF-8 character that the end of the string cuts off. */
static bool is_cut_off(const character *c, size_t available)
{
    uint8_t first = c->bytes[0];
    size_t wanted = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (!c->is_raw || !speaks_utf8() || first < 0xc2 || first > 0xf4 || available >= wanted)
        return false;
    for (size_t i = 1; i < available; i++) {
        if ((c->bytes[i] & 0xc0) != 0x80)
            return false;
    }
    return true;
}

static void write_cut_off(text_writer *writer, const uint8_t *bytes, size_t nbytes)
{
    separate(writer);
    ebb_buf_adds(writer->out, "<incomplete sequence ");
    for (size_t i = 0; i < nbytes; i++)
        ebb_buf_addf(writer->out, "\\%.3o", bytes[i]);
    ebb_buf_addc(writer->out, '>');
}

void expr_print_text(expr_printer *printer, sym_type *type, const uint8_t *bytes, size_t n,
                     bool more_follows)
{
    const char *prefix = expr_text_prefix(type, 0);
    size_t unit_nbytes = (size_t)sym_type_size(type);
    text_writer writer = {
        .out = printer->out, .prefix = prefix ? prefix : "", .unit_nbytes = unit_nbytes};
    static const uint8_t nul[4];
    if (n > 0 && !more_follows && memcmp(bytes + (n - 1) * unit_nbytes, nul, unit_nbytes) == 0)
        n--;
    size_t limit = printer->format->elements_limit ? printer->format->elements_limit : SIZE_MAX,
           n_printed = 0;
    unsigned repeats_limit =
        printer->format->repeats_limit ? printer->format->repeats_limit : UINT32_MAX;
    const uint8_t *end = bytes + n * unit_nbytes;
    /* A run counts with all its characters, and is finished even if it goes beyond the limit. */
    while (bytes < end && n_printed < limit) {
        character c = next_character(bytes, (size_t)(end - bytes), unit_nbytes);
        if (is_cut_off(&c, (size_t)(end - bytes))) {
            write_cut_off(&writer, bytes, (size_t)(end - bytes));
            bytes = end;
            break;
        }
        size_t run = 0;
        character next = c;
        do {
            run++;
            bytes += c.nbytes;
            if (bytes < end)
                next = next_character(bytes, (size_t)(end - bytes), unit_nbytes);
        } while (bytes < end && same_character(&c, &next));
        write_run(&writer, &c, run, repeats_limit);
        n_printed += run;
    }
    if (!writer.anything)
        ebb_buf_addf(printer->out, "%s\"\"", writer.prefix);
    leave_quotes(&writer);
    if (more_follows || bytes < end)
        ebb_buf_adds(printer->out, "...");
}

/* ---- strings in memory ----------------------------------------------------------------------- */

typedef struct text_reader {
    ebb_buf units;
    bool has_end, has_failed;
} text_reader;

static bool is_nul_unit(const char *unit, size_t unit_nbytes)
{
    static const char nul[4];
    return memcmp(unit, nul, unit_nbytes) == 0;
}

/* Reads up to the NUL (included) or `max` units, never across the end of a page that may be the
 * last. */
static void read_text(expr_printer *printer, uint64_t addr, size_t unit_nbytes, size_t max,
                      text_reader *reader)
{
    const expr_world *world = printer->world;
    uint8_t chunk[PAGE_NBYTES];
    while (!reader->has_end && !reader->has_failed && reader->units.n < max * unit_nbytes) {
        size_t nbytes = PAGE_NBYTES - (size_t)((addr + reader->units.n) % PAGE_NBYTES);
        size_t wanted = max * unit_nbytes - reader->units.n;
        nbytes = nbytes < wanted ? nbytes : wanted;
        nbytes -= nbytes % unit_nbytes;
        if (nbytes == 0) /* a unit that straddles two pages */
            nbytes = unit_nbytes;
        if (world->read(world->self, addr + reader->units.n, chunk, nbytes, NULL) != EBB_OK) {
            reader->has_failed = true;
            break;
        }
        size_t before = reader->units.n;
        ebb_buf_add(&reader->units, chunk, nbytes);
        for (size_t at = before; at < reader->units.n && !reader->has_end; at += unit_nbytes) {
            if (is_nul_unit(reader->units.data + at, unit_nbytes)) {
                reader->has_end = true;
                ebb_buf_truncate(&reader->units, at + unit_nbytes);
            }
        }
    }
}

size_t expr_print_text_at(expr_printer *printer, sym_type *type, uint64_t addr)
{
    size_t unit_nbytes = (size_t)sym_type_size(type);
    size_t limit = printer->format->elements_limit ? printer->format->elements_limit
                                                   : MAX_TEXT_NBYTES / unit_nbytes;
    text_reader reader = {0};
    read_text(printer, addr, unit_nbytes, limit, &reader);
    size_t nbytes = reader.units.n;
    bool more_follows = false;
    if (!reader.has_end && !reader.has_failed) {
        char next[4] = {0};
        more_follows = printer->world->read(printer->world->self, addr + nbytes, next, unit_nbytes,
                                            NULL) == EBB_OK &&
                       !is_nul_unit(next, unit_nbytes);
    }
    if (nbytes > 0 || !reader.has_failed)
        expr_print_text(printer, type, (const uint8_t *)ebb_buf_text(&reader.units),
                        nbytes / unit_nbytes, more_follows);
    if (reader.has_failed)
        ebb_buf_addf(printer->out, "<error: Cannot access memory at address 0x%llx>",
                     (unsigned long long)addr);
    ebb_buf_fini(&reader.units);
    return nbytes;
}
