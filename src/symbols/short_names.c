/* short_names.c - names of C++'s library as people write them: see short_names.h. */
#include "symbols/short_names.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { MAX_DEPTH = 32, MAX_ARGUMENTS = 16 };

/* A container, and how many of its arguments a person writes; the others have defaults. */
static const struct {
    const char *name, *shown;
    size_t n_written, n_arguments;
} containers[] = {
    {"std::vector", "std::vector", 1, 2},
    {"std::deque", "std::deque", 1, 2},
    {"std::__cxx11::list", "std::list", 1, 2},
    {"std::forward_list", "std::forward_list", 1, 2},
    {"std::set", "std::set", 1, 3},
    {"std::multiset", "std::multiset", 1, 3},
    {"std::map", "std::map", 2, 4},
    {"std::multimap", "std::multimap", 2, 4},
    {"std::unordered_set", "std::unordered_set", 1, 4},
    {"std::unordered_multiset", "std::unordered_multiset", 1, 4},
    {"std::unordered_map", "std::unordered_map", 2, 5},
    {"std::unordered_multimap", "std::unordered_multimap", 2, 5},
    {"std::unique_ptr", "std::unique_ptr", 1, 2},
};

static const char *const defaults[] = {"std::allocator<", "std::less<", "std::hash<", "std::equal_to<", "std::default_delete<"};

/* What a template of characters is called. */
static const struct {
    const char *name, *character, *shown;
} texts[] = {
    {"std::__cxx11::basic_string", "char", "std::string"},
    {"std::__cxx11::basic_string", "wchar_t", "std::wstring"},
    {"std::basic_string_view", "char", "std::string_view"},
    {"std::basic_string_view", "wchar_t", "std::wstring_view"},
};

typedef struct way {
    bool shortens;
    int depth;
} way;

static way deeper(way w)
{
    return (way){w.shortens, w.depth + 1};
}

typedef struct text {
    const char *at;
    size_t n;
} text;

static bool is(text t, const char *what)
{
    return t.n == strlen(what) && memcmp(t.at, what, t.n) == 0;
}

static bool begins(text t, const char *what)
{
    return t.n >= strlen(what) && memcmp(t.at, what, strlen(what)) == 0;
}

static bool is_name_part(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == ':' || c == '$';
}

/* The arguments of the template whose '<' is at `open`; the position after its '>', or NULL if it has no end. */
static const char *split(const char *open, const char *end, text arguments[MAX_ARGUMENTS], size_t *n)
{
    int depth = 0;
    const char *from = open + 1;
    *n = 0;
    for (const char *at = open; at < end; at++) {
        depth += strchr("<([{", *at) != NULL;
        depth -= strchr(">)]}", *at) != NULL;
        bool is_last = depth == 0;
        if (!is_last && !(depth == 1 && *at == ','))
            continue;
        if (*n == MAX_ARGUMENTS)
            return NULL;
        const char *to = at;
        while (to > from && to[-1] == ' ')
            to--;
        arguments[(*n)++] = (text){from, (size_t)(to - from)};
        if (is_last)
            return at + 1;
        from = at + 1 + (at[1] == ' ');
    }
    return NULL;
}

static void shorten(text in, way w, ebb_buf *out);
static void put_argument(text in, way w, ebb_buf *out);

static bool are_defaults(const text *arguments, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool is_default = false;
        for (size_t k = 0; k < sizeof defaults / sizeof *defaults; k++)
            is_default |= begins(arguments[i], defaults[k]);
        if (!is_default)
            return false;
    }
    return true;
}

static void put_arguments(const text *arguments, size_t n, way w, ebb_buf *out)
{
    for (size_t i = 0; i < n; i++) {
        ebb_buf_adds(out, i ? ", " : "");
        put_argument(arguments[i], deeper(w), out);
    }
}

/* False: it is none of those that have a short name. */
static bool put_short(text name, const text *arguments, size_t n, way w, ebb_buf *out)
{
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (is(name, texts[i].name) && is(arguments[0], texts[i].character)) {
            ebb_buf_adds(out, texts[i].shown);
            return true;
        }
    for (size_t i = 0; i < sizeof containers / sizeof *containers; i++) {
        size_t n_written = containers[i].n_written;
        if (!is(name, containers[i].name) || n != containers[i].n_arguments || !are_defaults(arguments + n_written, n - n_written))
            continue;
        ebb_buf_addf(out, "%s<", containers[i].shown);
        put_arguments(arguments, n_written, w, out);
        ebb_buf_addc(out, '>');
        return true;
    }
    return false;
}

