/* parse.h - what parse.c, parse_type.c and the parsers of Java's dialect share.
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
    expr_dialect dialect;
    const expr_world *world; /* C only: Java's parser asks nobody */
    ebb_error *err;
    expr_lexer lexer;
    unsigned depth;           /* of the parser's own recursion */
    const char *unknown_name; /* the first that is neither a name nor a type; NULL if none */
    unsigned n_derived;       /* pointers, arrays and functions in the type being read */
} expr_parser;

enum { EXPR_PRECEDENCE_COMMA = 1, EXPR_PRECEDENCE_ASSIGN = 2, EXPR_PRECEDENCE_CONDITIONAL = 3 };

ebb_status expr_syntax_error(const expr_parser *parser) EBB_MUST_CHECK;
ebb_status expr_parse_expect(expr_parser *parser, const char *token) EBB_MUST_CHECK;

/* One more level of recursion (expr_parse_leave takes it back), refused beyond EXPR_MAX_DEPTH. */
ebb_status expr_parse_enter(expr_parser *parser) EBB_MUST_CHECK;
void expr_parse_leave(expr_parser *parser);

/* An expression of operators that bind at least that tight; an operand with its prefixes. */
ebb_status expr_parse_infix(expr_parser *parser, unsigned min_precedence, const expr_node **node) EBB_MUST_CHECK;
ebb_status expr_parse_unary(expr_parser *parser, const expr_node **node) EBB_MUST_CHECK;
/* Expressions with commas between them into node->args, up to and after `closing`. */
ebb_status expr_parse_list(expr_parser *parser, const char *closing, expr_node *node) EBB_MUST_CHECK;
/* Copies the node into the arena, with its depth. */
ebb_status expr_parse_finish(expr_parser *parser, expr_node node, const expr_node **out) EBB_MUST_CHECK;

/* ---- C's types: parse_type.c ------------------------------------------------------------------ */

/* Whether a type name begins at the current token.  A variable hides a typedef of the same name. */
bool expr_at_type_name(expr_parser *parser);
/* The function of C++ that the current token begins to name, if that ends in template arguments: "twice<int>"; *end is after it.  NULL if there is none. */
const char *expr_at_template_function(const expr_parser *parser, const char **end);
ebb_status expr_parse_type_name(expr_parser *parser, sym_type **type) EBB_MUST_CHECK;

/* ---- Java's operands: java_parse.c ------------------------------------------------------------ */

ebb_status expr_java_parse_operand(expr_parser *parser, const expr_node **node) EBB_MUST_CHECK;
/* `(type)` in front of an operand; true: the current token is after the bracket. */
bool expr_java_enter_cast(expr_parser *parser, const char **type_name);
ebb_status expr_java_parse_type(expr_parser *parser, const char **type_name) EBB_MUST_CHECK;
/* What stands after instanceof: a type, and maybe a name. */
ebb_status expr_java_parse_pattern(expr_parser *parser, expr_node *made) EBB_MUST_CHECK;
/* False if this is no type.  `*is_sure`: it can't be an expression. */
bool expr_java_read_type(expr_parser *parser, const char **type_name, bool *is_sure);
/* What stands after the '.' that follows node->left: a name, `class`, `this` or `super`. */
ebb_status expr_java_parse_member(expr_parser *parser, expr_node *node) EBB_MUST_CHECK;
/* `left[]`: a type after all; the current token is the ']'. */
ebb_status expr_java_parse_array_type(expr_parser *parser, expr_node *node) EBB_MUST_CHECK;

/* ---- java_parse_lambda.c ----------------------------------------------------------------------- */

bool expr_java_at_lambda(const expr_parser *parser);
ebb_status expr_java_parse_lambda(expr_parser *parser, const expr_node **node) EBB_MUST_CHECK;
/* A type in front of `::` that can be nothing else; true: the current token is the `::`. */
bool expr_java_enter_referring_type(expr_parser *parser, const char **type_name);
/* `::name` after *node, which becomes the reference. */
ebb_status expr_java_parse_reference(expr_parser *parser, const expr_node **node) EBB_MUST_CHECK;

#endif
