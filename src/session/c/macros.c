/* macros.c - see session/macros.h. */
#include "session/macros.h"
#include "expr/macro.h"
#include "session/c/world.h"
#include "symbols/macros.h"

#include <ctype.h>
#include <string.h>

/* One of the user's. */
typedef struct ses_macro {
    char *name, *parameters, *body; /* parameters: NULL if it takes none */
} ses_macro;

/* ---- where ------------------------------------------------------------------------------------ */

/* The line that the selected frame is at, or, without one, the last that was listed; false: neither. */
static bool find_scope(session *s, sym_macro_scope *scope)
{
    sym_line line;
    uint64_t pc = ses_scope_pc(s);
    if (pc && sym_line_at(s->symbols, pc, &line)) {
        *scope = (sym_macro_scope){.pc = pc, .file = line.file, .line = line.line};
        return true;
    }
    *scope = (sym_macro_scope){.file = s->list.file, .line = s->list.last};
    return !pc && s->list.file && s->list.last;
}

/* ---- the user's own --------------------------------------------------------------------------- */

static void drop(ses_macro *macro)
{
    if (!macro)
        return;
    free(macro->name);
    free(macro->parameters);
    free(macro->body);
    free(macro);
}

static const ses_macro *own_macro(session *s, const char *name)
{
    return s->macros ? ebb_map_get(s->macros, name) : NULL;
}

void ses_macro_undefine(session *s, const char *name)
{
    ses_macro *old = (ses_macro *)own_macro(s, name);
    if (old)
        ebb_map_remove(s->macros, name);
    drop(old);
}

static ebb_status fail_name(ebb_error *err)
{
    return ebb_fail(err, EBB_BAD_INPUT, "Invalid macro name.");
}

ebb_status ses_macro_define(session *s, const char *definition, ebb_error *err)
{
    const char *end = definition;
    while (isalnum((unsigned char)*end) || *end == '_')
        end++;
    if (end == definition || isdigit((unsigned char)*definition))
        return fail_name(err);
    const char *close = *end == '(' ? strchr(end, ')') : NULL;
    if (*end == '(' && !close)
        return ebb_fail(err, EBB_BAD_INPUT, "',' or ')' expected at end of macro argument list.");
    const char *body = close ? close + 1 : end;
    while (isspace((unsigned char)*body))
        body++;
    ses_macro *macro = EBB_NEW(ses_macro);
    macro->name = ebb_strndup(definition, (size_t)(end - definition));
    macro->parameters = close ? ebb_strndup(end + 1, (size_t)(close - end - 1)) : NULL;
    macro->body = ebb_strdup(body);
    ses_macro_undefine(s, macro->name);
    if (!s->macros)
        s->macros = ebb_map_new();
    ebb_map_set(s->macros, macro->name, macro);
    return EBB_OK;
}

void ses_macros_fini(session *s)
{
    ebb_map_entry entry;
    if (!s->macros)
        return;
    for (size_t at = 0; ebb_map_next(s->macros, &at, &entry);)
        drop(entry.value);
    ebb_map_free(s->macros);
}

/* ---- for expressions -------------------------------------------------------------------------- */

typedef struct finder {
    session *s;
    sym_macro_scope scope;
    bool has_scope;
} finder;

/* What the preprocessor itself knows. */
static bool find_builtin(const finder *f, ebb_arena *arena, const char *name, expr_macro *macro)
{
    *macro = (expr_macro){0};
    if (strcmp(name, "__FILE__") == 0)
        macro->body = ebb_arena_printf(arena, "\"%s\"", f->scope.file);
    else if (strcmp(name, "__LINE__") == 0)
        macro->body = ebb_arena_printf(arena, "%u", f->scope.line);
    return macro->body != NULL;
}

static bool find(void *self, ebb_arena *arena, const char *name, expr_macro *macro)
{
    finder *f = self;
    sym_macro known;
    const ses_macro *own = own_macro(f->s, name);
    if (own) {
        *macro = (expr_macro){.parameters = own->parameters, .body = own->body};
        return true;
    }
    if (!f->has_scope)
        return false;
    if (sym_macro_find(f->s->symbols, &f->scope, name, &known)) {
        *macro = (expr_macro){.parameters = known.parameters, .body = known.body};
        return true;
    }
    return sym_macros_known(f->s->symbols, &f->scope) && find_builtin(f, arena, name, macro);
}

