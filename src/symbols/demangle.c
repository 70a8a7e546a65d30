/* demangle.c - see demangle.h. */
#include "symbols/demangle.h"
#include "base/mem.h"
#include "symbols/short_names.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <string.h>

bool sym_is_mangled(const char *name)
{
    return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

char *sym_demangle(const char *name, bool with_parameters)
{
    return sym_is_mangled(name) ? cplus_demangle(name, DMGL_ANSI | DMGL_AUTO | (with_parameters ? DMGL_PARAMS : 0)) : NULL;
}

/* ---- parts ------------------------------------------------------------------------------------ */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* The name of an operator is not a bracket: what it consists of, after the word. */
static size_t operator_length(const char *at)
{
    static const char *const signs[] = {"()", "[]", "<=>", "<<=", ">>=", "<<", ">>", "<=", ">=", "->*", "->", "<", ">"};
    size_t n = strlen("operator");
    if (strncmp(at, "operator", n) != 0 || is_word(at[n]))
        return 0;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strncmp(at + n, signs[i], strlen(signs[i])) == 0)
            return n + strlen(signs[i]);
    return n;
}

/* The end of the part that begins at `at`: where "::", parameters or the text end it. */
static const char *part_end(const char *at)
{
    int depth = 0;
    size_t skip = operator_length(at);
    if (strncmp(at, "(anonymous namespace)", 21) == 0)
        skip = 21;
    for (at += skip; *at; at++) {
        if (depth == 0 && (strncmp(at, "::", 2) == 0 || *at == '('))
            return at;
        depth += *at == '<' || *at == '{' || *at == '(';
        depth -= *at == '>' || *at == '}' || *at == ')';
    }
    return at;
}

/* Without what the compiler adds to tell versions of the library apart: "name[abi:cxx11]". */
static size_t without_tag(const char *part, size_t n)
{
    for (size_t i = 0; i + 5 <= n; i++)
        if (strncmp(part + i, "[abi:", 5) == 0)
            return i;
    return n;
}

size_t sym_name_bare_length(const char *part)
{
    size_t n = operator_length(part);
    if (n)
        return strlen(part);
    n = without_tag(part, strcspn(part, "<"));
    return n ? n : strlen(part); /* rustc's <impl ...> and the like have no other name */
}

enum { MAX_PARTS = 64 };

typedef struct parts {
    struct {
        const char *text;
        size_t nbytes;
    } items[MAX_PARTS];
    size_t n;
    const char *parameters; /* "": there are none */
    bool is_global;
} parts;

const char *sym_name_after_result(const char *full)
{
    int depth = 0;
    const char *begin = full;
    for (const char *at = full; *at; at++) {
        size_t skip = depth == 0 && (at == full || !is_word(at[-1])) ? operator_length(at) : 0;
        if (skip || strncmp(at, "(anonymous namespace)", 21) == 0) {
            at += (skip ? skip : 21) - 1;
            continue;
        }
        if (depth == 0 && *at == '(')
            break;
        if (depth == 0 && *at == ' ')
            begin = at + 1;
        depth += *at == '<' || *at == '{' || *at == '(';
        depth -= *at == '>' || *at == '}' || *at == ')';
    }
    return begin;
}

static void split(const char *name, parts *p)
{
    *p = (parts){.parameters = "", .is_global = strncmp(name, "::", 2) == 0};
    const char *at = name + (p->is_global ? 2 : 0);
    while (p->n < MAX_PARTS) {
        const char *end = part_end(at);
        p->items[p->n].text = at;
        p->items[p->n++].nbytes = (size_t)(end - at);
        at = end;
        if (*at == ':')
            at += 2;
        else
            break;
    }
    p->parameters = at;
}

/* ---- comparing -------------------------------------------------------------------------------- */

/* Both without blanks, except between words. */
static bool same_text(const char *a, size_t n_a, const char *b, size_t n_b)
{
    const char *end_a = a + n_a, *end_b = b + n_b;
    for (;;) {
        while (a < end_a && *a == ' ')
            a++;
        while (b < end_b && *b == ' ')
            b++;
        if (a == end_a || b == end_b)
            return a == end_a && b == end_b;
        if (*a++ != *b++)
            return false;
    }
}

