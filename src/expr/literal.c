/* literal.c - numbers, characters and strings as C writes and types them. */
#include "expr/expr.h"
#include "expr/lex.h"
#include "expr/number.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- numbers --------------------------------------------------------------------------------- */

static bool is_float_text(const char *text)
{
    bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    bool is_binary = text[0] == '0' && (text[1] == 'b' || text[1] == 'B');
    return strchr(text, '.') || (!is_binary && strpbrk(text, is_hex ? "pP" : "eE"));
}

static void set_number(expr_lexer *lexer, sym_type *type, const void *bytes)
{
    lexer->token.kind = EXPR_TOKEN_NUMBER;
    lexer->token.value = expr_value_of_bytes(lexer->arena, type, bytes);
}

/* Each precision is read by its own function: reading a double and narrowing it would round twice. */
static bool lex_float(expr_lexer *lexer, const char *text)
{
    char *end;
    double as_double = strtod(text, &end);
    if (end == text)
        return false;
    if (*end == '\0') {
        set_number(lexer, sym_types_basic(lexer->types, "double"), &as_double);
    } else if ((*end == 'f' || *end == 'F') && end[1] == '\0') {
        float as_float = strtof(text, &end);
        set_number(lexer, sym_types_basic(lexer->types, "float"), &as_float);
    } else if ((*end == 'l' || *end == 'L') && end[1] == '\0') {
        long double as_long = 0; /* the padding of an x87 number is part of the value's bytes */
        uint8_t bytes[16] = {0};
        as_long = strtold(text, &end);
        memcpy(bytes, &as_long, 10);
        set_number(lexer, sym_types_basic(lexer->types, "long double"), bytes);
    } else {
        return false;
    }
    return true;
}

typedef struct int_suffix {
    bool is_unsigned;
    unsigned n_long;
} int_suffix;

static bool read_int_suffix(const char *at, int_suffix *suffix)
{
    *suffix = (int_suffix){0};
    for (; *at; at++) {
        if ((*at == 'u' || *at == 'U') && !suffix->is_unsigned)
            suffix->is_unsigned = true;
        else if ((*at == 'l' || *at == 'L') && suffix->n_long < 2)
            suffix->n_long++;
        else
            return false;
    }
    return true;
}

/* C11 6.4.4.1: the first type of the list that can hold the number.  A decimal number without a
 * suffix that no signed type holds becomes unsigned, as in gdb. */
static const char *int_type_name(uint64_t number, bool is_decimal, int_suffix suffix)
{
    static const char *const names[3][2] = {
        {"int", "unsigned int"}, {"long", "unsigned long"}, {"long long", "unsigned long long"}};
    static const unsigned nbits[3] = {32, 64, 64};
    for (unsigned size = suffix.n_long; size < 3; size++) {
        if (!suffix.is_unsigned && number >> (nbits[size] - 1) == 0)
            return names[size][0];
        bool may_be_unsigned = suffix.is_unsigned || !is_decimal;
        if (may_be_unsigned && (nbits[size] == 64 || number >> nbits[size] == 0))
            return names[size][1];
    }
    return names[suffix.n_long == 2 ? 2 : 1][1];
}

