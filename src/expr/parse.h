/* parse.h - what parse.c and parse_type.c share.
 *
 * Every function that parses leaves the lexer on the first token it didn't use.  A failure is
 * final: the parser is thrown away with it. */
#ifndef EBB_EXPR_PARSE_H
#define EBB_EXPR_PARSE_H

#include "expr/expr.h"
#include "expr/lex.h"
#include "expr/tree.h"

typedef struct expr_parser {
    ebb_arena *arena;
    const expr_world *world;
    ebb_error *err;
    expr_lexer lexer;
    unsigned depth;           /* of the parser's own recursion */
    const char *unknown_name; /* the first that is neither a name nor a type; NULL if none */
    unsigned n_derived;       /* pointers, arrays and functions in the type being read */
} expr_parser;

ebb_status expr_syntax_error(const expr_parser *parser) EBB_MUST_CHECK;
ebb_status expr_parse_expect(expr_parser *parser, const char *token) EBB_MUST_CHECK;

/* One more level of recursion (expr_parse_leave takes it back), refused beyond EXPR_MAX_DEPTH. */
ebb_status expr_parse_enter(expr_parser *parser) EBB_MUST_CHECK;
void expr_parse_leave(expr_parser *parser);

/* Whether a type name begins at the current token.  A variable hides a typedef of the same name. */
bool expr_at_type_name(expr_parser *parser);
ebb_status expr_parse_type_name(expr_parser *parser, sym_type **type) EBB_MUST_CHECK;

#endif
