/* java_parse.c - what Java writes in its own way: types, casts, creations, and names with dots. */
#include "expr/parse.h"

#include <string.h>

enum { MAX_DIMENSIONS = 255, MAX_TYPE_ARGUMENT_TOKENS = 1000 };

static const char *const primitives[] = {"boolean", "byte", "char", "short", "int", "long", "float", "double", "void"};

static bool at_primitive(const expr_parser *parser)
{
    for (size_t i = 0; i < sizeof primitives / sizeof *primitives; i++) {
        if (expr_lex_is(&parser->lexer, primitives[i]))
            return true;
    }
    return false;
}

/* ---- types ----------------------------------------------------------------------------------- */

/* What the current token means between < and >: how many of them it closes, 0 if it may stand there, -1 if it may not. */
static int closes_how_many(const expr_parser *parser)
{
    static const char *const inside[] = {".", ",", "?", "[", "]", "&"};
    const expr_token *token = &parser->lexer.token;
    if (token->kind == EXPR_TOKEN_NAME)
        return 0;
    if (token->kind != EXPR_TOKEN_PUNCTUATION)
        return -1;
    if (strspn(token->text, ">") == strlen(token->text))
        return (int)strlen(token->text);
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
        if (strcmp(token->text, inside[i]) == 0)
            return 0;
    }
    return -1;
}

/* Skips <String, List<? super X>>; the class library that runs knows nothing of them. */
static bool skip_type_arguments(expr_parser *parser)
{
    int open = 0;
    for (int n = 0; n < MAX_TYPE_ARGUMENT_TOKENS; n++) {
        int closes = expr_lex_is(&parser->lexer, "<") ? -2 : closes_how_many(parser);
        if (closes == -1 || closes > open)
            return false;
        open += closes == -2 ? 1 : -closes;
        expr_lex_next(&parser->lexer);
        if (open == 0)
            return true;
    }
    return false;
}

/* Reads `[]`s into the name; leaves a `[` that something stands in. */
static bool read_dimensions(expr_parser *parser, ebb_buf *name)
{
    for (int n = 0; expr_lex_is(&parser->lexer, "["); n++) {
        expr_lexer before = parser->lexer;
        expr_lex_next(&parser->lexer);
        if (!expr_lex_is(&parser->lexer, "]")) {
            parser->lexer = before;
            return true;
        }
        if (n == MAX_DIMENSIONS)
            return false;
        expr_lex_next(&parser->lexer);
        ebb_buf_adds(name, "[]");
    }
    return true;
}

/* a.b.C<X>.D */
static bool read_class_name(expr_parser *parser, ebb_buf *name, bool *has_arguments)
{
    for (;;) {
        if (parser->lexer.token.kind != EXPR_TOKEN_NAME)
            return false;
        ebb_buf_adds(name, parser->lexer.token.text);
        expr_lex_next(&parser->lexer);
        if (expr_lex_is(&parser->lexer, "<")) {
            *has_arguments = true;
            if (!skip_type_arguments(parser))
                return false;
        }
        if (!expr_lex_is(&parser->lexer, "."))
            return true;
        ebb_buf_addc(name, '.');
        expr_lex_next(&parser->lexer);
    }
}

/* False if this is no type.  `*is_sure`: it can't be an expression. */
static bool read_type(expr_parser *parser, bool with_dimensions, const char **type_name, bool *is_sure)
{
    ebb_buf name = {0};
    bool is_good = true;
    *is_sure = at_primitive(parser);
    if (*is_sure) {
        ebb_buf_adds(&name, parser->lexer.token.text);
        expr_lex_next(&parser->lexer);
    } else {
        is_good = read_class_name(parser, &name, is_sure);
    }
    size_t n = name.n;
    if (is_good && with_dimensions)
        is_good = read_dimensions(parser, &name);
    *is_sure |= name.n > n;
    *type_name = ebb_arena_strdup(parser->arena, ebb_buf_text(&name));
    ebb_buf_fini(&name);
    return is_good;
}

bool expr_java_read_type(expr_parser *parser, const char **type_name, bool *is_sure)
{
    return read_type(parser, true, type_name, is_sure);
}