static int digit_value(char c)
{
    if (isdigit((unsigned char)c))
        return c - '0';
    return isalpha((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : 99;
}

/* The digits from *at on; false if the number has none or doesn't fit (`*too_large`). */
static bool read_digits(const char **at, int base, uint64_t *number, bool *too_large)
{
    const char *start = *at;
    *number = 0;
    *too_large = false;
    for (; digit_value(**at) < base; (*at)++) {
        if (__builtin_mul_overflow(*number, (uint64_t)base, number) ||
            __builtin_add_overflow(*number, (uint64_t)digit_value(**at), number))
            *too_large = true;
    }
    return *at > start;
}

static bool lex_int(expr_lexer *lexer, const char *text)
{
    int base = 10;
    const char *at = text;
    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
        at += 2;
    } else if (text[0] == '0' && (text[1] == 'b' || text[1] == 'B')) {
        base = 2;
        at += 2;
    } else if (text[0] == '0') {
        base = 8;
    }
    uint64_t number;
    bool too_large;
    int_suffix suffix;
    if (!read_digits(&at, base, &number, &too_large) || !read_int_suffix(at, &suffix))
        return false;
    if (too_large) {
        expr_lex_error(lexer, "Numeric constant too large.");
        return true;
    }
    set_number(lexer, sym_types_basic(lexer->types, int_type_name(number, base == 10, suffix)),
               &number);
    return true;
}

/* Takes the i or j of an imaginary number off, which stands at the end or before an f or l. */
static bool take_imaginary(char *text)
{
    size_t n = strlen(text);
    char *last = text + n - 1;
    if (n > 2 && strchr("fFlL", *last) && strchr("iIjJ", last[-1]))
        last--;
    if (n < 2 || !strchr("iIjJ", *last))
        return false;
    memmove(last, last + 1, strlen(last));
    return true;
}

/* The number becomes the imaginary part.  An integer is taken for a double: GNU's complex integers are not there. */
static void make_imaginary(expr_lexer *lexer)
{
    expr_value *value = &lexer->token.value;
    uint8_t bytes[2 * EXPR_X87_NBYTES] = {0};
    expr_number number = expr_number_load(value->type, value->bytes);
    if (!number.is_real)
        number = expr_number_convert(number, sym_types_basic(lexer->types, "double"));
    expr_real_store(expr_float_format_of(number.type), number.real, bytes + sym_type_size(number.type));
    const char *name = ebb_arena_printf(lexer->arena, "complex %s", number.type->name);
    set_number(lexer, sym_types_basic(lexer->types, name), bytes);
}

void expr_lex_number(expr_lexer *lexer)
{
    const char *start = lexer->at;
    lexer->at = expr_lex_skip_number(start);
    char *text = ebb_arena_strndup(lexer->arena, start, (size_t)(lexer->at - start));
    bool is_imaginary = take_imaginary(text);
    bool is_good = is_float_text(text) ? lex_float(lexer, text) : lex_int(lexer, text);
    if (!is_good)
        expr_lex_error(lexer, "Invalid number \"%.*s\".", (int)(lexer->at - start < 100 ? lexer->at - start : 100), start);
    else if (is_imaginary && lexer->token.kind == EXPR_TOKEN_NUMBER)
        make_imaginary(lexer);
}

/* ---- characters and strings ------------------------------------------------------------------ */

/* `\` and what follows, with *at after the backslash; false if an \x has no digits. */
static bool read_escape(const char **at, uint32_t *c)
{
    static const char names[] = "abefnrtv", values[] = "\a\b\033\f\n\r\t\v";
    char letter = **at;
    const char *named = letter ? strchr(names, letter) : NULL;
    *c = 0;
    if (named) {
        *c = (uint32_t)values[named - names];
        (*at)++;
        return true;
    }
    if (letter >= '0' && letter <= '7') {
        for (int i = 0; i < 3 && **at >= '0' && **at <= '7'; i++)
            *c = *c * 8 + (uint32_t)(*(*at)++ - '0');
        return true;
    }
    if (letter == 'x' || letter == 'u' || letter == 'U') {
        int max = letter == 'x' ? 8 : letter == 'u' ? 4 : 8;
        (*at)++;
        int n = 0;
        for (; n < max && isxdigit((unsigned char)**at); n++)
            *c = *c * 16 + (uint32_t)digit_value(*(*at)++);
        return n > 0;
    }
    *c = (unsigned char)letter;
    if (letter)
        (*at)++;
    return true;
}

/* One UTF-8 character; a byte that isn't part of one stands for itself. */
static uint32_t read_utf8(const char **at)
{
    const unsigned char *s = (const unsigned char *)*at;
    int more = s[0] >= 0xf0 && s[0] < 0xf8 ? 3 : s[0] >= 0xe0 ? 2 : 1;
    if (s[0] < 0xc0 || s[0] >= 0xf8) {
        (*at)++;
        return s[0];
    }
    uint32_t c = s[0] & (0x3f >> more);
    for (int i = 1; i <= more; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            (*at)++;
            return s[0];
        }
        c = c << 6 | (s[i] & 0x3f);
    }
    *at += more + 1;
    return c;
}

