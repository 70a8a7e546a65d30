/* parse.c - text to tree: precedence climbing over operators.def. */
#include "expr/java.h"
#include "expr/parse.h"
#include "base/text.h"

#include <string.h>

/* ---- errors and limits ----------------------------------------------------------------------- */

ebb_status expr_syntax_error(const expr_parser *parser)
{
    const expr_token *token = &parser->lexer.token;
    if (token->kind == EXPR_TOKEN_ERROR)
        return ebb_fail(parser->err, EBB_BAD_INPUT, "%s", token->text);
    size_t n = strcspn(token->start, "\n\r"); /* the message stays one line */
    return ebb_fail(parser->err, EBB_BAD_INPUT, "A syntax error in expression, near `%.*s'.",
                    n < 200 ? (int)n : 200, token->start);
}

ebb_status expr_parse_expect(expr_parser *parser, const char *token)
{
    if (!expr_lex_is(&parser->lexer, token))
        return expr_syntax_error(parser);
    expr_lex_next(&parser->lexer);
    return EBB_OK;
}

static ebb_status fail_too_deep(expr_parser *parser)
{
    return ebb_fail(parser->err, EBB_BAD_INPUT,
                    "The expression is nested more than %d levels deep.", EXPR_MAX_DEPTH);
}

ebb_status expr_parse_enter(expr_parser *parser)
{
    /* A level of brackets enters twice: for what stands in them, and for the operand they are. */
    return ++parser->depth > 2 * EXPR_MAX_DEPTH ? fail_too_deep(parser) : EBB_OK;
}

