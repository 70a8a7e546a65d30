/* lex.c - one pass over the text; the longest operator that fits is taken. */
#include "expr/lex.h"
#include "base/check.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const expr_operator expr_operators[EXPR_N_OPS] = {
#define LEFT  false
#define RIGHT true
#define EXPR_OPERATOR(name, token, place, precedence, associativity, dialect)                      \
    [EXPR_OP_##name] = {token, EXPR_##place, precedence, associativity, EXPR_##dialect},
#include "expr/operators.def"
#undef EXPR_OPERATOR
#undef LEFT
#undef RIGHT
};

/* Punctuation that is no operator of the table. */
static const char *const brackets[] = {"::", "...", ")", "]", "{", "}", "?", ":", ",", "->"};

expr_op expr_applied_operator(expr_op assign)
{
    const char *token = expr_operators[assign].token;
    size_t n = strlen(token) - 1;
    for (unsigned i = 0; i < EXPR_N_OPS; i++) {
        const expr_operator *row = &expr_operators[i];
        if (row->place == EXPR_INFIX && strlen(row->token) == n && strncmp(row->token, token, n) == 0)
            return (expr_op)i;
    }
    ebb_unreachable();
}

static bool is_name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_' || (c & 0x80);
}

static bool is_name_part(char c)
{
    return is_name_start(c) || isdigit((unsigned char)c) || c == '$';
}

static const char *skip_name(const char *at)
{
    while (is_name_part(*at))
        at++;
    return at;
}

const char *expr_lex_skip_number(const char *at)
{
    bool is_hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    for (;; at++) {
        bool is_exponent = is_hex ? (*at == 'p' || *at == 'P') : (*at == 'e' || *at == 'E');
        if (is_exponent && (at[1] == '+' || at[1] == '-'))
            at++;
        else if (!isalnum((unsigned char)*at) && *at != '.' && *at != '_')
            return at;
    }
}

void expr_lex_error(expr_lexer *lexer, const char *format, ...)
{
    char text[EBB_ERROR_TEXT_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    lexer->token.kind = EXPR_TOKEN_ERROR;
    lexer->token.text = ebb_arena_strdup(lexer->arena, text);
}

/* The longest of the punctuation tokens that `at` begins with; NULL if none does. */
static const char *match_punctuation(expr_dialect dialect, const char *at)
{
    if (dialect == EXPR_JAVA && *at == ';') /* in the block of a lambda */
        return ";";
    const char *best = NULL;
    size_t best_n = 0;
    for (size_t i = 0; i < EXPR_N_OPS + sizeof brackets / sizeof *brackets; i++) {
        const char *token = i < EXPR_N_OPS ? expr_operators[i].token : brackets[i - EXPR_N_OPS];
        bool is_foreign = i < EXPR_N_OPS && !(expr_operators[i].dialect & dialect);
        if (*token != *at || is_name_start(*token) || is_foreign)
            continue;
        size_t n = strlen(token);
        if (n > best_n && strncmp(at, token, n) == 0) {
            best = token;
            best_n = n;
        }
    }
    return best;
}

static void lex_punctuation(expr_lexer *lexer)
{
    const char *token = match_punctuation(lexer->dialect, lexer->at);
    if (!token) {
        expr_lex_error(lexer, "Invalid character '%c' in expression.", *lexer->at);
        return;
    }
    lexer->token.kind = EXPR_TOKEN_PUNCTUATION;
    lexer->token.text = token;
    lexer->at += strlen(token);
}

/* After `file.c` in `file.c::x`; NULL if this isn't the name of a file in front of "::". */
static const char *match_file_scope(const char *at)
{
    const char *end = skip_name(at);
    if (*end != '.')
        return NULL;
    while (*end == '.' && is_name_start(end[1]))
        end = skip_name(end + 1);
    return strncmp(end, "::", 2) == 0 ? end : NULL;
}

static void lex_name(expr_lexer *lexer)
{
    const char *start = lexer->at;
    const char *end = skip_name(start);
    bool is_c = lexer->dialect == EXPR_C;
    if (is_c && (*end == '\'' || *end == '"') && end - start == 1 && strchr("LuU", *start)) {
        lexer->at = end;
        expr_lex_quoted(lexer,
                        *start == 'L'   ? "wchar_t"
                        : *start == 'u' ? "char16_t"
                                        : "char32_t",
                        *end);
        return;
    }
    const char *file_end = is_c ? match_file_scope(start) : NULL;
    lexer->token.kind = EXPR_TOKEN_NAME;
    lexer->token.is_quoted = file_end != NULL;
    lexer->at = file_end ? file_end : end;
    lexer->token.text = ebb_arena_strndup(lexer->arena, start, (size_t)(lexer->at - start));
}

/* $name, $, $$, $3, $$3 */
static void lex_dollar(expr_lexer *lexer)
{
    const char *start = ++lexer->at;
    while (is_name_part(*lexer->at))
        lexer->at++;
    lexer->token.kind = EXPR_TOKEN_DOLLAR;
    lexer->token.text = ebb_arena_strndup(lexer->arena, start, (size_t)(lexer->at - start));
}

void expr_lex_next(expr_lexer *lexer)
{
    while (isspace((unsigned char)*lexer->at))
        lexer->at++;
    const char *at = lexer->at;
    lexer->token = (expr_token){.kind = EXPR_TOKEN_END, .start = at, .text = ""};
    if (*at == '\0')
        return;
    if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1])))
        lexer->dialect == EXPR_JAVA ? expr_java_lex_number(lexer) : expr_lex_number(lexer);
    else if (is_name_start(*at))
        lex_name(lexer);
    else if (*at == '$')
        lex_dollar(lexer);
    else if (*at == '\'' || *at == '"')
        lexer->dialect == EXPR_JAVA ? expr_java_lex_quoted(lexer, *at) : expr_lex_quoted(lexer, NULL, *at);
    else
        lex_punctuation(lexer);
}

bool expr_lex_is(const expr_lexer *lexer, const char *text)
{
    const expr_token *token = &lexer->token;
    bool can_be = token->kind == EXPR_TOKEN_PUNCTUATION ||
                  (token->kind == EXPR_TOKEN_NAME && !token->is_quoted);
    return can_be && strcmp(token->text, text) == 0;
}