/* Appends the characters up to the closing quote as little-endian units; false if there is none. */
static bool read_units(expr_lexer *lexer, char quote, size_t unit_nbytes, ebb_buf *units)
{
    const char *at = lexer->at + 1;
    while (*at && *at != quote) {
        uint32_t c;
        if (*at == '\\') {
            at++;
            if (!read_escape(&at, &c)) {
                expr_lex_error(lexer, "\\x escape without a following hex digit");
                return false;
            }
        } else if (unit_nbytes > 1) {
            c = read_utf8(&at);
        } else {
            c = (unsigned char)*at++;
        }
        ebb_buf_add(units, &c, unit_nbytes);
    }
    if (*at != quote) {
        expr_lex_error(lexer, quote == '"' ? "Unterminated string in expression."
                                           : "Unmatched single quote.");
        return false;
    }
    lexer->at = at + 1;
    return true;
}

static sym_type *unit_type(expr_lexer *lexer, const char *type_name)
{
    if (!type_name)
        return sym_types_basic(lexer->types, "char");
    sym_type *type = lexer->find_typedef(lexer->self, type_name);
    if (type && sym_type_is_integral(type) &&
        (sym_type_size(type) == 2 || sym_type_size(type) == 4))
        return type;
    /* A program that doesn't use the type: make one that prints as such. */
    type = sym_types_add(lexer->types, SYM_TYPE_TYPEDEF);
    type->name = type_name;
    type->target =
        sym_types_basic(lexer->types, strcmp(type_name, "char16_t") == 0   ? "unsigned short"
                                      : strcmp(type_name, "char32_t") == 0 ? "unsigned int"
                                                                           : "int");
    return type;
}

static bool has_control_characters(const ebb_buf *units)
{
    for (size_t i = 0; i < units->n; i++) {
        if (iscntrl((unsigned char)units->data[i]))
            return true;
    }
    return false;
}

/* 'x' is a character; 'more than one' is a name, quoted because of its odd characters. */
static void finish_single(expr_lexer *lexer, sym_type *type, size_t unit_nbytes,
                          const ebb_buf *units)
{
    if (units->n == 0) {
        expr_lex_error(lexer, "A character constant must contain at least one character.");
    } else if (units->n == unit_nbytes) {
        lexer->token.kind = EXPR_TOKEN_CHAR;
        lexer->token.value = expr_value_of_bytes(lexer->arena, type, units->data);
    } else if (unit_nbytes > 1 || has_control_characters(units)) {
        expr_lex_error(lexer, "Invalid character constant.");
    } else {
        lexer->token.kind = EXPR_TOKEN_NAME;
        lexer->token.is_quoted = true;
        lexer->token.text = ebb_arena_strndup(lexer->arena, units->data, units->n);
    }
}

static bool another_string_follows(expr_lexer *lexer)
{
    const char *at = lexer->at;
    while (isspace((unsigned char)*at))
        at++;
    if (*at != '"')
        return false;
    lexer->at = at;
    return true;
}

void expr_lex_quoted(expr_lexer *lexer, const char *type_name, char quote)
{
    sym_type *type = unit_type(lexer, type_name);
    size_t unit_nbytes = sym_type_size(type);
    ebb_buf units = {0};
    bool is_good;
    do
        is_good = read_units(lexer, quote, unit_nbytes, &units);
    while (is_good && quote == '"' && another_string_follows(lexer));
    if (is_good && quote == '\'') {
        finish_single(lexer, type, unit_nbytes, &units);
    } else if (is_good) {
        uint32_t nul = 0;
        ebb_buf_add(&units, &nul, unit_nbytes);
        lexer->token.kind = EXPR_TOKEN_STRING;
        sym_type *array = sym_type_array_of(lexer->types, type, units.n / unit_nbytes);
        lexer->token.value = expr_value_of_bytes(lexer->arena, array, units.data);
    }
    ebb_buf_fini(&units);
}
