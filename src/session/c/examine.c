/* examine.c - x/NFU: memory as numbers, characters, strings, addresses or instructions. */
#include "session/c/scratch.h"
#include "session/c/c.h"
#include "session/c/code.h"
#include "session/convenience.h"
#include "session/c/image.h"
#include "session/c/register_types.h"
#include "session/c/world.h"

#include <string.h>

enum { MAX_UNITS = 1 << 20 };

typedef struct examination {
    session *s;
    ebb_arena arena;
    expr_format format; /* limits */
    char letter, size;
    long count;
    uint64_t addr; /* of the next unit */
    ebb_buf *text;
} examination;

static unsigned unit_nbytes(char size)
{
    switch (size) {
    case 'b': return 1;
    case 'h': return 2;
    case 'g': return 8;
    default: return 4;
    }
}

static unsigned units_per_line(const examination *x)
{
    switch (x->size) {
    case 'b':
    case 'h': return 8;
    case 'g': return 2;
    default: return 4;
    }
}

/* ---- what was asked for --------------------------------------------------------------------- */

/* The unit that a letter has when none is given: see gdb's manual, Examining memory. */
static char size_for(char letter, char last)
{
    switch (letter) {
    case 'a': return 'g';
    case 'c': return 'b';
    case 's': return 'b';
    case 'f': return last == 'w' || last == 'g' ? last : 'g';
    default: return last ? last : 'w';
    }
}

static ebb_status address_of(examination *x, const char *expression, ebb_error *err)
{
    expr_value value;
    session *s = x->s;
    EBB_TRY(ses_evaluate_aside(s, &x->arena, expression, &value, err));
    sym_type_kind kind = sym_type_strip(value.type)->kind;
    bool is_place = kind == SYM_TYPE_FUNCTION || kind == SYM_TYPE_ARRAY ||
                    expr_type_has_no_debug_info(value.type);
    if (is_place && value.place.kind == EXPR_PLACE_MEMORY) {
        x->addr = value.place.addr;
        return EBB_OK;
    }
    return expr_value_to_u64(&x->arena, ses_world(s), &value, &x->addr, err);
}

static ebb_status parse(examination *x, const char *arguments, ebb_error *err)
{
    session *s = x->s;
    const char *rest = ebb_text_skip_space(arguments);
    expr_format asked = {0};
    x->count = 1;
    if (*rest == '/')
        EBB_TRY(expr_format_parse(rest, &asked, &x->count, &rest, err));
    else if (ebb_text_is_blank(rest) && s->examine.count)
        x->count = s->examine.count;
    if (x->count == 0)
        x->count = 1;
    x->letter = asked.letter ? asked.letter : s->examine.letter ? s->examine.letter : 'x';
    x->size = asked.size ? asked.size : size_for(x->letter, s->examine.size);
    if (x->count > MAX_UNITS || x->count < -MAX_UNITS)
        return ebb_fail(err, EBB_BAD_INPUT, "That is too much memory for one look.");
    if (!ebb_text_is_blank(rest))
        return address_of(x, rest, err);
    if (!s->examine.has_addr)
        return ebb_fail(err, EBB_BAD_INPUT, "Argument required (starting display address).");
    x->addr = s->examine.addr;
    return EBB_OK;
}

/* ---- units ---------------------------------------------------------------------------------- */

static void put_label(examination *x, uint64_t addr)
{
    ebb_buf_addf(x->text, "0x%lx", (unsigned long)addr);
    size_t before = x->text->n;
    ebb_buf_addc(x->text, ' ');
    if (!ses_symbolise(x->s, addr, true, x->text))
        ebb_buf_truncate(x->text, before);
    ebb_buf_addc(x->text, ':');
}

static void put_binary(ebb_buf *text, uint64_t value, unsigned nbits)
{
    while (nbits-- > 0)
        ebb_buf_addc(text, value >> nbits & 1 ? '1' : '0');
}

static int64_t sign_extended(uint64_t value, unsigned nbytes)
{
    unsigned shift = 64 - nbytes * 8;
    return (int64_t)(value << shift) >> shift;
}