/* How gdb, and the demangler, write numbers that compilers write otherwise among the arguments of templates; longer ones first. */
static const struct {
    const char *written, *shown;
} numbers[] = {
    {"long long unsigned int", "unsigned long long"}, {"long unsigned int", "unsigned long"}, {"short unsigned int", "unsigned short"},
    {"long long int", "long long"},                   {"long int", "long"},                   {"short int", "short"},
};

/* The end of the type's name at the beginning of the text, "long int" or "geo::Box<int>"; its beginning: it has none. */
static const char *end_of_name(text in)
{
    const char *at = in.at, *end = in.at + in.n;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (begins(in, numbers[i].written))
            return in.at + strlen(numbers[i].written);
    while (at < end && (is_name_part(*at) || *at == '<')) {
        text ignored[MAX_ARGUMENTS];
        size_t n;
        const char *after = *at == '<' ? split(at, end, ignored, &n) : at + 1;
        if (!after)
            return in.at;
        at = after;
    }
    return at;
}

static void put_name(text name, way w, ebb_buf *out)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (is(name, numbers[i].written)) {
            ebb_buf_adds(out, numbers[i].shown);
            return;
        }
    shorten(name, w, out);
}

/* One argument of a template: what is constant is so after its name. */
static void put_argument(text in, way w, ebb_buf *out)
{
    bool is_constant = begins(in, "const ");
    size_t skipped = is_constant ? strlen("const ") : 0;
    text rest = {in.at + skipped, in.n - skipped};
    const char *end = end_of_name(rest);
    text name = {rest.at, (size_t)(end - rest.at)};
    if (name.n == 0) {
        shorten(in, w, out);
        return;
    }
    put_name(name, w, out);
    ebb_buf_adds(out, is_constant ? " const" : "");
    for (const char *at = end; at < in.at + in.n; at++) {
        ebb_buf_addc(out, *at);
        if (at[0] == ')' && at + 1 < in.at + in.n && at[1] == '[')
            ebb_buf_addc(out, ' ');
    }
}

/* A template that has no shorter name; two '>' are not written together. */
static void put_template(text name, const text *arguments, size_t n, way w, ebb_buf *out)
{
    ebb_buf_addf(out, "%.*s<", (int)name.n, name.at);
    for (size_t i = 0; i < n; i++) {
        ebb_buf_adds(out, i ? ", " : "");
        put_argument(arguments[i], deeper(w), out);
    }
    bool is_last_one = n && arguments[n - 1].n && arguments[n - 1].at[arguments[n - 1].n - 1] == '>' && out->data[out->n - 1] == '>';
    ebb_buf_adds(out, is_last_one ? " >" : ">");
}

static bool is_template(text name)
{
    static const char word[] = "operator";
    bool is_scope = name.n == 0 || name.at[name.n - 1] == ':';
    bool is_operator = name.n >= sizeof word - 1 && memcmp(name.at + name.n - (sizeof word - 1), word, sizeof word - 1) == 0;
    return !is_scope && !is_operator;
}

static void shorten(text in, way w, ebb_buf *out)
{
    const char *end = in.at + in.n;
    for (const char *at = in.at; at < end;) {
        const char *name = at;
        while (at < end && is_name_part(*at))
            at++;
        text arguments[MAX_ARGUMENTS];
        size_t n = 0;
        text whole = {name, (size_t)(at - name)};
        const char *after = w.depth < MAX_DEPTH && at < end && *at == '<' && is_template(whole) ? split(at, end, arguments, &n) : NULL;
        if (after) {
            if (!w.shortens || !begins(whole, "std::") || !put_short(whole, arguments, n, w, out))
                put_template(whole, arguments, n, w, out);
            at = after;
            continue;
        }
        at += at == name;
        ebb_buf_add(out, name, (size_t)(at - name));
    }
}

void sym_short_names(const char *in, ebb_buf *out)
{
    shorten((text){in, strlen(in)}, (way){.shortens = true}, out);
}

void sym_canonical_names(const char *in, ebb_buf *out)
{
    shorten((text){in, strlen(in)}, (way){0}, out);
}
