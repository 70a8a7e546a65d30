/* parse_type.c - C's type names: specifiers in any order, then an abstract declarator. */
#include "expr/parse.h"

#include <ctype.h>
#include <string.h>

enum { MAX_DERIVED = 64, MAX_PARAMS = 127 };

/* ---- specifiers ------------------------------------------------------------------------------ */

/* The words that make up basic types, in the order in which a canonical name has them. */
#define SPECIFIER_WORDS(X)                                                                         \
    X(SIGNED, "signed")                                                                            \
    X(UNSIGNED, "unsigned")                                                                        \
    X(SHORT, "short")                                                                              \
    X(LONG, "long")                                                                                \
    X(CHAR, "char")                                                                                \
    X(INT, "int")                                                                                  \
    X(FLOAT, "float")                                                                              \
    X(DOUBLE, "double")                                                                            \
    X(VOID, "void")                                                                                \
    X(BOOL, "_Bool")                                                                               \
    X(INT128, "__int128")                                                                          \
    X(FLOAT128, "_Float128")                                                                       \
    X(COMPLEX, "_Complex")

enum {
#define X(name, text) WORD_##name,
    SPECIFIER_WORDS(X)
#undef X
        N_WORDS
};

static const char *const words[N_WORDS] = {
#define X(name, text) [WORD_##name] = text,
    SPECIFIER_WORDS(X)
#undef X
};

typedef struct kind_word {
    const char *text;
    sym_type_kind kind;
} kind_word;

static const kind_word qualifiers[] = {
    {"const", SYM_TYPE_CONST},           {"volatile", SYM_TYPE_VOLATILE},
    {"restrict", SYM_TYPE_RESTRICT},     {"_Atomic", SYM_TYPE_ATOMIC},
    {"__const", SYM_TYPE_CONST},         {"__volatile__", SYM_TYPE_VOLATILE},
    {"__restrict", SYM_TYPE_RESTRICT},
};

static const kind_word tags[] = {
    {"struct", SYM_TYPE_STRUCT}, {"union", SYM_TYPE_UNION}, {"enum", SYM_TYPE_ENUM},
};

enum {
    N_QUALIFIERS = sizeof qualifiers / sizeof *qualifiers,
    N_TAGS = sizeof tags / sizeof *tags,
};

static bool at_word(const expr_parser *parser, unsigned *word)
{
    for (*word = 0; *word < N_WORDS; (*word)++) {
        if (expr_lex_is(&parser->lexer, words[*word]))
            return true;
    }
    return false;
}

static bool at_qualifier(const expr_parser *parser, sym_type_kind *kind)
{
    for (unsigned i = 0; i < N_QUALIFIERS; i++) {
        if (expr_lex_is(&parser->lexer, qualifiers[i].text)) {
            *kind = qualifiers[i].kind;
            return true;
        }
    }
    return false;
}

static bool at_tag(const expr_parser *parser, unsigned *tag)
{
    for (*tag = 0; *tag < N_TAGS; (*tag)++) {
        if (expr_lex_is(&parser->lexer, tags[*tag].text))
            return true;
    }
    return false;
}

/* The end of a name with scopes and template arguments, "shop::Box<int>"; the beginning, if there is neither. */
static const char *end_of_scoped(const char *at)
{
    const char *begin = at;
    bool is_scoped = false;
    for (;;) {
        const char *word = at;
        while (isalnum((unsigned char)*at) || *at == '_' || *at == '~')
            at++;
        if (at == word)
            return begin;
        if (*at == '<' && at[1] != '<' && at[1] != '=') {
            const char *open = at;
            int depth = 0;
            do {
                depth += *at == '<';
                depth -= *at == '>';
            } while (*at++ && depth > 0);
            if (depth > 0 || strchr("=;", *open))
                return begin;
            is_scoped = true;
        }
        if (strncmp(at, "::", 2) != 0)
            return is_scoped ? at : begin;
        is_scoped = true;
        at += 2;
    }
}

/* As compilers write it, "Box<int, 4>": no blanks but those between words, after commas and between two '>'. */
static char *tidy_name(ebb_arena *arena, const char *text, size_t nbytes)
{
    ebb_buf tidy = {0};
    for (size_t i = 0; i < nbytes; i++) {
        char last = tidy.n ? tidy.data[tidy.n - 1] : 0;
        if (text[i] == ' ') {
            while (i + 1 < nbytes && text[i + 1] == ' ')
                i++;
            if ((isalnum((unsigned char)last) || last == '_') && i + 1 < nbytes && (isalnum((unsigned char)text[i + 1]) || text[i + 1] == '_'))
                ebb_buf_addc(&tidy, ' ');
            continue;
        }
        if (text[i] == '>' && last == '>')
            ebb_buf_addc(&tidy, ' ');
        ebb_buf_addc(&tidy, text[i]);
        if (text[i] == ',')
            ebb_buf_addc(&tidy, ' ');
    }
    char *kept = ebb_arena_strndup(arena, ebb_buf_text(&tidy), tidy.n);
    ebb_buf_fini(&tidy);
    return kept;
}

