/* lex.h - an expression's text as tokens.
 *
 * LX1  a lexer is a plain value: copying it remembers a position, assigning the copy goes back
 * there; LX2  text that is no token gives an ERROR token that carries its message: it hurts only
 * where the parser wants it, so that expr_parse_prefix may stop in front of anything. */
#ifndef EBB_EXPR_LEX_H
#define EBB_EXPR_LEX_H

#include "expr/tree.h"

typedef enum expr_token_kind {
    EXPR_TOKEN_END,
    EXPR_TOKEN_ERROR,       /* text is the message */
    EXPR_TOKEN_NUMBER,      /* value */
    EXPR_TOKEN_CHAR,        /* value */
    EXPR_TOKEN_STRING,      /* value: adjacent literals already joined */
    EXPR_TOKEN_NAME,        /* text; `is_quoted` if it was 'written so' and hence never a keyword */
    EXPR_TOKEN_DOLLAR,      /* text is what follows the '$' */
    EXPR_TOKEN_PUNCTUATION, /* text is the operator or bracket itself */
} expr_token_kind;

typedef struct expr_token {
    expr_token_kind kind;
    const char *start; /* in the text */
    const char *text;
    bool is_quoted;
    expr_value value;
    expr_java_literal *literal; /* Java: instead of value, for NUMBER, CHAR and STRING */
} expr_token;

typedef struct expr_lexer {
    ebb_arena *arena;
    expr_dialect dialect;
    sym_types *types; /* C only, as the two below */
    /* Finds wchar_t, char16_t and char32_t, which are typedefs. */
    sym_type *(*find_typedef)(void *self, const char *name);
    void *self;
    const char *at; /* after the current token */
    expr_token token;
} expr_lexer;

/* Makes the next token the current one.  At the end it stays there. */
void expr_lex_next(expr_lexer *lexer);

/* Whether the current token is that operator, bracket or (unquoted) word. */
bool expr_lex_is(const expr_lexer *lexer, const char *text);

/* After the number at `at`, as a preprocessor sees it: digits, letters and dots, and a sign after an exponent's letter. */
const char *expr_lex_skip_number(const char *at);

/* Reads a number, character or string literal at lexer->at into lexer->token: literal.c. */
void expr_lex_number(expr_lexer *lexer);
void expr_lex_quoted(expr_lexer *lexer, const char *prefix, char quote);
/* The same for Java: java_lex.c. */
void expr_java_lex_number(expr_lexer *lexer);
void expr_java_lex_quoted(expr_lexer *lexer, char quote);
void expr_lex_error(expr_lexer *lexer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
