/* macro.c - see macro.h. */
#include "expr/macro.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"
#include "expr/lex.h"

#include <ctype.h>
#include <string.h>

enum { MAX_NBYTES = 1 << 20, MAX_ARGUMENTS = 256, MAX_DEPTH = 200 };

/* The macros that are being replaced, innermost first. */
typedef struct within {
    const char *name;
    const struct within *outer;
    unsigned depth;
} within;

typedef struct expander {
    ebb_arena *arena;
    const expr_macros *macros;
    ebb_error *err;
    bool has_replaced;
} expander;

/* ---- tokens ----------------------------------------------------------------------------------- */

typedef struct span {
    const char *at;
    size_t n;
} span;

static bool is_name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_' || (c & 0x80);
}

static const char *skip_quoted(const char *at)
{
    char quote = *at++;
    while (*at && *at != quote)
        at += at[0] == '\\' && at[1] ? 2 : 1;
    return *at ? at + 1 : at;
}

/* The token at `at`, which is no blank; a name with a '$' in front is none of the program's. */
static const char *skip_token(const char *at)
{
    if (*at == '$')
        at++;
    if (is_name_start(*at)) {
        while (is_name_start(*at) || isdigit((unsigned char)*at))
            at++;
        return at;
    }
    if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1])))
        return expr_lex_skip_number(at);
    if (*at == '"' || *at == '\'')
        return skip_quoted(at);
    if (at[0] == '#' && at[1] == '#')
        return at + 2;
    return *at ? at + 1 : at;
}

static span trim(span s)
{
    while (s.n && isspace((unsigned char)s.at[0]))
        s = (span){s.at + 1, s.n - 1};
    while (s.n && isspace((unsigned char)s.at[s.n - 1]))
        s.n--;
    return s;
}

/* Two tokens that stand beside each other must not become one. */
static void add_apart(ebb_buf *out, span s)
{
    static const char joins[] = "+-&|<>=!*/%^:.#";
    char last = out->n ? out->data[out->n - 1] : ' ', first = s.n ? *s.at : ' ';
    bool both_words = (isalnum((unsigned char)last) || last == '_') && (isalnum((unsigned char)first) || first == '_');
    if (both_words || (last == first && strchr(joins, last)))
        ebb_buf_addc(out, ' ');
    ebb_buf_add(out, s.at, s.n);
}

/* ---- arguments -------------------------------------------------------------------------------- */

typedef struct arguments {
    span items[MAX_ARGUMENTS]; /* as they were written, without blanks around them */
    size_t n;
} arguments;

static void end_argument(arguments *args, const char *from, const char *to)
{
    if (args->n < MAX_ARGUMENTS)
        args->items[args->n++] = trim((span){from, (size_t)(to - from)});
}

/* Reads "(a, b)" at `at`; NULL if it has no end. */
static const char *read_arguments(const char *at, size_t n_wanted, bool is_variadic, arguments *args)
{
    const char *from = ++at;
    args->n = 0;
    for (unsigned depth = 0; *at; at = skip_token(at)) {
        bool splits = *at == ',' && depth == 0 && !(is_variadic && args->n + 1 >= n_wanted);
        if (*at == ')' && depth == 0) {
            end_argument(args, from, at);
            return at + 1;
        }
        depth += *at == '(';
        depth -= *at == ')';
        if (splits) {
            end_argument(args, from, at);
            from = at + 1;
        }
    }
    return NULL;
}

typedef struct parameters {
    span items[MAX_ARGUMENTS];
    size_t n;
    bool is_variadic; /* the last one takes the rest */
} parameters;

static void read_parameters(const char *text, parameters *out)
{
    *out = (parameters){0};
    for (const char *at = text; *trim((span){at, strlen(at)}).at && out->n < MAX_ARGUMENTS;) {
        size_t n = strcspn(at, ",");
        span name = trim((span){at, n});
        out->is_variadic = name.n >= 3 && memcmp(name.at + name.n - 3, "...", 3) == 0;
        if (out->is_variadic)
            name = name.n == 3 ? (span){"__VA_ARGS__", 11} : trim((span){name.at, name.n - 3});
        out->items[out->n++] = name;
        at += n + (at[n] == ',');
    }
}

static int parameter_index(const parameters *params, span name)
{
    for (size_t i = 0; i < params->n; i++)
        if (params->items[i].n == name.n && memcmp(params->items[i].at, name.at, name.n) == 0)
            return (int)i;
    return -1;
}

