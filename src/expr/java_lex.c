/* java_lex.c - numbers, characters and strings as Java writes and types them. */
#include "expr/java_text.h"
#include "expr/lex.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void set_literal(expr_lexer *lexer, expr_token_kind kind, expr_java_literal literal)
{
    lexer->token.kind = kind;
    lexer->token.literal = EBB_ARENA_NEW(lexer->arena, expr_java_literal);
    *lexer->token.literal = literal;
}

/* ---- numbers --------------------------------------------------------------------------------- */

/* Takes the underscores out; false if one doesn't stand between digits. */
static bool drop_underscores(char *text)
{
    char *to = text;
    for (const char *at = text; *at; at++) {
        if (*at != '_') {
            *to++ = *at;
            continue;
        }
        const char *after = at + strspn(at, "_");
        if (at == text || !isxdigit((unsigned char)at[-1]) || !isxdigit((unsigned char)*after))
            return false;
        at = after - 1;
    }
    *to = '\0';
    return true;
}

static int base_of(const char **digits)
{
    const char *text = *digits;
    if (text[0] != '0' || !text[1])
        return 10;
    char letter = (char)tolower((unsigned char)text[1]);
    if (letter == 'x' || letter == 'b') {
        *digits += 2;
        return letter == 'x' ? 16 : 2;
    }
    return letter == 'l' ? 10 : 8;
}

static bool is_real(const char *text)
{
    const char *digits = text;
    int base = base_of(&digits);
    if (base == 16)
        return strpbrk(text, ".pP") != NULL;
    return base != 2 && strpbrk(text, ".eEfFdD");
}

static bool has_digit_but_zero(const char *text)
{
    bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    for (const char *at = text + (is_hex ? 2 : 0); *at && !strchr(is_hex ? "pP" : "eE", *at); at++) {
        if (isxdigit((unsigned char)*at) && *at != '0' && (is_hex || isdigit((unsigned char)*at)))
            return true;
    }
    return false;
}

static bool lex_real(expr_lexer *lexer, char *text)
{
    size_t n = strlen(text);
    bool is_float = n > 0 && (text[n - 1] == 'f' || text[n - 1] == 'F');
    if (is_float || (n > 0 && (text[n - 1] == 'd' || text[n - 1] == 'D')))
        text[n - 1] = '\0';
    bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    char *end;
    /* Reading a double and narrowing it would round twice. */
    double number = is_float ? (double)strtof(text, &end) : strtod(text, &end);
    if (end == text || *end || (is_hex && !strpbrk(text, "pP")))
        return false;
    if (isinf(number))
        expr_lex_error(lexer, "floating-point number too large");
    else if (number == 0 && has_digit_but_zero(text))
        expr_lex_error(lexer, "floating-point number too small");
    else
        set_literal(lexer, EXPR_TOKEN_NUMBER, (expr_java_literal){.code = is_float ? 'F' : 'D', .d = number});
    return true;
}

/* The digits of `text` in that base; false if it is anything else.  Too large a number is UINT64_MAX and `*too_large`. */
static bool read_digits(const char *text, int base, uint64_t *number, bool *too_large)
{
    for (const char *at = text; *at; at++) {
        int digit = isdigit((unsigned char)*at) ? *at - '0' : tolower((unsigned char)*at) - 'a' + 10;
        if (!isalnum((unsigned char)*at) || digit >= base)
            return false;
    }
    char *end;
    errno = 0;
    *number = strtoull(text, &end, base);
    *too_large = errno == ERANGE;
    return end > text && *end == '\0';
}

static bool lex_integer(expr_lexer *lexer, char *text)
{
    char *whole = ebb_arena_strdup(lexer->arena, text);
    size_t n = strlen(text);
    bool is_long = text[n - 1] == 'l' || text[n - 1] == 'L';
    if (is_long)
        text[n - 1] = '\0';
    const char *digits = text;
    int base = base_of(&digits);
    uint64_t number, top = is_long ? UINT64_C(1) << 63 : UINT64_C(1) << 31;
    bool too_large;
    if (!read_digits(digits, base, &number, &too_large))
        return false;
    too_large |= base == 10 ? number > top : !is_long && number >> 32;
    if (too_large) {
        expr_lex_error(lexer, "integer number too large: %.100s", whole);
        return true;
    }
    set_literal(lexer, EXPR_TOKEN_NUMBER,
                (expr_java_literal){.code = is_long ? 'J' : 'I',
                                    .needs_minus = base == 10 && number == top,
                                    .i = is_long ? (int64_t)number : (int32_t)(uint32_t)number,
                                    .text = whole});
    return true;
}

void expr_java_lex_number(expr_lexer *lexer)
{
    const char *start = lexer->at;
    lexer->at = expr_lex_skip_number(start);
    char *text = ebb_arena_strndup(lexer->arena, start, (size_t)(lexer->at - start));
    bool is_good = drop_underscores(text) && (is_real(text) ? lex_real(lexer, text) : lex_integer(lexer, text));
    if (!is_good)
        expr_lex_error(lexer, "Invalid number \"%.*s\".", lexer->at - start < 100 ? (int)(lexer->at - start) : 100, start);
}

/* ---- characters and strings ------------------------------------------------------------------ */

/* \u0041, with *at on the (first) 'u'. */
static bool read_unicode(const char **at, uint32_t *code)
{
    *at += strspn(*at, "u");
    *code = 0;
    for (int i = 0; i < 4; i++, (*at)++) {
        char c = **at;
        if (!isxdigit((unsigned char)c))
            return false;
        *code = *code * 16 + (uint32_t)(isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10);
    }
    return true;
}