ebb_status expr_java_parse_pattern(expr_parser *parser, expr_node *made)
{
    ebb_status status = expr_java_parse_type(parser, &made->type_name);
    if (!status && expr_lex_is(&parser->lexer, "("))
        return ebb_fail(parser->err, EBB_UNSUPPORTED, "A pattern that takes a record apart is not understood here: write instanceof %.100s NAME, and NAME.COMPONENT().", made->type_name);
    if (status || parser->lexer.token.kind != EXPR_TOKEN_NAME || expr_lex_is(&parser->lexer, "instanceof"))
        return status;
    made->name = parser->lexer.token.text;
    expr_lex_next(&parser->lexer);
    return EBB_OK;
}

ebb_status expr_java_parse_type(expr_parser *parser, const char **type_name)
{
    bool is_sure;
    return read_type(parser, true, type_name, &is_sure) ? EBB_OK : expr_syntax_error(parser);
}

/* ---- casts ----------------------------------------------------------------------------------- */

/* JLS 15.16: after a name in brackets a sign is an infix operator; after `(int)` or `(int[])` it isn't. */
static bool at_cast_operand(const expr_parser *parser, bool is_sure)
{
    static const char *const beginnings[] = {"(", "!", "~", "+", "-", "++", "--"};
    const expr_token *token = &parser->lexer.token;
    if (token->kind == EXPR_TOKEN_END || token->kind == EXPR_TOKEN_ERROR || expr_lex_is(&parser->lexer, "instanceof"))
        return false;
    if (token->kind != EXPR_TOKEN_PUNCTUATION)
        return true;
    for (size_t i = 0; i < (is_sure ? sizeof beginnings / sizeof *beginnings : 3); i++) {
        if (strcmp(token->text, beginnings[i]) == 0)
            return true;
    }
    return false;
}

bool expr_java_enter_cast(expr_parser *parser, const char **type_name)
{
    expr_lexer before = parser->lexer;
    bool is_sure;
    if (!expr_lex_is(&parser->lexer, "("))
        return false;
    expr_lex_next(&parser->lexer);
    if (read_type(parser, true, type_name, &is_sure) && expr_lex_is(&parser->lexer, ")")) {
        expr_lex_next(&parser->lexer);
        if (at_cast_operand(parser, is_sure))
            return true;
    }
    parser->lexer = before;
    return false;
}

/* ---- creations ------------------------------------------------------------------------------- */

/* {1, 2} or {{1}, {2}}: the current token is the brace. */
static ebb_status parse_elements(expr_parser *parser, const expr_node **node)
{
    expr_node made = {.kind = EXPR_NODE_ELEMENTS};
    EBB_VEC(const expr_node *) parts = {0};
    ebb_status status = expr_parse_enter(parser);
    expr_lex_next(&parser->lexer);
    while (!status && !expr_lex_is(&parser->lexer, "}")) {
        const expr_node *part = NULL;
        status = expr_lex_is(&parser->lexer, "{") ? parse_elements(parser, &part)
                                                  : expr_parse_infix(parser, EXPR_PRECEDENCE_ASSIGN, &part);
        if (!status)
            ebb_vec_push(&parts, part);
        if (!status && !expr_lex_is(&parser->lexer, "}"))
            status = expr_parse_expect(parser, ",");
    }
    expr_parse_leave(parser);
    const expr_node **kept = EBB_ARENA_ARRAY(parser->arena, const expr_node *, parts.n);
    if (parts.n > 0)
        memcpy(kept, parts.items, parts.n * sizeof *kept);
    made.args = kept;
    made.n_args = parts.n;
    ebb_vec_fini(&parts);
    if (status)
        return status;
    expr_lex_next(&parser->lexer);
    return expr_parse_finish(parser, made, node);
}