void expr_parse_leave(expr_parser *parser)
{
    parser->depth--;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static unsigned depth_of(const expr_node *node)
{
    return node ? node->depth : 0;
}

static unsigned max_unsigned(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

/* Copies `node` into the arena with its depth; TE2. */
ebb_status expr_parse_finish(expr_parser *parser, expr_node node, const expr_node **out)
{
    unsigned inner = max_unsigned(depth_of(node.right), depth_of(node.third));
    for (size_t i = 0; i < node.n_args; i++)
        inner = max_unsigned(inner, depth_of(node.args[i]));
    unsigned left = depth_of(node.left);
    bool left_is_free = node.kind == EXPR_NODE_INFIX && left > 0;
    node.depth = max_unsigned(inner + 1, left_is_free ? left : left + 1);
    if (node.depth > EXPR_MAX_DEPTH)
        return fail_too_deep(parser);
    expr_node *copy = EBB_ARENA_NEW(parser->arena, expr_node);
    *copy = node;
    *out = copy;
    return EBB_OK;
}

const expr_node *const *expr_infix_chain(ebb_arena *arena, const expr_node *node, size_t *n)
{
    *n = 1;
    for (const expr_node *at = node->left; at->kind == EXPR_NODE_INFIX; at = at->left)
        ++*n;
    const expr_node **chain = EBB_ARENA_ARRAY(arena, const expr_node *, *n);
    for (size_t i = *n; i-- > 0; node = node->left)
        chain[i] = node;
    return chain;
}

static ebb_status finish_type(expr_parser *parser, sym_type *type, const expr_node **out)
{
    return expr_parse_finish(parser, (expr_node){.kind = EXPR_NODE_TYPE, .type = type}, out);
}

/* ---- operands -------------------------------------------------------------------------------- */

static ebb_status parse_value(expr_parser *parser, expr_node_kind kind, const expr_node **node)
{
    expr_value *value = EBB_ARENA_NEW(parser->arena, expr_value);
    *value = parser->lexer.token.value;
    expr_lex_next(&parser->lexer);
    return expr_parse_finish(parser, (expr_node){.kind = kind, .value = value}, node);
}

/* name, ::name, scope::name, 'file.c'::function::name */
static ebb_status parse_name(expr_parser *parser, const expr_node **node)
{
    expr_node made = {.kind = EXPR_NODE_NAME};
    if (expr_lex_is(&parser->lexer, "::"))
        made.scope = "";
    else {
        made.name = parser->lexer.token.text;
        expr_lex_next(&parser->lexer);
    }
    while (expr_lex_is(&parser->lexer, "::")) {
        expr_lex_next(&parser->lexer);
        if (parser->lexer.token.kind != EXPR_TOKEN_NAME)
            return expr_syntax_error(parser);
        if (made.name)
            made.scope = made.scope && *made.scope
                             ? ebb_arena_printf(parser->arena, "%s::%s", made.scope, made.name)
                             : made.name;
        made.name = parser->lexer.token.text;
        expr_lex_next(&parser->lexer);
    }
    return expr_parse_finish(parser, made, node);
}

static ebb_status parse_dollar(expr_parser *parser, const expr_node **node)
{
    expr_node made = {.kind = EXPR_NODE_DOLLAR, .name = parser->lexer.token.text};
    expr_lex_next(&parser->lexer);
    return expr_parse_finish(parser, made, node);
}

/* {type} address */
static ebb_status parse_at_address(expr_parser *parser, const expr_node **node)
{
    expr_node made = {.kind = EXPR_NODE_AT_ADDRESS};
    expr_lex_next(&parser->lexer);
    if (!expr_at_type_name(parser))
        return expr_syntax_error(parser);
    ebb_status status = expr_parse_type_name(parser, &made.type);
    if (!status)
        status = expr_parse_expect(parser, "}");
    if (!status)
        status = expr_parse_unary(parser, &made.left);
    return status ? status : expr_parse_finish(parser, made, node);
}

/* Whether what follows `(type)` is an operand, so that this is a cast and not a type in brackets. */
static bool at_cast_operand(const expr_parser *parser)
{
    static const char *const beginnings[] = {"(", "{", "::", "&", "*", "+", "-", "!", "~", "++", "--"};
    const expr_token *token = &parser->lexer.token;
    if (token->kind == EXPR_TOKEN_END || token->kind == EXPR_TOKEN_ERROR)
        return false;
    if (token->kind != EXPR_TOKEN_PUNCTUATION)
        return true;
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        if (strcmp(token->text, beginnings[i]) == 0)
            return true;
    }
    return false;
}

/* A `&` or `&&` that makes *reference of the type before it; NULL: there is none. */
static void take_reference(expr_parser *parser, const char *closing, sym_type *to, sym_type **reference)
{
    bool is_rvalue = expr_lex_is(&parser->lexer, "&&");
    *reference = NULL;
    if ((!is_rvalue && !expr_lex_is(&parser->lexer, "&")) || *ebb_text_skip_space(parser->lexer.at) != *closing)
        return;
    expr_lex_next(&parser->lexer);
    *reference = sym_type_reference_to(parser->world->types, to, is_rvalue);
}

/* What a cast to T & gives is what one of the address to T * points to. */
static ebb_status finish_reference_cast(expr_parser *parser, expr_node cast, sym_type *reference, const expr_node **node)
{
    expr_node address = {.kind = EXPR_NODE_PREFIX, .op = EXPR_OP_ADDRESS, .left = cast.left};
    expr_node target = {.kind = EXPR_NODE_PREFIX, .op = EXPR_OP_DEREF, .type = reference};
    EBB_TRY(expr_parse_finish(parser, address, &cast.left));
    cast.type = sym_type_pointer_to(parser->world->types, cast.type);
    EBB_TRY(expr_parse_finish(parser, cast, &target.left));
    return expr_parse_finish(parser, target, node);
}

/* (type) operand, or (type) alone: the current token is after the bracket. */
static ebb_status parse_cast(expr_parser *parser, bool may_cast, const expr_node **node)
{
    expr_node made = {.kind = EXPR_NODE_CAST};
    ebb_status status = expr_parse_type_name(parser, &made.type);
    sym_type *reference = NULL;
    if (!status && may_cast)
        take_reference(parser, ")", made.type, &reference);
    if (!status)
        status = expr_parse_expect(parser, ")");
    if (status)
        return status;
    if (!may_cast || !at_cast_operand(parser))
        return finish_type(parser, made.type, node);
    status = expr_parse_unary(parser, &made.left);
    if (status)
        return status;
    return reference ? finish_reference_cast(parser, made, reference, node) : expr_parse_finish(parser, made, node);
}

/* Whether a type in brackets begins at the current token; then the token after the bracket is. */
static bool enter_bracketed_type(expr_parser *parser)
{
    if (!expr_lex_is(&parser->lexer, "("))
        return false;
    expr_lexer before = parser->lexer;
    expr_lex_next(&parser->lexer);
    if (expr_at_type_name(parser))
        return true;
    parser->lexer = before;
    return false;
}

static ebb_status parse_type_operand(expr_parser *parser, const expr_node **node)
{
    sym_type *type;
    ebb_status status = expr_parse_type_name(parser, &type);
    return status ? status : finish_type(parser, type, node);
}

/* `object.Base::member` looks like `file.c::name`: it isn't if there is such an object. */
static void leave_file_scope(expr_parser *parser)
{
    expr_token *token = &parser->lexer.token;
    const expr_world *world = parser->world;
    expr_value value;
    if (token->kind != EXPR_TOKEN_NAME || !token->is_quoted || *token->start == '\'' || !world->find_functions)
        return;
    size_t n = strcspn(token->text, ".");
    const char *object = ebb_arena_strndup(parser->arena, token->start, n);
    if (world->find_name(world->self, parser->arena, NULL, object, &value, NULL) != EBB_OK)
        return;
    token->text = object;
    token->is_quoted = false;
    parser->lexer.at = token->start + n;
}

/* static_cast<type>(operand) and its like, of C++. */
static bool at_named_cast(const expr_parser *parser)
{
    static const char *const words[] = {"static_cast", "reinterpret_cast", "const_cast", "dynamic_cast"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (expr_lex_is(&parser->lexer, words[i]) && *parser->lexer.at == '<')
            return true;
    return false;
}

static ebb_status parse_named_cast(expr_parser *parser, const expr_node **node)
{
    bool is_dynamic = expr_lex_is(&parser->lexer, "dynamic_cast");
    expr_node made = {.kind = is_dynamic ? EXPR_NODE_DYNAMIC_CAST : EXPR_NODE_CAST};
    expr_lex_next(&parser->lexer);
    EBB_TRY(expr_parse_expect(parser, "<"));
    if (!expr_at_type_name(parser))
        return expr_syntax_error(parser);
    EBB_TRY(expr_parse_type_name(parser, &made.type));
    sym_type *reference = NULL;
    if (!is_dynamic)
        take_reference(parser, ">", made.type, &reference);
    EBB_TRY(expr_parse_expect(parser, ">"));
    EBB_TRY(expr_parse_expect(parser, "("));
    EBB_TRY(expr_parse_infix(parser, EXPR_PRECEDENCE_COMMA, &made.left));
    EBB_TRY(expr_parse_expect(parser, ")"));
    return reference ? finish_reference_cast(parser, made, reference, node) : expr_parse_finish(parser, made, node);
}

static ebb_status parse_operand(expr_parser *parser, const expr_node **node)
{
    const char *end;
    leave_file_scope(parser);
    if (at_named_cast(parser))
        return parse_named_cast(parser, node);
    const char *template_function = expr_at_template_function(parser, &end);
    if (template_function) {
        parser->lexer.at = end;
        expr_lex_next(&parser->lexer);
        return expr_parse_finish(parser, (expr_node){.kind = EXPR_NODE_NAME, .name = template_function}, node);
    }
    switch (parser->lexer.token.kind) {
    case EXPR_TOKEN_NUMBER:
    case EXPR_TOKEN_CHAR: return parse_value(parser, EXPR_NODE_LITERAL, node);
    case EXPR_TOKEN_STRING: return parse_value(parser, EXPR_NODE_STRING, node);
    case EXPR_TOKEN_DOLLAR: return parse_dollar(parser, node);
    case EXPR_TOKEN_NAME:
        if (!expr_at_type_name(parser))
            return parse_name(parser, node);
        return parse_type_operand(parser, node);
    default: break;
    }
    if (expr_lex_is(&parser->lexer, "::"))
        return parse_name(parser, node);
    ebb_status status = expr_parse_expect(parser, "(");
    if (!status)
        status = expr_parse_infix(parser, EXPR_PRECEDENCE_COMMA, node);
    return status ? status : expr_parse_expect(parser, ")");
}

/* ---- postfix operators ----------------------------------------------------------------------- */

ebb_status expr_parse_list(expr_parser *parser, const char *closing, expr_node *node)
{
    EBB_VEC(const expr_node *) args = {0};
    ebb_status status = EBB_OK;
    while (!status && !expr_lex_is(&parser->lexer, closing)) {
        const expr_node *arg = NULL;
        if (args.n > 0)
            status = expr_parse_expect(parser, ",");
        if (!status)
            status = expr_parse_infix(parser, EXPR_PRECEDENCE_ASSIGN, &arg);
        if (!status)
            ebb_vec_push(&args, arg);
    }
    if (!status)
        expr_lex_next(&parser->lexer);
    const expr_node **kept = EBB_ARENA_ARRAY(parser->arena, const expr_node *, args.n);
    if (args.n > 0)
        memcpy(kept, args.items, args.n * sizeof *kept);
    node->args = kept;
    node->n_args = args.n;
    ebb_vec_fini(&args);
    return status;
}

static bool find_operator(const expr_parser *parser, expr_op_place place, expr_op *op)
{
    for (unsigned i = 0; i < EXPR_N_OPS; i++) {
        if (expr_operators[i].place == place && (expr_operators[i].dialect & parser->dialect) &&
            expr_lex_is(&parser->lexer, expr_operators[i].token)) {
            *op = (expr_op)i;
            return true;
        }
    }
    return false;
}

/* What stands after `operator`: its sign. */
static ebb_status parse_operator_name(expr_parser *parser, const char **name)
{
    static const char *const closing[][2] = {{"(", ")"}, {"[", "]"}};
    if (parser->lexer.token.kind != EXPR_TOKEN_PUNCTUATION)
        return expr_syntax_error(parser);
    const char *sign = parser->lexer.token.text, *rest = "";
    expr_lex_next(&parser->lexer);
    for (size_t i = 0; i < 2; i++)
        if (strcmp(sign, closing[i][0]) == 0) {
            EBB_TRY(expr_parse_expect(parser, closing[i][1]));
            rest = closing[i][1];
        }
    *name = ebb_arena_printf(parser->arena, "operator%s%s", sign, rest);
    return EBB_OK;
}

/* member, Base::member, operator+ */
static ebb_status parse_member_name(expr_parser *parser, expr_node *made)
{
    for (;;) {
        if (parser->lexer.token.kind != EXPR_TOKEN_NAME)
            return expr_syntax_error(parser);
        made->name = parser->lexer.token.text;
        expr_lex_next(&parser->lexer);
        if (strcmp(made->name, "operator") == 0)
            return parse_operator_name(parser, &made->name);
        if (!expr_lex_is(&parser->lexer, "::"))
            return EBB_OK;
        made->scope = made->scope ? ebb_arena_printf(parser->arena, "%s::%s", made->scope, made->name) : made->name;
        expr_lex_next(&parser->lexer);
    }
}

/* One postfix operator applied to made->left; the current token is after the operator. */
static ebb_status parse_postfix_rest(expr_parser *parser, expr_node *made)
{
    switch (made->op) {
    case EXPR_OP_INDEX: {
        made->kind = EXPR_NODE_INDEX;
        if (parser->dialect == EXPR_JAVA && expr_lex_is(&parser->lexer, "]"))
            return expr_java_parse_array_type(parser, made);
        ebb_status status = expr_parse_infix(parser, EXPR_PRECEDENCE_COMMA, &made->right);
        return status ? status : expr_parse_expect(parser, "]");
    }
    case EXPR_OP_CALL: made->kind = EXPR_NODE_CALL; return expr_parse_list(parser, ")", made);
    case EXPR_OP_MEMBER:
    case EXPR_OP_ARROW:
        made->kind = EXPR_NODE_MEMBER;
        if (parser->dialect == EXPR_JAVA)
            return expr_java_parse_member(parser, made);
        return parse_member_name(parser, made);
    default: made->kind = EXPR_NODE_POSTFIX; return EBB_OK;
    }
}

/* Rust's tuple.0.1, of which the lexer makes a number: ".0.1". */
static ebb_status parse_tuple_fields(expr_parser *parser, const expr_node **node)
{
    const char *at = parser->lexer.token.start;
    while (*at == '.') {
        size_t n = strspn(at + 1, "0123456789");
        expr_node made = {.kind = EXPR_NODE_MEMBER, .op = EXPR_OP_MEMBER, .left = *node};
        made.name = ebb_arena_printf(parser->arena, "__%.*s", (int)n, at + 1);
        if (n == 0)
            return expr_syntax_error(parser);
        EBB_TRY(expr_parse_finish(parser, made, node));
        at += n + 1;
    }
    expr_lex_next(&parser->lexer);
    return EBB_OK;
}

/* Directly after an operand, a number that begins with a dot and has nothing but digits and dots. */
static bool at_tuple_field(const expr_parser *parser)
{
    const expr_token *token = &parser->lexer.token;
    bool is_rust = parser->dialect != EXPR_JAVA && parser->world->is_rust && *token->start == '.' && parser->world->is_rust(parser->world->self);
    bool is_number = is_rust && (token->kind == EXPR_TOKEN_NUMBER || token->kind == EXPR_TOKEN_ERROR);
    return is_number && strspn(token->start, ".0123456789") == (size_t)(parser->lexer.at - token->start);
}

static ebb_status parse_postfix(expr_parser *parser, const expr_node **node)
{
    ebb_status status = parser->dialect == EXPR_JAVA ? expr_java_parse_operand(parser, node) : parse_operand(parser, node);
    expr_op op;
    while (!status && (at_tuple_field(parser) || find_operator(parser, EXPR_POSTFIX, &op))) {
        if (at_tuple_field(parser)) {
            status = parse_tuple_fields(parser, node);
            continue;
        }
        expr_node made = {.op = op, .left = *node};
        expr_lex_next(&parser->lexer);
        status = parse_postfix_rest(parser, &made);
        if (!status)
            status = expr_parse_finish(parser, made, node);
    }
    return status;
}

/* ---- prefix and infix operators -------------------------------------------------------------- */

static ebb_status parse_prefix_operator(expr_parser *parser, expr_op op, const expr_node **node)
{
    expr_node made = {.kind = EXPR_NODE_PREFIX, .op = op};
    expr_lex_next(&parser->lexer);
    if (parser->dialect == EXPR_JAVA && op == EXPR_OP_NEGATE && parser->lexer.token.kind == EXPR_TOKEN_NUMBER)
        parser->lexer.token.literal->needs_minus = false;
    bool is_size = op == EXPR_OP_SIZEOF || op == EXPR_OP_ALIGNOF || op == EXPR_OP_ALIGNOF_CPLUS;
    ebb_status status = is_size && enter_bracketed_type(parser)
                            ? parse_cast(parser, false, &made.left)
                            : expr_parse_unary(parser, &made.left);
    return status ? status : expr_parse_finish(parser, made, node);
}

/* A method reference ends what can be said about its left side. */
static ebb_status parse_java_postfix(expr_parser *parser, const expr_node **node)
{
    ebb_status status = parse_postfix(parser, node);
    return !status && expr_lex_is(&parser->lexer, "::") ? expr_java_parse_reference(parser, node) : status;
}

/* A lambda, (type) operand, or an operand with its postfixes. */
static ebb_status parse_java_unary(expr_parser *parser, const expr_node **node)
{
    expr_node cast = {.kind = EXPR_NODE_CAST};
    if (expr_java_at_lambda(parser))
        return expr_java_parse_lambda(parser, node);
    if (!expr_java_enter_cast(parser, &cast.type_name))
        return parse_java_postfix(parser, node);
    ebb_status status = expr_parse_unary(parser, &cast.left);
    return status ? status : expr_parse_finish(parser, cast, node);
}

ebb_status expr_parse_unary(expr_parser *parser, const expr_node **node)
{
    expr_op op;
    ebb_status status = expr_parse_enter(parser);
    if (status)
        return status;
    if (find_operator(parser, EXPR_PREFIX, &op))
        status = parse_prefix_operator(parser, op, node);
    else if (parser->dialect == EXPR_JAVA)
        status = parse_java_unary(parser, node);
    else if (expr_lex_is(&parser->lexer, "{"))
        status = parse_at_address(parser, node);
    else if (enter_bracketed_type(parser))
        status = parse_cast(parser, true, node);
    else
        status = parse_postfix(parser, node);
    expr_parse_leave(parser);
    return status;
}

/* `? b : c` after made.left */
static ebb_status parse_conditional(expr_parser *parser, const expr_node **node)
{
    expr_node made = {.kind = EXPR_NODE_CONDITIONAL, .left = *node};
    expr_lex_next(&parser->lexer);
    ebb_status status = expr_parse_infix(parser, EXPR_PRECEDENCE_COMMA, &made.right);
    if (!status)
        status = expr_parse_expect(parser, ":");
    if (!status)
        status = expr_parse_infix(parser, EXPR_PRECEDENCE_CONDITIONAL, &made.third);
    return status ? status : expr_parse_finish(parser, made, node);
}

/* The INFIX or ASSIGN operator at the current token that binds at least that tight. */
static bool find_infix(const expr_parser *parser, unsigned min_precedence, expr_op *op)
{
    return (find_operator(parser, EXPR_INFIX, op) || find_operator(parser, EXPR_ASSIGN, op)) &&
           expr_operators[*op].precedence >= min_precedence;
}

/* The current token is after made->op. */
static ebb_status parse_right_operand(expr_parser *parser, expr_node *made)
{
    const expr_operator *row = &expr_operators[made->op];
    if (made->op == EXPR_OP_INSTANCEOF) {
        made->kind = EXPR_NODE_INSTANCEOF;
        return expr_java_parse_pattern(parser, made);
    }
    made->kind = row->place == EXPR_ASSIGN ? EXPR_NODE_ASSIGN : EXPR_NODE_INFIX;
    return expr_parse_infix(parser, row->precedence + (row->is_right_associative ? 0 : 1), &made->right);
}

ebb_status expr_parse_infix(expr_parser *parser, unsigned min_precedence, const expr_node **node)
{
    ebb_status status = expr_parse_enter(parser);
    if (!status)
        status = expr_parse_unary(parser, node);
    while (!status) {
        expr_node made = {.left = *node};
        if (expr_lex_is(&parser->lexer, "?") && min_precedence <= EXPR_PRECEDENCE_CONDITIONAL) {
            status = parse_conditional(parser, node);
            continue;
        }
        if (!find_infix(parser, min_precedence, &made.op))
            break;
        expr_lex_next(&parser->lexer);
        status = parse_right_operand(parser, &made);
        if (!status)
            status = expr_parse_finish(parser, made, node);
    }
    expr_parse_leave(parser);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static sym_type *find_typedef(void *self, const char *name)
{
    const expr_world *world = self;
    return world->find_type(world->self, SYM_TYPE_TYPEDEF, name);
}

static expr_parser start(ebb_arena *arena, const expr_world *world, const char *text,
                         ebb_error *err)
{
    expr_parser parser = {.arena = arena, .dialect = EXPR_C, .world = world, .err = err};
    parser.lexer = (expr_lexer){.arena = arena,
                                .dialect = EXPR_C,
                                .types = world->types,
                                .find_typedef = find_typedef,
                                .self = (void *)world,
                                .at = text};
    expr_lex_next(&parser.lexer);
    return parser;
}

static ebb_status parse_all(expr_parser *parser, const expr_node **tree)
{
    ebb_status status = expr_parse_infix(parser, EXPR_PRECEDENCE_COMMA, tree);
    if (status || parser->lexer.token.kind == EXPR_TOKEN_END)
        return status;
    if (expr_lex_is(&parser->lexer, ")") || expr_lex_is(&parser->lexer, "]"))
        return ebb_fail(parser->err, EBB_BAD_INPUT, "Junk after end of expression.");
    return expr_syntax_error(parser);
}

/* `print (nosuch_t) x`: that the name is unknown says more than where the parser gave up. */
static ebb_status blame_unknown_name(expr_parser *parser, ebb_status status)
{
    const expr_world *world = parser->world;
    expr_value ignored;
    if (status != EBB_BAD_INPUT || !parser->unknown_name)
        return status;
    ebb_status found = world->find_name(world->self, parser->arena, NULL, parser->unknown_name,
                                        &ignored, parser->err);
    return found ? found : status;
}

ebb_status expr_parse(ebb_arena *arena, const expr_world *world, const char *text,
                      const expr_node **tree, ebb_error *err)
{
    if (world->expand)
        EBB_TRY(world->expand(world->self, arena, text, &text, err));
    expr_parser parser = start(arena, world, text, err);
    return blame_unknown_name(&parser, parse_all(&parser, tree));
}

ebb_status expr_parse_prefix(ebb_arena *arena, const expr_world *world, const char *text,
                             const expr_node **tree, const char **rest, ebb_error *err)
{
    expr_parser parser = start(arena, world, text, err);
    ebb_status status = expr_parse_infix(&parser, EXPR_PRECEDENCE_ASSIGN, tree);
    if (!status)
        *rest = parser.lexer.token.start;
    return status;
}

ebb_status expr_parse_type(ebb_arena *arena, const expr_world *world, const char *text,
                           sym_type **type, ebb_error *err)
{
    expr_parser parser = start(arena, world, text, err);
    if (!expr_at_type_name(&parser))
        return ebb_fail(err, EBB_NOT_FOUND, "No type named %.200s.", text);
    ebb_status status = expr_parse_type_name(&parser, type);
    if (!status && parser.lexer.token.kind != EXPR_TOKEN_END)
        status = expr_syntax_error(&parser);
    return status;
}

/* ---- the whole of Java's dialect --------------------------------------------------------------- */

static expr_parser start_java(ebb_arena *arena, const char *text, ebb_error *err)
{
    expr_parser parser = {.arena = arena, .dialect = EXPR_JAVA, .err = err};
    parser.lexer = (expr_lexer){.arena = arena, .dialect = EXPR_JAVA, .at = text};
    expr_lex_next(&parser.lexer);
    return parser;
}

ebb_status expr_java_parse(ebb_arena *arena, const char *text, const expr_node **tree, ebb_error *err)
{
    expr_parser parser = start_java(arena, text, err);
    return parse_all(&parser, tree);
}

ebb_status expr_java_parse_prefix(ebb_arena *arena, const char *text, const expr_node **tree, const char **rest, ebb_error *err)
{
    expr_parser parser = start_java(arena, text, err);
    ebb_status status = expr_parse_infix(&parser, EXPR_PRECEDENCE_ASSIGN, tree);
    if (!status)
        *rest = parser.lexer.token.start;
    return status;
}