/* A type of C++ that the current token begins to name; *end is after it. */
static sym_type *scoped_type_here(const expr_parser *parser, const char **end)
{
    const char *begin = parser->lexer.token.start;
    *end = end_of_scoped(begin);
    if (*end == begin)
        return NULL;
    char *name = tidy_name(parser->arena, begin, (size_t)(*end - begin));
    return parser->world->find_type(parser->world->self, SYM_TYPE_TYPEDEF, name);
}

const char *expr_at_template_function(const expr_parser *parser, const char **end)
{
    const expr_token *token = &parser->lexer.token;
    expr_value value;
    if (token->kind != EXPR_TOKEN_NAME || token->is_quoted || !parser->world->find_functions)
        return NULL;
    *end = end_of_scoped(token->start);
    const char *last = *end > token->start ? *end - 1 : token->start;
    if (*last != '>')
        return NULL;
    char *name = tidy_name(parser->arena, token->start, (size_t)(*end - token->start));
    const expr_world *world = parser->world;
    bool is_function = world->find_name(world->self, parser->arena, NULL, name, &value, NULL) == EBB_OK && sym_type_strip(value.type)->kind == SYM_TYPE_FUNCTION;
    return is_function ? name : NULL;
}

/* The typedef that the current token names; NULL if it names none or a variable hides it. */
static sym_type *typedef_here(expr_parser *parser)
{
    const expr_token *token = &parser->lexer.token;
    const char *end;
    if (token->kind != EXPR_TOKEN_NAME || token->is_quoted)
        return NULL;
    sym_type *scoped = scoped_type_here(parser, &end);
    if (scoped || end != token->start)
        return scoped;
    expr_value ignored;
    const expr_world *world = parser->world;
    bool is_name = world->find_name(world->self, parser->arena, NULL, token->text, &ignored, NULL) == EBB_OK;
    bool is_function = is_name && ignored.type && sym_type_strip(ignored.type)->kind == SYM_TYPE_FUNCTION;
    if (is_name && !is_function)
        return NULL;
    sym_type *type = world->find_type(world->self, SYM_TYPE_TYPEDEF, token->text);
    if (is_function) /* the constructor has the name of its class */
        return type && type->is_cplus && type->kind != SYM_TYPE_TYPEDEF ? type : NULL;
    if (!type && !parser->unknown_name)
        parser->unknown_name = token->text;
    return type;
}

bool expr_at_type_name(expr_parser *parser)
{
    unsigned index;
    sym_type_kind kind;
    return at_word(parser, &index) || at_qualifier(parser, &kind) || at_tag(parser, &index) ||
           typedef_here(parser);
}

/* What has been seen of the specifiers so far. */
typedef struct specifiers {
    unsigned count[N_WORDS];
    bool has_words;
    sym_type *named; /* by tag or typedef */
    bool qualified[SYM_TYPE_UNKNOWN + 1];
} specifiers;

/* "unsigned long", ... as sym_types_basic knows it; false if the words don't go together. */
static bool basic_name(const specifiers *seen, ebb_buf *name)
{
    for (unsigned i = 0; i < N_WORDS; i++) {
        if (seen->count[i] > (i == WORD_LONG ? 2u : 1u))
            return false;
        bool is_noise = i == WORD_SIGNED && !seen->count[WORD_CHAR];
        /* "long int" is "long", but "int" and "unsigned int" are just that. */
        is_noise |= i == WORD_INT && (seen->count[WORD_LONG] || seen->count[WORD_SHORT]);
        for (unsigned n = 0; n < seen->count[i] && !is_noise; n++)
            ebb_buf_addf(name, "%s%s", name->n ? " " : "", words[i]);
    }
    if (name->n == 0 || strcmp(ebb_buf_text(name), "unsigned") == 0)
        ebb_buf_adds(name, name->n ? " int" : "int");
    return true;
}

static ebb_status resolve_words(expr_parser *parser, const specifiers *seen, sym_type **type)
{
    if (seen->count[WORD_SIGNED] && seen->count[WORD_UNSIGNED])
        return expr_syntax_error(parser);
    ebb_buf name = {0};
    ebb_status status = EBB_OK;
    if (!basic_name(seen, &name)) {
        status = expr_syntax_error(parser);
    } else {
        const expr_world *world = parser->world;
        const char *text = ebb_buf_text(&name);
        *type = sym_types_basic(world->types, text);
        if (!*type)
            *type = world->find_type(world->self, SYM_TYPE_TYPEDEF, text);
        if (!*type)
            status = ebb_fail(parser->err, EBB_NOT_FOUND, "No type named %.200s.", text);
    }
    ebb_buf_fini(&name);
    return status;
}