/* What follows a backslash, with *at after it. */
static bool read_escape(const char **at, uint32_t *code)
{
    static const char names[] = "btnfrs\"'\\", values[] = "\b\t\n\f\r \"'\\";
    char letter = **at;
    const char *named = letter ? strchr(names, letter) : NULL;
    if (named) {
        *code = (uint32_t)values[named - names];
        (*at)++;
        return true;
    }
    if (letter == 'u')
        return read_unicode(at, code);
    int n = letter >= '0' && letter <= '3' ? 3 : letter >= '4' && letter <= '7' ? 2 : 0;
    *code = 0;
    for (int i = 0; i < n && **at >= '0' && **at <= '7'; i++)
        *code = *code * 8 + (uint32_t)(*(*at)++ - '0');
    return n > 0;
}

/* Appends the character at *at, be it written as an escape. */
static bool read_character(expr_lexer *lexer, const char **at, ebb_buf *text)
{
    uint32_t code;
    if (**at != '\\') {
        code = java_text_next(at);
    } else {
        (*at)++;
        if (!read_escape(at, &code)) {
            expr_lex_error(lexer, "illegal escape character");
            return false;
        }
    }
    java_text_add(text, code);
    return true;
}

static bool read_until(expr_lexer *lexer, const char *closing, const char *complaint, ebb_buf *text)
{
    const char *at = lexer->at;
    while (*at && strncmp(at, closing, strlen(closing)) != 0) {
        if (!read_character(lexer, &at, text))
            return false;
    }
    if (!*at) {
        expr_lex_error(lexer, "%s", complaint);
        return false;
    }
    lexer->at = at + strlen(closing);
    return true;
}

static void finish_character(expr_lexer *lexer, const ebb_buf *text)
{
    const char *at = ebb_buf_text(text);
    if (text->n == 0) {
        expr_lex_error(lexer, "empty character literal");
        return;
    }
    uint32_t code = java_text_next(&at);
    if (*at || code >= 0x10000)
        expr_lex_error(lexer, "unclosed character literal");
    else
        set_literal(lexer, EXPR_TOKEN_CHAR, (expr_java_literal){.code = 'C', .i = code});
}

/* ---- text blocks ------------------------------------------------------------------------------ */

static bool is_blank_line(const char *line, size_t n)
{
    return strspn(line, " \t\f\r") >= n;
}

/* JLS 3.10.6: the least indentation of the lines that aren't blank, and of the last one. */
static size_t common_indentation(const char *raw)
{
    size_t least = SIZE_MAX;
    for (const char *line = raw;; ) {
        size_t n = strcspn(line, "\n"), indentation = strspn(line, " \t\f");
        bool is_last = line[n] == '\0';
        indentation = indentation < n ? indentation : n;
        if ((is_last || !is_blank_line(line, n)) && indentation < least)
            least = indentation;
        if (is_last)
            return least;
        line += n + 1;
    }
}

/* The content without its indentation and without blanks at the ends of lines; escapes are still there. */
static void strip_indentation(const char *raw, ebb_buf *out)
{
    size_t indentation = common_indentation(raw);
    for (const char *line = raw;; ) {
        size_t n = strcspn(line, "\n"), start = is_blank_line(line, n) ? n : indentation, end = n;
        while (end > start && strchr(" \t\f\r", line[end - 1]))
            end--;
        ebb_buf_add(out, line + start, end - start);
        if (line[n] == '\0')
            return;
        ebb_buf_addc(out, '\n');
        line += n + 1;
    }
}

/* The current position is after the opening quotes. */
static bool read_text_block(expr_lexer *lexer, ebb_buf *text)
{
    const char *start = lexer->at + strspn(lexer->at, " \t\f\r");
    const char *end = start;
    while (*end && strncmp(end, "\"\"\"", 3) != 0)
        end += *end == '\\' && end[1] ? 2 : 1;
    if (*start != '\n' || !*end) {
        expr_lex_error(lexer, *end ? "illegal text block open delimiter sequence, missing line terminator"
                                   : "unclosed text block");
        return false;
    }
    ebb_buf stripped = {0};
    strip_indentation(ebb_arena_strndup(lexer->arena, start + 1, (size_t)(end - start - 1)), &stripped);
    bool is_good = true;
    for (const char *at = ebb_buf_text(&stripped); is_good && *at;) {
        if (at[0] == '\\' && at[1] == '\n')
            at += 2;
        else
            is_good = read_character(lexer, &at, text);
    }
    ebb_buf_fini(&stripped);
    lexer->at = end + 3;
    return is_good;
}

void expr_java_lex_quoted(expr_lexer *lexer, char quote)
{
    ebb_buf text = {0};
    bool is_good;
    if (strncmp(lexer->at, "\"\"\"", 3) == 0) {
        lexer->at += 3;
        is_good = read_text_block(lexer, &text);
    } else {
        lexer->at++;
        is_good = quote == '"' ? read_until(lexer, "\"", "unclosed string literal", &text)
                               : read_until(lexer, "'", "unclosed character literal", &text);
    }
    if (is_good && quote == '\'')
        finish_character(lexer, &text);
    else if (is_good)
        set_literal(lexer, EXPR_TOKEN_STRING,
                    (expr_java_literal){.code = 'L', .text = ebb_arena_strdup(lexer->arena, ebb_buf_text(&text))});
    ebb_buf_fini(&text);
}