/* [3][n][] after the element's type: made->args are the lengths. */
static ebb_status parse_lengths(expr_parser *parser, expr_node *made)
{
    const expr_node *lengths[MAX_DIMENSIONS];
    ebb_buf name = {0};
    ebb_status status = EBB_OK;
    size_t n = 0;
    ebb_buf_adds(&name, made->type_name);
    for (; !status && expr_lex_is(&parser->lexer, "["); ) {
        expr_lexer before = parser->lexer;
        expr_lex_next(&parser->lexer);
        if (expr_lex_is(&parser->lexer, "]")) {
            parser->lexer = before;
            break;
        }
        if (n == MAX_DIMENSIONS)
            status = expr_syntax_error(parser);
        if (!status)
            status = expr_parse_infix(parser, EXPR_PRECEDENCE_ASSIGN, &lengths[n]);
        if (!status)
            status = expr_parse_expect(parser, "]");
        n++;
        ebb_buf_adds(&name, "[]");
    }
    if (!status && !read_dimensions(parser, &name))
        status = expr_syntax_error(parser);
    made->type_name = ebb_arena_strdup(parser->arena, ebb_buf_text(&name));
    ebb_buf_fini(&name);
    const expr_node **kept = EBB_ARENA_ARRAY(parser->arena, const expr_node *, n);
    if (!status && n > 0)
        memcpy(kept, lengths, n * sizeof *kept);
    made->args = kept;
    made->n_args = status ? 0 : n;
    return status;
}

static ebb_status parse_new(expr_parser *parser, const expr_node **node)
{
    expr_node made = {.kind = EXPR_NODE_NEW};
    bool is_sure;
    expr_lex_next(&parser->lexer);
    if (!read_type(parser, false, &made.type_name, &is_sure))
        return expr_syntax_error(parser);
    ebb_status status;
    if (expr_lex_is(&parser->lexer, "(")) {
        expr_lex_next(&parser->lexer);
        status = expr_parse_list(parser, ")", &made);
    } else {
        made.kind = EXPR_NODE_NEW_ARRAY;
        if (!expr_lex_is(&parser->lexer, "["))
            return expr_syntax_error(parser);
        status = parse_lengths(parser, &made);
        bool has_elements = expr_lex_is(&parser->lexer, "{");
        if (!status && has_elements != (made.n_args == 0))
            status = expr_syntax_error(parser);
        if (!status && has_elements)
            status = parse_elements(parser, &made.left);
    }
    return status ? status : expr_parse_finish(parser, made, node);
}

/* ---- operands -------------------------------------------------------------------------------- */

/* `super` means something with a member only. */
static bool at_member(const expr_parser *parser)
{
    return expr_lex_is(&parser->lexer, ".") || expr_lex_is(&parser->lexer, "::");
}

static ebb_status parse_literal(expr_parser *parser, const expr_node **node)
{
    const expr_java_literal *literal = parser->lexer.token.literal;
    if (literal->needs_minus)
        return ebb_fail(parser->err, EBB_BAD_INPUT, "integer number too large: %.100s", literal->text);
    expr_lex_next(&parser->lexer);
    return expr_parse_finish(parser, (expr_node){.kind = EXPR_NODE_LITERAL, .literal = literal}, node);
}

static ebb_status parse_word(expr_parser *parser, const expr_node **node)
{
    static const struct {
        const char *word;
        expr_node_kind kind;
        expr_java_literal literal;
    } words[] = {
        {"true", EXPR_NODE_LITERAL, {.code = 'Z', .i = 1}}, {"false", EXPR_NODE_LITERAL, {.code = 'Z'}},
        {"null", EXPR_NODE_LITERAL, {.code = 'N'}},         {"this", EXPR_NODE_THIS, {0}},
        {"super", EXPR_NODE_SUPER, {0}},
    };
    expr_node made = {.kind = EXPR_NODE_NAME, .name = parser->lexer.token.text};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (expr_lex_is(&parser->lexer, words[i].word))
            made = (expr_node){.kind = words[i].kind, .literal = words[i].literal.code ? &words[i].literal : NULL};
    }
    expr_lex_next(&parser->lexer);
    if (made.kind == EXPR_NODE_SUPER && !at_member(parser))
        return expr_syntax_error(parser);
    return expr_parse_finish(parser, made, node);
}

static ebb_status parse_primitive(expr_parser *parser, const expr_node **node)
{
    expr_node made = {.kind = EXPR_NODE_TYPE};
    ebb_status status = expr_java_parse_type(parser, &made.type_name);
    return status ? status : expr_parse_finish(parser, made, node);
}