/* struct s, union u, enum e: the current token is the tag word. */
static ebb_status parse_tag(expr_parser *parser, unsigned tag, sym_type **type)
{
    expr_lex_next(&parser->lexer);
    if (parser->lexer.token.kind != EXPR_TOKEN_NAME)
        return expr_syntax_error(parser);
    const expr_world *world = parser->world;
    const char *start = parser->lexer.token.start, *end = end_of_scoped(start);
    const char *name = end > start ? tidy_name(parser->arena, start, (size_t)(end - start)) : parser->lexer.token.text;
    *type = world->find_type(world->self, tags[tag].kind, name);
    if (*type && end > start)
        parser->lexer.at = end;
    if (!*type)
        return ebb_fail(parser->err, EBB_NOT_FOUND, "No %s type named %.200s.", tags[tag].text,
                        name);
    expr_lex_next(&parser->lexer);
    return EBB_OK;
}

static sym_type *apply_qualifiers(expr_parser *parser, const bool *qualified, sym_type *type)
{
    static const sym_type_kind order[] = {SYM_TYPE_CONST, SYM_TYPE_VOLATILE, SYM_TYPE_RESTRICT,
                                          SYM_TYPE_ATOMIC};
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++) {
        if (qualified[order[i]])
            type = sym_type_qualified(parser->world->types, type, order[i]);
    }
    return type;
}

static ebb_status parse_specifiers(expr_parser *parser, sym_type **type)
{
    specifiers seen = {0};
    for (;;) {
        unsigned index;
        sym_type_kind kind;
        bool may_be_named = !seen.named && !seen.has_words;
        if (at_qualifier(parser, &kind)) {
            seen.qualified[kind] = true;
        } else if (!seen.named && at_word(parser, &index)) {
            seen.count[index]++;
            seen.has_words = true;
        } else if (may_be_named && at_tag(parser, &index)) {
            ebb_status status = parse_tag(parser, index, &seen.named);
            if (status)
                return status;
            continue;
        } else if (!may_be_named || !(seen.named = typedef_here(parser))) {
            break;
        } else {
            const char *end;
            if (scoped_type_here(parser, &end))
                parser->lexer.at = end;
        }
        expr_lex_next(&parser->lexer);
    }
    if (!seen.named) {
        if (!seen.has_words)
            return expr_syntax_error(parser);
        ebb_status status = resolve_words(parser, &seen, &seen.named);
        if (status)
            return status;
    }
    *type = apply_qualifiers(parser, seen.qualified, seen.named);
    return EBB_OK;
}

/* ---- abstract declarators -------------------------------------------------------------------- */

static ebb_status parse_declarator(expr_parser *parser, sym_type **type);

static ebb_status count_derived(expr_parser *parser)
{
    if (++parser->n_derived > MAX_DERIVED)
        return ebb_fail(parser->err, EBB_BAD_INPUT,
                        "The type has more than %d pointers, arrays and functions in it.",
                        MAX_DERIVED);
    return EBB_OK;
}

static ebb_status parse_pointers(expr_parser *parser, sym_type **type)
{
    while (expr_lex_is(&parser->lexer, "*")) {
        ebb_status status = count_derived(parser);
        if (status)
            return status;
        *type = sym_type_pointer_to(parser->world->types, *type);
        expr_lex_next(&parser->lexer);
        bool qualified[SYM_TYPE_UNKNOWN + 1] = {0};
        for (sym_type_kind kind; at_qualifier(parser, &kind); expr_lex_next(&parser->lexer))
            qualified[kind] = true;
        *type = apply_qualifiers(parser, qualified, *type);
    }
    return EBB_OK;
}

/* After the bracket that closes the one at the current token. */
static ebb_status skip_bracketed(expr_parser *parser)
{
    for (unsigned open = 0;;) {
        if (expr_lex_is(&parser->lexer, "("))
            open++;
        else if (expr_lex_is(&parser->lexer, ")"))
            open--;
        if (open > MAX_DERIVED || parser->lexer.token.kind == EXPR_TOKEN_END ||
            parser->lexer.token.kind == EXPR_TOKEN_ERROR)
            return expr_syntax_error(parser);
        expr_lex_next(&parser->lexer);
        if (open == 0)
            return EBB_OK;
    }
}