static bool same_part(const char *wanted, size_t n_wanted, const char *full, size_t n_full)
{
    if (without_tag(full, n_full) < n_full && without_tag(wanted, n_wanted) == n_wanted)
        n_full = without_tag(full, n_full);
    if (same_text(wanted, n_wanted, full, n_full))
        return true;
    size_t bare = operator_length(full) ? n_full : (size_t)(strcspn(full, "<"));
    return bare < n_full && same_text(wanted, n_wanted, full, bare);
}

/* The demangler writes "char const*" where people write "const char *". */
static void put_parameter(const char *at, const char *end, ebb_buf *out)
{
    while (at < end && *at == ' ')
        at++;
    bool is_const = end - at > 6 && strncmp(at, "const ", 6) == 0;
    at += is_const ? 6 : 0;
    const char *base = at;
    for (int depth = 0; base < end && (depth || !strchr("*&", *base)); base++)
        depth += (*base == '<') - (*base == '>');
    ebb_buf_addf(out, "%.*s%s%.*s", (int)(base - at), at, is_const ? " const" : "", (int)(end - base), base);
}

/* "(...)", with the short names of the library's types, and "const" after what it is about.  free() */
static char *plain_parameters(const char *text, size_t n)
{
    ebb_buf names = {0}, out = {0};
    char *written = ebb_strndup(text, n);
    sym_short_names(written, &names);
    free(written);
    const char *from = names.n ? names.data + 1 : "", *end = names.n ? names.data + names.n - 1 : from;
    int depth = 0;
    for (const char *at = from; at <= end; at++) {
        if (at == end || (depth == 0 && *at == ',')) {
            put_parameter(from, at, &out);
            ebb_buf_addc(&out, at == end ? ')' : ',');
            from = at + 1;
        }
        depth += strchr("<({", *at) != NULL;
        depth -= strchr(">)}", *at) != NULL;
    }
    ebb_buf_fini(&names);
    return ebb_buf_take(&out);
}

static bool same_written(const char *wanted, size_t n_wanted, const char *full, size_t n_full)
{
    char *a = plain_parameters(wanted, n_wanted), *b = plain_parameters(full, n_full);
    bool same = same_text(a, strlen(a), b, strlen(b));
    free(a);
    free(b);
    return same;
}

static bool same_parameters(const char *wanted, const char *full)
{
    size_t n = strlen(wanted);
    if (n == 0)
        return true;
    if (strcmp(wanted, "(void)") == 0)
        n = strlen(wanted = "()");
    const char *end = strrchr(full, ')'), *end_wanted = strrchr(wanted, ')'); /* "const" is written by few */
    if (same_text(wanted, n, full, strlen(full)))
        return true;
    size_t n_full = end ? (size_t)(end + 1 - full) : 0;
    bool same_rest = end && end_wanted && (!end_wanted[1] || same_text(end_wanted + 1, strlen(end_wanted + 1), end + 1, strlen(end + 1)));
    return same_rest && same_written(wanted, (size_t)(end_wanted + 1 - wanted), full, n_full);
}

bool sym_name_means(const char *wanted, const char *full)
{
    parts w, f;
    split(wanted, &w);
    split(sym_name_after_result(full), &f);
    if (w.n > f.n || (w.is_global && w.n != f.n) || !same_parameters(w.parameters, f.parameters))
        return false;
    for (size_t i = 1; i <= w.n; i++)
        if (!same_part(w.items[w.n - i].text, w.items[w.n - i].nbytes, f.items[f.n - i].text, f.items[f.n - i].nbytes))
            return false;
    return true;
}

char *sym_name_base(const char *wanted)
{
    parts p;
    split(wanted, &p);
    char *last = ebb_strndup(p.items[p.n - 1].text, p.items[p.n - 1].nbytes);
    size_t n = strlen(last);
    while (n && last[n - 1] == ' ')
        last[--n] = '\0';
    last[sym_name_bare_length(last)] = '\0';
    return last;
}

const char *sym_name_last_part(const char *name)
{
    parts p;
    split(name, &p);
    return p.items[p.n - 1].text;
}