ebb_status expr_java_parse_operand(expr_parser *parser, const expr_node **node)
{
    const char *type_name;
    switch (parser->lexer.token.kind) {
    case EXPR_TOKEN_NUMBER:
    case EXPR_TOKEN_CHAR:
    case EXPR_TOKEN_STRING: return parse_literal(parser, node);
    case EXPR_TOKEN_DOLLAR: {
        expr_node made = {.kind = EXPR_NODE_DOLLAR, .name = parser->lexer.token.text};
        expr_lex_next(&parser->lexer);
        return expr_parse_finish(parser, made, node);
    }
    case EXPR_TOKEN_NAME:
        if (expr_lex_is(&parser->lexer, "new"))
            return parse_new(parser, node);
        if (expr_java_enter_referring_type(parser, &type_name))
            return expr_parse_finish(parser, (expr_node){.kind = EXPR_NODE_TYPE, .type_name = type_name}, node);
        if (expr_lex_is(&parser->lexer, "instanceof") || expr_lex_is(&parser->lexer, "class"))
            return expr_syntax_error(parser);
        return at_primitive(parser) ? parse_primitive(parser, node) : parse_word(parser, node);
    default: break;
    }
    ebb_status status = expr_parse_expect(parser, "(");
    if (!status)
        status = expr_parse_infix(parser, EXPR_PRECEDENCE_ASSIGN, node);
    return status ? status : expr_parse_expect(parser, ")");
}

/* ---- after a dot ---------------------------------------------------------------------------- */

/* a.b.c as written, of a node that is nothing but names; false if it is more. */
static bool dotted_name(const expr_node *node, ebb_buf *name)
{
    if (node->kind == EXPR_NODE_TYPE || node->kind == EXPR_NODE_NAME) {
        ebb_buf_adds(name, node->kind == EXPR_NODE_TYPE ? node->type_name : node->name);
        return true;
    }
    if (node->kind != EXPR_NODE_MEMBER || !dotted_name(node->left, name))
        return false;
    ebb_buf_addf(name, ".%s", node->name);
    return true;
}

static ebb_status name_of_left(expr_parser *parser, const expr_node *left, const char **name)
{
    ebb_buf text = {0};
    bool is_name = dotted_name(left, &text);
    *name = ebb_arena_strdup(parser->arena, ebb_buf_text(&text));
    ebb_buf_fini(&text);
    return is_name ? EBB_OK : expr_syntax_error(parser);
}

ebb_status expr_java_parse_member(expr_parser *parser, expr_node *node)
{
    if (expr_lex_is(&parser->lexer, "<") && !skip_type_arguments(parser))
        return expr_syntax_error(parser);
    if (parser->lexer.token.kind != EXPR_TOKEN_NAME || expr_lex_is(&parser->lexer, "new"))
        return expr_syntax_error(parser);
    bool is_class = expr_lex_is(&parser->lexer, "class");
    bool is_this = expr_lex_is(&parser->lexer, "this"), is_super = expr_lex_is(&parser->lexer, "super");
    if (is_class || is_this || is_super) {
        const char *name;
        ebb_status status = name_of_left(parser, node->left, &name);
        if (status)
            return status;
        *node = is_class ? (expr_node){.kind = EXPR_NODE_CLASS, .type_name = name}
                         : (expr_node){.kind = is_this ? EXPR_NODE_THIS : EXPR_NODE_SUPER, .scope = name};
    } else {
        node->name = parser->lexer.token.text;
    }
    expr_lex_next(&parser->lexer);
    return is_super && !at_member(parser) ? expr_syntax_error(parser) : EBB_OK;
}

ebb_status expr_java_parse_array_type(expr_parser *parser, expr_node *node)
{
    const char *name;
    ebb_status status = name_of_left(parser, node->left, &name);
    if (status)
        return status;
    expr_lex_next(&parser->lexer);
    if (strlen(name) > 4000)
        return expr_syntax_error(parser);
    *node = (expr_node){.kind = EXPR_NODE_TYPE, .type_name = ebb_arena_printf(parser->arena, "%s[]", name)};
    return EBB_OK;
}