static ebb_status parse_params(expr_parser *parser, sym_type *function)
{
    sym_type *params[MAX_PARAMS];
    sym_types *types = parser->world->types;
    while (!expr_lex_is(&parser->lexer, ")")) {
        if (function->n_params > 0) {
            ebb_status status = expr_parse_expect(parser, ",");
            if (status)
                return status;
        }
        if (expr_lex_is(&parser->lexer, "...") && function->n_params > 0) {
            function->is_variadic = true;
            expr_lex_next(&parser->lexer);
            break;
        }
        if (!expr_at_type_name(parser) || function->n_params == MAX_PARAMS)
            return expr_syntax_error(parser);
        ebb_status status = expr_parse_type_name(parser, &params[function->n_params++]);
        if (status)
            return status;
    }
    function->is_prototyped = function->n_params > 0;
    bool is_void = function->n_params == 1 && sym_type_strip(params[0])->kind == SYM_TYPE_VOID;
    if (is_void)
        function->n_params = 0;
    sym_type **kept = sym_types_alloc(types, (function->n_params + 1) * sizeof *kept);
    memcpy(kept, params, function->n_params * sizeof *kept);
    function->params = kept;
    return expr_parse_expect(parser, ")");
}

static ebb_status parse_array_count(expr_parser *parser, bool *is_known, uint64_t *count)
{
    expr_lex_next(&parser->lexer);
    *is_known = parser->lexer.token.kind == EXPR_TOKEN_NUMBER &&
                sym_type_is_integral(parser->lexer.token.value.type);
    *count = 0;
    if (*is_known) {
        memcpy(count, parser->lexer.token.value.bytes,
               sym_type_size(parser->lexer.token.value.type));
        expr_lex_next(&parser->lexer);
    }
    return expr_parse_expect(parser, "]");
}

static ebb_status parse_suffixes(expr_parser *parser, sym_type **type);

/* [2][3] is an array of 2 arrays of 3: what follows is made first. */
static ebb_status parse_array(expr_parser *parser, sym_type **type)
{
    bool is_known;
    uint64_t count, nbytes;
    ebb_status status = parse_array_count(parser, &is_known, &count);
    if (!status)
        status = parse_suffixes(parser, type);
    if (status)
        return status;
    if (__builtin_mul_overflow(count, sym_type_size(*type), &nbytes) || nbytes > INT64_MAX)
        return ebb_fail(parser->err, EBB_BAD_INPUT, "The array type is too large.");
    if (is_known) {
        *type = sym_type_array_of(parser->world->types, *type, count);
        return EBB_OK;
    }
    sym_type *array = sym_types_add(parser->world->types, SYM_TYPE_ARRAY);
    array->target = *type;
    *type = array;
    return EBB_OK;
}

static ebb_status parse_function(expr_parser *parser, sym_type **type)
{
    sym_type *function = sym_types_add(parser->world->types, SYM_TYPE_FUNCTION);
    expr_lex_next(&parser->lexer);
    ebb_status status = parse_params(parser, function);
    if (!status)
        status = parse_suffixes(parser, type);
    function->target = *type;
    *type = function;
    return status;
}

static ebb_status parse_suffixes(expr_parser *parser, sym_type **type)
{
    bool is_array = expr_lex_is(&parser->lexer, "[");
    if (!is_array && !expr_lex_is(&parser->lexer, "("))
        return EBB_OK;
    ebb_status status = count_derived(parser);
    if (status)
        return status;
    return is_array ? parse_array(parser, type) : parse_function(parser, type);
}

/* Whether the bracket at the current token holds an inner declarator: `(*...)`, not parameters. */
static bool at_inner_declarator(expr_parser *parser)
{
    if (!expr_lex_is(&parser->lexer, "("))
        return false;
    expr_lexer before = parser->lexer;
    expr_lex_next(&parser->lexer);
    bool is_inner = expr_lex_is(&parser->lexer, "*") || expr_lex_is(&parser->lexer, "(") ||
                    expr_lex_is(&parser->lexer, "[");
    parser->lexer = before;
    return is_inner;
}

/* The type is made from the outside in: an inner declarator wraps what stands after its bracket,
 * so that is read first. */
static ebb_status parse_declarator(expr_parser *parser, sym_type **type)
{
    ebb_status status = parse_pointers(parser, type);
    if (status)
        return status;
    if (!at_inner_declarator(parser))
        return parse_suffixes(parser, type);
    expr_lexer inner = parser->lexer;
    status = skip_bracketed(parser);
    if (!status)
        status = parse_suffixes(parser, type);
    if (status)
        return status;
    expr_lexer after = parser->lexer;
    parser->lexer = inner;
    expr_lex_next(&parser->lexer);
    status = expr_parse_enter(parser);
    if (!status)
        status = parse_declarator(parser, type);
    expr_parse_leave(parser);
    if (!status)
        status = expr_parse_expect(parser, ")");
    parser->lexer = after;
    return status;
}

ebb_status expr_parse_type_name(expr_parser *parser, sym_type **type)
{
    ebb_status status = expr_parse_enter(parser);
    if (!status)
        status = parse_specifiers(parser, type);
    if (!status)
        status = parse_declarator(parser, type);
    expr_parse_leave(parser);
    return status;
}