ebb_status ses_macros_expand(void *self, ebb_arena *arena, const char *text, const char **expanded, ebb_error *err)
{
    finder f = {.s = self};
    f.has_scope = find_scope(f.s, &f.scope) && sym_macros_known(f.s->symbols, &f.scope);
    expr_macros macros = {&f, find};
    *expanded = text;
    return f.has_scope || f.s->macros ? expr_macro_expand(arena, &macros, text, expanded, err) : EBB_OK;
}

ebb_status ses_macro_expand(session *s, const char *text, ebb_buf *out, ebb_error *err)
{
    ebb_arena arena = {0};
    const char *expanded;
    ebb_status status = ses_macros_expand(s, &arena, text, &expanded, err);
    if (status == EBB_OK)
        ebb_buf_adds(out, expanded);
    ebb_arena_fini(&arena);
    return status;
}

/* ---- telling ---------------------------------------------------------------------------------- */

static void put_definition(ebb_buf *out, const char *name, const char *parameters, const char *body)
{
    ebb_buf_adds(out, name);
    for (const char *at = parameters; parameters; at++) {
        if (at == parameters)
            ebb_buf_addc(out, '(');
        if (!*at)
            break;
        if (*at != ' ')
            ebb_buf_addc(out, *at);
        if (*at == ',')
            ebb_buf_addc(out, ' ');
    }
    if (parameters)
        ebb_buf_addc(out, ')');
    ebb_buf_addf(out, "%s%s", *body ? " " : "", body);
}

static void put_macro(void *self, const sym_macro *macro)
{
    ebb_buf *out = self;
    ebb_buf_addf(out, "Defined at %s:%u\n", macro->file, macro->line);
    for (size_t i = 0; i < macro->n_includers; i++)
        ebb_buf_addf(out, "  included at %s:%u\n", macro->includers[i], macro->include_lines[i]);
    if (macro->line == 0) {
        ebb_buf_addf(out, "-D%s%s%s%s=%s\n", macro->name, macro->parameters ? "(" : "", macro->parameters ? macro->parameters : "",
                     macro->parameters ? ")" : "", macro->body);
        return;
    }
    ebb_buf_adds(out, "#define ");
    put_definition(out, macro->name, macro->parameters, macro->body);
    ebb_buf_addc(out, '\n');
}

static void put_own(ebb_buf *out, const ses_macro *own)
{
    put_definition(out, own->name, own->parameters, own->body);
    ebb_buf_addc(out, '\n');
}

static void put_nothing(ebb_buf *out, const char *name, bool has_scope, const sym_macro_scope *scope)
{
    ebb_buf_addf(out, "The symbol `%s' has no definition as a C/C++ preprocessor macro\nat ", name);
    if (has_scope)
        ebb_buf_addf(out, "%s:%u\n", scope->file, scope->line);
    else
        ebb_buf_adds(out, "<user-defined>:-1\n");
}

ebb_status ses_macro_info(session *s, const char *name, bool all, ebb_buf *out, ebb_error *err)
{
    sym_macro_scope scope;
    sym_macro macro;
    bool has_scope = find_scope(s, &scope);
    size_t before = out->n;
    (void)err;
    if (has_scope && all)
        sym_macro_each(s->symbols, &scope, name, put_macro, out);
    else if (has_scope && sym_macro_find(s->symbols, &scope, name, &macro))
        put_macro(out, &macro);
    if (out->n == before)
        put_nothing(out, name, has_scope, &scope);
    return EBB_OK;
}

void ses_macro_list(session *s, ebb_buf *out)
{
    sym_macro_scope scope;
    if (find_scope(s, &scope))
        sym_macro_each(s->symbols, &scope, NULL, put_macro, out);
}

void ses_macro_list_own(session *s, ebb_buf *out)
{
    ebb_map_entry entry;
    for (size_t at = 0; s->macros && ebb_map_next(s->macros, &at, &entry);) {
        ebb_buf_adds(out, "macro define ");
        put_own(out, entry.value);
    }
}
