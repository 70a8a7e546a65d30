/* Types as C spells them, in gdb's manner: a base, a prefix of stars and parentheses, the declared
 * name, and a suffix of brackets and parameters.
 *
 * `show` is how far to open what has a body: at 0 and below a type that has a name is only named;
 * below 0 a body is never shown ("struct {...}"). */
#include "symbols/type.h"

enum { MAX_DEPTH = 32, MAX_DECLARATIONS = 100000, INDENT = 4 };

/* Broken debug information can nest types endlessly: both counters put an end to it. */
typedef struct printer {
    ebb_buf *out;
    int depth;
    int n_declarations;
} printer;

typedef struct qualifiers {
    bool is_const, is_volatile, is_restrict, is_atomic;
} qualifiers;

static void add_qualifier(qualifiers *q, sym_type_kind kind)
{
    q->is_const |= kind == SYM_TYPE_CONST;
    q->is_volatile |= kind == SYM_TYPE_VOLATILE;
    q->is_restrict |= kind == SYM_TYPE_RESTRICT;
    q->is_atomic |= kind == SYM_TYPE_ATOMIC;
}

/* The type without its qualifiers; with show > 0 typedefs are seen through as well. */
static sym_type *peel(sym_type *type, int show, qualifiers *q)
{
    *q = (qualifiers){0};
    while (type && (sym_type_kind_is_qualifier(type->kind) ||
                    (show > 0 && type->kind == SYM_TYPE_TYPEDEF))) {
        add_qualifier(q, type->kind);
        type = type->target;
    }
    return type ? type : sym_type_strip(NULL);
}

static void print_qualifiers(printer *p, qualifiers q, bool space_before, bool space_after)
{
    const struct {
        bool is_set;
        const char *text;
    } words[] = {
        {q.is_const, "const"},
        {q.is_volatile, "volatile"},
        {q.is_restrict, "restrict"},
        {q.is_atomic, "_Atomic"},
    };
    bool any = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!words[i].is_set)
            continue;
        if (any || space_before)
            ebb_buf_addc(p->out, ' ');
        ebb_buf_adds(p->out, words[i].text);
        any = true;
    }
    if (any && space_after)
        ebb_buf_addc(p->out, ' ');
}

static void print_declaration(printer *p, sym_type *type, const char *name, int show, int level);

static const char *keyword(sym_type_kind kind)
{
    switch (kind) {
    case SYM_TYPE_STRUCT: return "struct ";
    case SYM_TYPE_UNION: return "union ";
    case SYM_TYPE_ENUM: return "enum ";
    default: return "";
    }
}

static void print_members(printer *p, sym_type *type, int show, int level)
{
    sym_type_complete(type);
    ebb_buf_adds(p->out, "{\n");
    if (!type->n_members)
        ebb_buf_addf(p->out, "%*s<%s>\n", level + INDENT, "",
                     type->is_declared_only ? "incomplete type" : "no data fields");
    for (size_t i = 0; i < type->n_members; i++) {
        const sym_member *m = &type->members[i];
        ebb_buf_addf(p->out, "%*s", level + INDENT, "");
        print_declaration(p, m->type, m->name ? m->name : "", show - 1, level + INDENT);
        if (m->nbits)
            ebb_buf_addf(p->out, " : %u", m->nbits);
        ebb_buf_adds(p->out, ";\n");
    }
    ebb_buf_addf(p->out, "%*s}", level, "");
}

static void print_enumerators(printer *p, sym_type *type)
{
    sym_type_complete(type);
    int64_t next = 0;
    ebb_buf_addc(p->out, '{');
    for (size_t i = 0; i < type->n_enumerators; i++) {
        const sym_enumerator *e = &type->enumerators[i];
        ebb_buf_addf(p->out, "%s%s", i ? ", " : "", e->name);
        if (e->value != next)
            ebb_buf_addf(p->out, " = %lld", (long long)e->value);
        next = (int64_t)((uint64_t)e->value + 1);
    }
    ebb_buf_addc(p->out, '}');
}

static void print_tagged(printer *p, sym_type *type, int show, int level)
{
    ebb_buf_adds(p->out, keyword(type->kind));
    if (type->name)
        ebb_buf_addf(p->out, "%s%s", type->name, show > 0 ? " " : "");
    if (show < 0 || p->depth > MAX_DEPTH) {
        if (!type->name)
            ebb_buf_adds(p->out, "{...}");
    } else if (show > 0 || !type->name) {
        if (type->kind == SYM_TYPE_ENUM)
            print_enumerators(p, type);
        else
            print_members(p, type, show, level);
    }
}

