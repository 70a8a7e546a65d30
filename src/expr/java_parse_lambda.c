/* java_parse_lambda.c - lambdas and method references: x -> x > 2, (a, b) -> a + b, String::length, int[]::new. */
#include "expr/parse.h"

#include <string.h>

enum { MAX_PARAMETERS = 255 };

/* ---- parameters ------------------------------------------------------------------------------ */

/* After the ')' that closes the '(' at the current token; false: none does. */
static bool skip_brackets(expr_lexer *lexer)
{
    int open = 0;
    do {
        if (lexer->token.kind == EXPR_TOKEN_END || lexer->token.kind == EXPR_TOKEN_ERROR)
            return false;
        open += expr_lex_is(lexer, "(") - expr_lex_is(lexer, ")");
        expr_lex_next(lexer);
    } while (open > 0);
    return true;
}

bool expr_java_at_lambda(const expr_parser *parser)
{
    expr_lexer ahead = parser->lexer;
    if (ahead.token.kind == EXPR_TOKEN_NAME)
        expr_lex_next(&ahead);
    else if (!expr_lex_is(&ahead, "(") || !skip_brackets(&ahead))
        return false;
    return expr_lex_is(&ahead, "->");
}

static ebb_status take_name(expr_parser *parser, const char *type_name, const expr_node **out)
{
    expr_node made = {.kind = EXPR_NODE_NAME, .name = parser->lexer.token.text, .type_name = type_name};
    if (parser->lexer.token.kind != EXPR_TOKEN_NAME)
        return expr_syntax_error(parser);
    expr_lex_next(&parser->lexer);
    return expr_parse_finish(parser, made, out);
}

/* `x`, `int x`, `final var x`: a NAME, with its type if that says something. */
static ebb_status parse_parameter(expr_parser *parser, const expr_node **out)
{
    const char *type_name;
    if (expr_lex_is(&parser->lexer, "final"))
        expr_lex_next(&parser->lexer);
    expr_lexer before = parser->lexer;
    expr_lex_next(&parser->lexer);
    bool is_alone = expr_lex_is(&parser->lexer, ",") || expr_lex_is(&parser->lexer, ")");
    parser->lexer = before;
    if (is_alone)
        return take_name(parser, NULL, out);
    ebb_status status = expr_java_parse_type(parser, &type_name);
    return status ? status : take_name(parser, strcmp(type_name, "var") == 0 ? NULL : type_name, out);
}

static ebb_status parse_parameters(expr_parser *parser, expr_node *lambda)
{
    const expr_node *names[MAX_PARAMETERS];
    size_t n = 0;
    ebb_status status = EBB_OK;
    if (!expr_lex_is(&parser->lexer, "(")) {
        status = take_name(parser, NULL, &names[n++]);
    } else {
        expr_lex_next(&parser->lexer);
        while (!status && !expr_lex_is(&parser->lexer, ")")) {
            if (n > 0)
                status = expr_parse_expect(parser, ",");
            if (!status && n == MAX_PARAMETERS)
                status = expr_syntax_error(parser);
            if (!status)
                status = parse_parameter(parser, &names[n++]);
        }
        if (!status)
            expr_lex_next(&parser->lexer);
    }
    if (status)
        return status;
    const expr_node **kept = EBB_ARENA_ARRAY(parser->arena, const expr_node *, n);
    if (n > 0)
        memcpy(kept, names, n * sizeof *kept);
    lambda->args = kept;
    lambda->n_args = n;
    return EBB_OK;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

static ebb_status fail_block(const expr_parser *parser)
{
    return ebb_fail(parser->err, EBB_UNSUPPORTED, "A lambda's body can be one expression only: x -> x + 1, or { return x + 1; }.");
}

/* { return e; } and { e; } are as good as e.  The current token is the brace. */
static ebb_status parse_block(expr_parser *parser, const expr_node **body)
{
    expr_lex_next(&parser->lexer);
    if (expr_lex_is(&parser->lexer, "return"))
        expr_lex_next(&parser->lexer);
    if (expr_lex_is(&parser->lexer, "}"))
        return fail_block(parser);
    ebb_status status = expr_parse_infix(parser, EXPR_PRECEDENCE_ASSIGN, body);
    if (status)
        return fail_block(parser);
    if (!expr_lex_is(&parser->lexer, ";"))
        return fail_block(parser);
    expr_lex_next(&parser->lexer);
    if (!expr_lex_is(&parser->lexer, "}"))
        return fail_block(parser);
    expr_lex_next(&parser->lexer);
    return EBB_OK;
}

ebb_status expr_java_parse_lambda(expr_parser *parser, const expr_node **node)
{
    expr_node made = {.kind = EXPR_NODE_LAMBDA};
    ebb_status status = parse_parameters(parser, &made);
    if (!status)
        status = expr_parse_expect(parser, "->");
    if (!status)
        status = expr_lex_is(&parser->lexer, "{") ? parse_block(parser, &made.left)
                                                  : expr_parse_infix(parser, EXPR_PRECEDENCE_ASSIGN, &made.left);
    return status ? status : expr_parse_finish(parser, made, node);
}

/* ---- method references ----------------------------------------------------------------------- */

/* What can only be a type in front of `::`, such as List<String> or int[]: dotted names may be variables, and are left. */
bool expr_java_enter_referring_type(expr_parser *parser, const char **type_name)
{
    expr_lexer before = parser->lexer;
    bool is_sure;
    if (before.token.kind == EXPR_TOKEN_NAME && expr_java_read_type(parser, type_name, &is_sure) && is_sure &&
        expr_lex_is(&parser->lexer, "::"))
        return true;
    parser->lexer = before;
    return false;
}

ebb_status expr_java_parse_reference(expr_parser *parser, const expr_node **node)
{
    expr_node made = {.kind = EXPR_NODE_METHOD_REFERENCE, .left = *node};
    expr_lex_next(&parser->lexer);
    made.name = parser->lexer.token.text;
    if (parser->lexer.token.kind != EXPR_TOKEN_NAME)
        return expr_syntax_error(parser);
    expr_lex_next(&parser->lexer);
    return expr_parse_finish(parser, made, node);
}