static ebb_status check_count(expander *x, const char *name, const parameters *params, arguments *args)
{
    if (params->n == 0 && args->n == 1 && args->items[0].n == 0)
        args->n = 0;
    if (params->is_variadic && args->n + 1 == params->n && args->n < MAX_ARGUMENTS)
        args->items[args->n++] = (span){"", 0};
    if (args->n != params->n)
        return ebb_fail(x->err, EBB_BAD_INPUT, "Wrong number of arguments to macro `%.60s' (expected %zu, got %zu).", name, params->n, args->n);
    return EBB_OK;
}

/* ---- replacing -------------------------------------------------------------------------------- */

static ebb_status scan(expander *x, const char *text, const char **rest, const within *inside, ebb_buf *out);

static void add_as_string(ebb_buf *out, span argument)
{
    bool in_string = false;
    ebb_buf_addc(out, '"');
    for (size_t i = 0; i < argument.n; i++) {
        char c = argument.at[i];
        in_string ^= c == '"' && !(i && argument.at[i - 1] == '\\');
        if (c == '"' || (c == '\\' && in_string))
            ebb_buf_addc(out, '\\');
        ebb_buf_addc(out, c);
    }
    ebb_buf_addc(out, '"');
}

typedef struct replacement {
    expander *x;
    const parameters *params;
    const arguments *args;
    const within *inside;
    ebb_buf *out;
} replacement;

/* The argument with its own macros replaced. */
static ebb_status add_expanded(replacement *r, span argument)
{
    ebb_buf expanded = {0};
    char *text = ebb_arena_strndup(r->x->arena, argument.at, argument.n);
    ebb_status status = scan(r->x, text, NULL, r->inside, &expanded);
    if (status == EBB_OK)
        add_apart(r->out, trim((span){ebb_buf_text(&expanded), expanded.n}));
    ebb_buf_fini(&expanded);
    return status;
}