static void print_base(printer *p, sym_type *type, int show, int level)
{
    qualifiers q;
    type = peel(type, show, &q);
    switch (type->kind) {
    case SYM_TYPE_POINTER:
    case SYM_TYPE_ARRAY:
    case SYM_TYPE_FUNCTION:
        if (p->depth > MAX_DEPTH)
            return;
        p->depth++;
        print_base(p, type->target, show, level);
        p->depth--;
        return;
    default: break;
    }
    print_qualifiers(p, q, false, true);
    if (type->kind == SYM_TYPE_STRUCT || type->kind == SYM_TYPE_UNION ||
        type->kind == SYM_TYPE_ENUM)
        print_tagged(p, type, show, level);
    else
        ebb_buf_adds(p->out, type->name                    ? type->name
                             : type->kind == SYM_TYPE_VOID ? "void"
                                                           : "<unknown type>");
}

static void print_prefix(printer *p, sym_type *type, int show, bool behind_pointer,
                         bool space_after)
{
    qualifiers q;
    type = peel(type, show, &q);
    if (p->depth > MAX_DEPTH)
        return;
    p->depth++;
    switch (type->kind) {
    case SYM_TYPE_POINTER:
        print_prefix(p, type->target, show, true, true);
        ebb_buf_addc(p->out, '*');
        print_qualifiers(p, q, true, space_after);
        break;
    case SYM_TYPE_FUNCTION:
        print_prefix(p, type->target, show, false, false);
        if (behind_pointer)
            ebb_buf_addc(p->out, '(');
        break;
    case SYM_TYPE_ARRAY:
        print_prefix(p, type->target, show, false, space_after);
        if (behind_pointer)
            ebb_buf_addc(p->out, '(');
        break;
    default: break;
    }
    p->depth--;
}

static void print_parameters(printer *p, sym_type *function)
{
    sym_type_complete(function);
    ebb_buf_addc(p->out, '(');
    for (size_t i = 0; i < function->n_params; i++) {
        if (i)
            ebb_buf_adds(p->out, ", ");
        print_declaration(p, function->params[i], "", 0, 0);
    }
    if (function->n_params && function->is_variadic)
        ebb_buf_adds(p->out, ", ...");
    else if (!function->n_params && function->is_prototyped)
        ebb_buf_adds(p->out, "void");
    ebb_buf_addc(p->out, ')');
}

static void print_brackets(printer *p, const sym_type *array)
{
    ebb_buf_adds(p->out, array->is_vector ? " __attribute__ ((vector_size(" : "[");
    if (array->is_dynamic)
        ebb_buf_adds(p->out, "variable length");
    else if (array->count_known)
        ebb_buf_addf(p->out, "%llu", (unsigned long long)array->count);
    ebb_buf_adds(p->out, array->is_vector ? ")))" : "]");
}

static void print_suffix(printer *p, sym_type *type, int show, bool behind_pointer)
{
    qualifiers q;
    type = peel(type, show, &q);
    if (p->depth > MAX_DEPTH)
        return;
    p->depth++;
    switch (type->kind) {
    case SYM_TYPE_POINTER: print_suffix(p, type->target, show, true); break;
    case SYM_TYPE_FUNCTION:
        if (behind_pointer)
            ebb_buf_addc(p->out, ')');
        print_parameters(p, type);
        print_suffix(p, type->target, show, false);
        break;
    case SYM_TYPE_ARRAY:
        if (behind_pointer)
            ebb_buf_addc(p->out, ')');
        sym_type_complete(type);
        print_brackets(p, type);
        print_suffix(p, type->target, show, false);
        break;
    default: break;
    }
    p->depth--;
}

static bool needs_space(const sym_type *type)
{
    return type->kind == SYM_TYPE_POINTER || type->kind == SYM_TYPE_FUNCTION ||
           (type->kind == SYM_TYPE_ARRAY && !type->is_vector);
}

static void print_declaration(printer *p, sym_type *type, const char *name, int show, int level)
{
    if (p->depth > MAX_DEPTH || ++p->n_declarations > MAX_DECLARATIONS)
        return;
    p->depth++;
    qualifiers q;
    print_base(p, type, show, level);
    if (*name || needs_space(peel(type, show, &q)))
        ebb_buf_addc(p->out, ' ');
    print_prefix(p, type, show, false, *name != '\0');
    ebb_buf_adds(p->out, name);
    print_suffix(p, type, show, false);
    p->depth--;
}

void sym_type_print(sym_type *type, ebb_buf *out)
{
    sym_type_declare(type, "", out);
}

void sym_type_declare(sym_type *type, const char *name, ebb_buf *out)
{
    printer p = {.out = out};
    print_declaration(&p, type, name, -1, 0);
}

void sym_type_describe(sym_type *type, ebb_buf *out)
{
    printer p = {.out = out};
    print_declaration(&p, type, "", 1, 0);
}