static sym_type *unit_type(examination *x)
{
    sym_types *types = sym_table_types(x->s->symbols);
    unsigned nbytes = unit_nbytes(x->size);
    if (x->letter == 'f' && nbytes >= 4)
        return sym_types_basic(types, nbytes == 4 ? "float" : "double");
    if (x->letter == 'c' && nbytes == 1)
        return sym_types_basic(types, "char");
    static const char *const names[] = {
        [1] = "int8_t", [2] = "int16_t", [4] = "int32_t", [8] = "int64_t"};
    return ses_plain_int(x->s, names[nbytes], nbytes, true);
}

/* Floats and characters, as print shows them. */
static ebb_status put_printed(examination *x, uint64_t bits, ebb_error *err)
{
    expr_value value = expr_value_of_bytes(&x->arena, unit_type(x), &bits);
    expr_format format = x->format;
    format.letter = x->letter == 'c' ? 'c' : 0;
    return expr_print(&x->arena, ses_world(x->s), &format, &value, x->text, err);
}

static ebb_status put_number(examination *x, uint64_t value, ebb_error *err)
{
    unsigned nbytes = unit_nbytes(x->size);
    switch (x->letter) {
    case 'd': ebb_buf_addf(x->text, "%ld", (long)sign_extended(value, nbytes)); break;
    case 'u': ebb_buf_addf(x->text, "%lu", (unsigned long)value); break;
    case 'o': ebb_buf_addf(x->text, value ? "0%lo" : "%lo", (unsigned long)value); break;
    case 't': put_binary(x->text, value, nbytes * 8); break;
    case 'c':
    case 'f': return put_printed(x, value, err);
    case 'a':
        ebb_buf_addf(x->text, "0x%lx", (unsigned long)value);
        size_t before = x->text->n;
        ebb_buf_addc(x->text, ' ');
        if (!ses_symbolise(x->s, value, true, x->text))
            ebb_buf_truncate(x->text, before);
        break;
    default: ebb_buf_addf(x->text, "0x%0*lx", (int)nbytes * 2, (unsigned long)value); break;
    }
    return EBB_OK;
}

static ebb_status put_numbers(examination *x, ebb_error *err)
{
    unsigned nbytes = unit_nbytes(x->size), per_line = units_per_line(x);
    if (x->count < 0) {
        x->addr -= (uint64_t)-x->count * nbytes;
        x->count = -x->count;
    }
    for (long i = 0; i < x->count; i++) {
        uint64_t value = 0;
        if (i % per_line == 0) {
            if (i > 0)
                ebb_buf_addc(x->text, '\n');
            put_label(x, x->addr);
        }
        ebb_buf_addc(x->text, '\t');
        EBB_TRY(ses_memory_read(x->s, x->addr, &value, nbytes, err));
        EBB_TRY(put_number(x, value, err));
        x->s->examine.last_addr = x->addr;
        x->addr += nbytes;
    }
    ebb_buf_addc(x->text, '\n');
    return EBB_OK;
}

/* ---- strings and instructions --------------------------------------------------------------- */

/* Of characters as long as the unit. */
static sym_type *character_type(examination *x)
{
    sym_types *types = sym_table_types(x->s->symbols);
    static const char *const names[] = {[1] = "char", [2] = "char16_t", [4] = "char32_t"};
    unsigned nbytes = unit_nbytes(x->size);
    sym_type *basic = nbytes <= 4 ? sym_types_basic(types, names[nbytes]) : NULL;
    if (basic)
        return basic;
    if (nbytes != 2 && nbytes != 4)
        return sym_types_basic(types, "char");
    sym_type *made = sym_types_add(types, SYM_TYPE_CHAR);
    made->name = names[nbytes];
    made->nbytes = nbytes;
    return made;
}