static const char *skip_blanks(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

static void drop_blanks(ebb_buf *out)
{
    while (out->n && isspace((unsigned char)out->data[out->n - 1]))
        out->n--;
}

/* `, ## __VA_ARGS__`: without further arguments the comma goes, too. */
static void join_to_comma(replacement *r, span argument)
{
    if (argument.n == 0)
        r->out->n--;
    else
        ebb_buf_add(r->out, argument.at, argument.n);
}

/* What follows ##, put right after what is there. */
static const char *add_joined(replacement *r, const char *at)
{
    const char *end = skip_token(at);
    int index = parameter_index(r->params, (span){at, (size_t)(end - at)});
    span piece = index >= 0 ? r->args->items[index] : (span){at, (size_t)(end - at)};
    bool is_rest = index >= 0 && r->params->is_variadic && (size_t)index + 1 == r->params->n;
    drop_blanks(r->out);
    if (is_rest && r->out->n && r->out->data[r->out->n - 1] == ',')
        join_to_comma(r, piece);
    else
        ebb_buf_add(r->out, piece.at, piece.n);
    return end;
}

static bool joins_next(const char *at)
{
    at = skip_blanks(at);
    return at[0] == '#' && at[1] == '#';
}

/* One token of the body; answers where the next one is. */
static ebb_status add_token(replacement *r, const char **at, bool is_function)
{
    const char *begin = *at, *end = skip_token(begin);
    int index = parameter_index(r->params, (span){begin, (size_t)(end - begin)});
    if (begin[0] == '#' && begin[1] == '#') {
        *at = add_joined(r, skip_blanks(end));
        return EBB_OK;
    }
    if (is_function && *begin == '#') {
        const char *name = skip_blanks(end), *after = skip_token(name);
        index = parameter_index(r->params, (span){name, (size_t)(after - name)});
        if (index < 0)
            return ebb_fail(r->x->err, EBB_BAD_INPUT, "'#' may not be followed by anything but a parameter of the macro.");
        add_as_string(r->out, r->args->items[index]);
        *at = after;
        return EBB_OK;
    }
    *at = end;
    if (index < 0)
        ebb_buf_add(r->out, begin, (size_t)(end - begin));
    else if (joins_next(end))
        ebb_buf_add(r->out, r->args->items[index].at, r->args->items[index].n);
    else
        return add_expanded(r, r->args->items[index]);
    return EBB_OK;
}

static ebb_status substitute(replacement *r, const char *body, bool is_function)
{
    for (const char *at = body; *at;) {
        const char *token = skip_blanks(at);
        if (!joins_next(at))
            ebb_buf_add(r->out, at, (size_t)(token - at));
        at = token;
        if (*at)
            EBB_TRY(add_token(r, &at, is_function));
        if (r->out->n > MAX_NBYTES)
            return ebb_fail(r->x->err, EBB_BAD_INPUT, "The macros are too long.");
    }
    return EBB_OK;
}

/* ---- scanning --------------------------------------------------------------------------------- */

static bool is_within(const within *inside, const char *name)
{
    for (; inside; inside = inside->outer)
        if (strcmp(inside->name, name) == 0)
            return true;
    return false;
}

/* Where the arguments begin: after the name, or, if the text ends there, in what follows the text. */
static const char *arguments_at(const char *after, const char **rest, bool *in_rest)
{
    const char *at = skip_blanks(after);
    *in_rest = !*at && rest && *rest;
    if (*in_rest)
        at = skip_blanks(*rest);
    return *at == '(' ? at : NULL;
}

typedef struct use {
    const char *name;
    const char *after; /* the name, or its arguments */
} use;

/* *after: what follows them. */
static ebb_status take_arguments(expander *x, const char *name, const char *at, const parameters *params, arguments *args, const char **after)
{
    const char *end = read_arguments(at, params->n, params->is_variadic, args);
    if (!end)
        return ebb_fail(x->err, EBB_BAD_INPUT, "Malformed argument list for macro `%.60s'.", name);
    *after = end;
    return check_count(x, name, params, args);
}

/* A name that is a macro: what it stands for goes out, looked at again together with what follows. */
static ebb_status replace(expander *x, use *u, const expr_macro *macro, const char **rest, const within *inside, ebb_buf *out)
{
    parameters *params = EBB_ARENA_NEW(x->arena, parameters);
    arguments *args = EBB_ARENA_NEW(x->arena, arguments);
    const char **following = &u->after;
    *params = (parameters){0};
    if (macro->parameters) {
        bool in_rest;
        const char *at = arguments_at(u->after, rest, &in_rest);
        if (!at) {
            add_apart(out, (span){u->name, strlen(u->name)});
            return EBB_OK;
        }
        if (in_rest)
            following = rest;
        read_parameters(macro->parameters, params);
        EBB_TRY(take_arguments(x, u->name, at, params, args, following));
    }
    x->has_replaced = true;
    ebb_buf body = {0}, again = {0};
    within deeper = {.name = u->name, .outer = inside, .depth = inside ? inside->depth + 1 : 1};
    replacement r = {x, params, args, inside, &body};
    ebb_status status = deeper.depth > MAX_DEPTH ? ebb_fail(x->err, EBB_BAD_INPUT, "The macros are nested too deeply.")
                                                 : substitute(&r, macro->body, macro->parameters != NULL);
    if (status == EBB_OK)
        status = scan(x, ebb_arena_strndup(x->arena, ebb_buf_text(&body), body.n), following, &deeper, &again);
    if (status == EBB_OK)
        add_apart(out, (span){ebb_buf_text(&again), again.n});
    ebb_buf_fini(&body);
    ebb_buf_fini(&again);
    return status;
}

static ebb_status scan(expander *x, const char *text, const char **rest, const within *inside, ebb_buf *out)
{
    for (const char *at = text; *at;) {
        const char *end = isspace((unsigned char)*at) ? skip_blanks(at) : skip_token(at);
        expr_macro macro;
        use u = {.after = end};
        if (is_name_start(*at))
            u.name = ebb_arena_strndup(x->arena, at, (size_t)(end - at));
        if (u.name && !is_within(inside, u.name) && x->macros->find(x->macros->self, x->arena, u.name, &macro))
            EBB_TRY(replace(x, &u, &macro, rest, inside, out));
        else
            ebb_buf_add(out, at, (size_t)(end - at));
        at = u.after;
        if (out->n > MAX_NBYTES)
            return ebb_fail(x->err, EBB_BAD_INPUT, "The macros are too long.");
    }
    return EBB_OK;
}

ebb_status expr_macro_expand(ebb_arena *arena, const expr_macros *macros, const char *text, const char **out, ebb_error *err)
{
    expander x = {.arena = arena, .macros = macros, .err = err};
    ebb_buf expanded = {0};
    ebb_status status = scan(&x, text, NULL, NULL, &expanded);
    *out = status == EBB_OK && x.has_replaced ? ebb_arena_strndup(arena, ebb_buf_text(&expanded), expanded.n) : text;
    ebb_buf_fini(&expanded);
    return status;
}