static ebb_status put_string(examination *x, ebb_error *err)
{
    sym_types *types = sym_table_types(x->s->symbols);
    sym_type *type = character_type(x);
    size_t unit = sym_type_size(type);
    size_t limit = (x->format.elements_limit ? x->format.elements_limit : 1 << 20) * unit;
    ebb_buf bytes = {0};
    uint32_t c = 1;
    ebb_status status = EBB_OK;
    while (bytes.n < limit && status == EBB_OK) {
        c = 0;
        status = ses_memory_read(x->s, x->addr + bytes.n, &c, unit, err);
        if (status != EBB_OK || c == 0)
            break;
        ebb_buf_add(&bytes, &c, unit);
    }
    if (bytes.n == 0) {
        if (status == EBB_OK)
            ebb_buf_addf(x->text, "%s\"\"", unit == 2 ? "u" : unit == 4 ? "U" : "");
        else if (status == EBB_NO_MEMORY_AT) { /* as gdb: the answer to this one, no failure */
            ebb_buf_addf(x->text, "<error: Cannot access memory at address 0x%lx>", (unsigned long)x->addr);
            status = EBB_OK;
            c = 1; /* the next one begins there, too */
        }
    } else {
        expr_value value = expr_value_of_bytes(
            &x->arena, sym_type_array_of(types, type, bytes.n / unit), bytes.data);
        status = expr_print(&x->arena, ses_world(x->s), &x->format, &value, x->text, err);
        if (c != 0 && status == EBB_OK)
            ebb_buf_adds(x->text, "...");
    }
    x->s->examine.last_addr = x->addr;
    x->addr += bytes.n + (c == 0 ? unit : 0);
    ebb_buf_fini(&bytes);
    return status;
}

static ebb_status put_strings(examination *x, ebb_error *err)
{
    for (long i = 0; i < x->count; i++) {
        put_label(x, x->addr);
        ebb_buf_addc(x->text, '\t');
        EBB_TRY(put_string(x, err));
        ebb_buf_addc(x->text, '\n');
    }
    return EBB_OK;
}

static ebb_status put_instructions(examination *x, ebb_error *err)
{
    for (long i = 0; i < x->count; i++) {
        const ses_frame *frame;
        bool current = ses_frame_selected(x->s, &frame, NULL) == EBB_OK && frame->pc == x->addr;
        unsigned nbytes;
        ebb_buf_adds(x->text, current ? "=> " : "   ");
        put_label(x, x->addr);
        ebb_buf_addc(x->text, '\t');
        EBB_TRY(ses_code_text(x->s, x->addr, x->text, &nbytes, err));
        ebb_buf_addc(x->text, '\n');
        x->s->examine.last_addr = x->addr;
        x->addr += nbytes;
    }
    return EBB_OK;
}

/* ---- the verb ------------------------------------------------------------------------------- */

/* $_ is the last address looked at, $__ what is there. */
static void set_conveniences(examination *x)
{
    session *s = x->s;
    sym_type *type = unit_type(x);
    expr_value there = {.type = type,
                        .place = {.kind = EXPR_PLACE_MEMORY, .addr = s->examine.last_addr},
                        .is_lazy = true};
    expr_value address = expr_value_of_u64(
        &x->arena, sym_type_pointer_to(sym_table_types(s->symbols), type), s->examine.last_addr);
    ses_c_convenience_set(s, "_", &address);
    if (expr_value_fetch(&x->arena, ses_world(s), &there, NULL) == EBB_OK)
        ses_c_convenience_set(s, "__", &there);
}

void ses_c_examine_next(session *s, uint64_t addr)
{
    ebb_arena arena = {0};
    sym_types *types = sym_table_types(s->symbols);
    sym_type *type = sym_types_basic(types, "void");
    expr_value address = expr_value_of_u64(&arena, sym_type_pointer_to(types, type), addr);
    ses_c_convenience_set(s, "_", &address);
    s->examine.addr = addr;
    s->examine.has_addr = true;
    ebb_arena_fini(&arena);
}

static void remember(examination *x, long count)
{
    session *s = x->s;
    s->examine.addr = x->addr;
    s->examine.has_addr = true;
    s->examine.letter = x->letter;
    s->examine.size = x->size;
    s->examine.count = count;
}

static ebb_status examine(examination *x, const char *arguments, ebb_error *err)
{
    EBB_TRY(parse(x, arguments, err));
    long count = x->count;
    bool by_units = x->letter != 's' && x->letter != 'i';
    if (count < 0 && !by_units)
        return ebb_fail(err, EBB_UNSUPPORTED,
                        "Strings and instructions can't be examined backward.");
    ebb_status status = by_units           ? put_numbers(x, err)
                        : x->letter == 's' ? put_strings(x, err)
                                           : put_instructions(x, err);
    if (status == EBB_OK) {
        remember(x, count);
        set_conveniences(x);
    }
    return status;
}

ebb_status ses_c_examine(session *s, const char *arguments, ebb_buf *text, ebb_error *err)
{
    examination x = {.s = s, .text = text, .format = ses_default_format(s)};
    ebb_status status = examine(&x, arguments, err);
    ebb_arena_fini(&x.arena);
    return status;
}
