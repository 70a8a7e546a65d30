/* Types as C spells them, in gdb's manner: a base, a prefix of stars and parentheses, the declared
 * name, and a suffix of brackets and parameters.
 *
 * `show` is how far to open what has a body: at 0 and below a type that has a name is only named;
 * below 0 a body is never shown ("struct {...}"). */
#include "symbols/type_print.h"
#include "symbols/short_names.h"

#include <string.h>

enum { MAX_DEPTH = 32, MAX_DECLARATIONS = 100000, INDENT = 4 };

/* Broken debug information can nest types endlessly: both counters put an end to it. */
typedef struct printer {
    ebb_buf *out;
    int depth;
    int n_declarations;
    unsigned details;       /* SYM_DETAIL_... */
    uint64_t offset_bits;   /* OFFSETS: where the aggregate that is shown begins, */
    uint64_t end_bits;      /* and where in it the last member ended */
    bool in_nested_name;    /* a typedef of the class is shown, with the whole names of others */
    const sym_type *opened; /* the template whose members are shown: types that it was made with go by its names for them */
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

static const char *keyword(const sym_type *type)
{
    switch (type->kind) {
    case SYM_TYPE_STRUCT: return type->is_class ? "class " : "struct ";
    case SYM_TYPE_UNION: return "union ";
    case SYM_TYPE_ENUM: return type->is_scoped ? "enum class " : "enum ";
    default: return "";
    }
}

/* ---- where members lie ------------------------------------------------------------------------ */

enum { COLUMN = 27 }; /* what stands before a line */

static bool shows_offsets(const printer *p)
{
    return p->details & SYM_DETAIL_OFFSETS;
}

static void leave_column_empty(printer *p)
{
    if (shows_offsets(p))
        ebb_buf_addf(p->out, "%*s", COLUMN, "");
}

static void print_hole(printer *p, uint64_t to_bits, const char *what)
{
    if (p->end_bits == 0 || p->end_bits >= to_bits)
        return;
    uint64_t hole = to_bits - p->end_bits;
    if (hole % 8)
        ebb_buf_addf(p->out, "/* XXX %2u-bit %-7s    */\n", (unsigned)(hole % 8), what);
    if (hole / 8)
        ebb_buf_addf(p->out, "/* XXX %2llu-byte %-7s   */\n", (unsigned long long)(hole / 8), what);
}

static void print_place_in_hex(printer *p, uint64_t bits, bool is_bits, uint64_t nbytes)
{
    ebb_buf_addf(p->out, "/* 0x%04llx", (unsigned long long)(bits / 8));
    if (is_bits)
        ebb_buf_addf(p->out, ": 0x%u |  0x%04llx */", (unsigned)(bits % 8), (unsigned long long)nbytes);
    else
        ebb_buf_addf(p->out, "      |  0x%04llx */", (unsigned long long)nbytes);
}

static void print_place(printer *p, uint64_t bits, bool is_bits, uint64_t nbytes)
{
    if (p->details & SYM_DETAIL_HEX) {
        print_place_in_hex(p, bits, is_bits, nbytes);
        return;
    }
    ebb_buf_addf(p->out, "/* %6llu", (unsigned long long)(bits / 8));
    if (is_bits)
        ebb_buf_addf(p->out, ":%2u   |  %6llu */", (unsigned)(bits % 8), (unsigned long long)nbytes);
    else
        ebb_buf_addf(p->out, "      |  %6llu */", (unsigned long long)nbytes);
}

/* What stands before the line of a member; in a union all begin at the same place. */
static void print_column(printer *p, const sym_type *aggregate, const sym_member *m)
{
    uint64_t nbytes = sym_type_size(m->type), at = m->offset * 8 + m->bit_offset;
    if (!shows_offsets(p))
        return;
    if (m->is_static) {
        leave_column_empty(p);
    } else if (aggregate->kind == SYM_TYPE_UNION && p->details & SYM_DETAIL_HEX) {
        ebb_buf_addf(p->out, "/*                0x%04llx */", (unsigned long long)nbytes);
    } else if (aggregate->kind == SYM_TYPE_UNION) {
        ebb_buf_addf(p->out, "/* %21llu */", (unsigned long long)nbytes);
    } else {
        print_hole(p, at, "hole");
        print_place(p, p->offset_bits + at, m->nbits != 0 || p->offset_bits % 8, nbytes);
        p->end_bits = at + (m->nbits ? m->nbits : nbytes * 8);
    }
}

static void print_total(printer *p, sym_type *type, int level)
{
    if (!shows_offsets(p))
        return;
    print_hole(p, type->nbytes * 8, "padding");
    ebb_buf_addf(p->out, "\n%*s/* total size (bytes): %4llu */\n", COLUMN + level + INDENT, "", (unsigned long long)type->nbytes);
}

/* As in gdb, what has a name of its own choice stays closed: a typedef, a container of C++'s library. */
static bool opens_inside(sym_type *type)
{
    while (sym_type_kind_is_qualifier(type->kind) && type->target)
        type = type->target;
    if (type->kind != SYM_TYPE_STRUCT && type->kind != SYM_TYPE_UNION)
        return false;
    ebb_buf full = {0}, shown = {0};
    sym_canonical_names(type->name ? type->name : "", &full);
    sym_short_names(type->name ? type->name : "", &shown);
    bool is_short = strcmp(ebb_buf_text(&full), ebb_buf_text(&shown)) != 0;
    ebb_buf_fini(&shown);
    ebb_buf_fini(&full);
    return !is_short;
}

/* A line for one member; with offsets, what it is made of is opened, too. */
static void print_member(printer *p, const sym_type *aggregate, const sym_member *m, int show, int level)
{
    bool opens = shows_offsets(p) && !m->is_static && opens_inside(m->type);
    print_column(p, aggregate, m);
    ebb_buf_addf(p->out, "%*s%s", level + INDENT, "", m->is_static ? "static " : "");
    uint64_t offset = p->offset_bits, end = p->end_bits;
    p->offset_bits += m->offset * 8;
    p->end_bits = 0;
    print_declaration(p, m->type, m->name ? m->name : "", opens ? show : show - 1, level + INDENT);
    p->offset_bits = offset;
    p->end_bits = end;
    if (m->nbits)
        ebb_buf_addf(p->out, " : %u", m->nbits);
    ebb_buf_adds(p->out, ";\n");
}

static void print_lack(printer *p, const sym_type *type, int level)
{
    leave_column_empty(p);
    ebb_buf_addf(p->out, "%*s<%s>\n", level + INDENT, "", type->is_declared_only ? "incomplete type" : "no data fields");
}

static void print_end(printer *p, sym_type *type, int level)
{
    print_total(p, type, level);
    leave_column_empty(p);
    ebb_buf_addf(p->out, "%*s}", shows_offsets(p) && level == 0 ? INDENT / 2 : level, "");
}

/* ---- C++ -------------------------------------------------------------------------------------- */

static const char *access_word(sym_access access)
{
    return access == SYM_PUBLIC ? "public" : access == SYM_PROTECTED ? "protected" : "private";
}

static void print_bases(printer *p, const sym_type *type)
{
    const char *separator = ": ";
    for (size_t i = 0; i < type->n_members; i++) {
        const sym_member *m = &type->members[i];
        if (!m->is_base)
            continue;
        ebb_buf_addf(p->out, "%s%s %s%s", separator, access_word(m->access), m->is_virtual ? "virtual " : "", m->type->name ? m->type->name : "");
        separator = ", ";
    }
    if (*separator == ',')
        ebb_buf_addc(p->out, ' ');
}

static void print_template_types(printer *p, const sym_type *type)
{
    for (size_t i = 0; i < type->n_template_types && !(p->details & SYM_DETAIL_RAW); i++) {
        ebb_buf_addf(p->out, "%s%s = ", i ? ", " : "[with ", type->template_types[i].name);
        print_declaration(p, type->template_types[i].type, "", 0, 0);
    }
    if (type->n_template_types && !(p->details & SYM_DETAIL_RAW))
        ebb_buf_adds(p->out, "] ");
}

/* Whether it matters who may use what. */
static bool has_sections(const sym_type *type)
{
    sym_access usual = type->is_class ? SYM_PRIVATE : SYM_PUBLIC;
    for (size_t i = 0; i < type->n_members; i++)
        if (!type->members[i].is_base && (type->members[i].access != usual || type->members[i].is_artificial))
            return true;
    for (size_t i = 0; i < type->n_methods; i++)
        if (type->methods[i].access != usual) /* gdb counts those that the compiler made, too */
            return true;
    for (size_t i = 0; i < type->n_nested_names; i++)
        if (type->nested_names[i].access != usual)
            return true;
    return false;
}

typedef struct section {
    bool is_shown, any;
    sym_access access;
} section;

/* gdb tells it of member functions always, of anything else only if it matters. */
static void enter_section(printer *p, section *s, sym_access access, int level, bool is_method)
{
    if ((!s->is_shown && !is_method) || (s->any && s->access == access))
        return;
    leave_column_empty(p);
    ebb_buf_addf(p->out, "%*s%s:\n", level + INDENT / 2, "", access_word(access));
    s->any = true;
    s->access = access;
}

/* Without scopes and template arguments: what a constructor is called. */
static bool is_constructor(const sym_type *type, const char *name)
{
    const char *at = type->name ? type->name : "";
    int depth = 0;
    for (const char *c = at; *c; c++) {
        depth += *c == '<';
        depth -= *c == '>';
        if (depth == 0 && c[0] == ':' && c[1] == ':')
            at = c + 2;
    }
    name += *name == '~';
    size_t n = strlen(name);
    return strncmp(at, name, n) == 0 && (at[n] == '\0' || at[n] == '<');
}

static void print_method(printer *p, const sym_type *type, const sym_method *method)
{
    sym_type_complete(method->type);
    if (method->is_virtual && *method->name != '~')
        ebb_buf_adds(p->out, "virtual ");
    else if (method->is_static)
        ebb_buf_adds(p->out, "static ");
    bool has_result = !is_constructor(type, method->name) && strncmp(method->name, "operator ", 9) != 0;
    if (has_result) {
        print_declaration(p, method->type->target, "", 0, 0);
        ebb_buf_addc(p->out, ' ');
    }
    ebb_buf_addf(p->out, "%s(", method->name);
    size_t first = method->type->has_this;
    for (size_t i = first; i < method->type->n_params; i++) {
        ebb_buf_adds(p->out, i > first ? ", " : "");
        print_declaration(p, method->type->params[i], "", 0, 0);
    }
    ebb_buf_adds(p->out, method->type->n_params <= first ? "void)" : ")");
    ebb_buf_adds(p->out, method->is_const ? " const" : "");
}

static bool is_seen_before(const sym_type *type, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (strcmp(type->methods[j].name, type->methods[i].name) == 0)
            return true;
    return false;
}

/* How many there were. */
static size_t print_methods(printer *p, const sym_type *type, section *s, int level)
{
    size_t n = 0;
    for (size_t i = 0; i < type->n_methods && !(p->details & SYM_DETAIL_NO_METHODS); i++) {
        if (is_seen_before(type, i))
            continue;
        for (size_t j = i; j < type->n_methods; j++) { /* those of one name together */
            if (type->methods[j].is_artificial || strcmp(type->methods[j].name, type->methods[i].name) != 0)
                continue;
            if (n++ == 0 && s->any)
                ebb_buf_addc(p->out, '\n');
            enter_section(p, s, type->methods[j].access, level, true);
            ebb_buf_addf(p->out, "%*s", level + INDENT, "");
            print_method(p, type, &type->methods[j]);
            ebb_buf_adds(p->out, ";\n");
        }
    }
    return n;
}

/* A blank line parts them from what stands before. */
static size_t print_nested_names(printer *p, const sym_type *type, section *s, bool is_parted, int level)
{
    size_t n = 0;
    for (size_t i = 0; i < type->n_nested_names && !(p->details & SYM_DETAIL_NO_TYPEDEFS); i++) {
        if (n++ == 0 && is_parted)
            ebb_buf_addc(p->out, '\n');
        enter_section(p, s, type->nested_names[i].access, level, false);
        ebb_buf_addf(p->out, "%*stypedef ", level + INDENT, "");
        p->in_nested_name = true;
        print_declaration(p, type->nested_names[i].type, type->nested_names[i].name, 0, level + INDENT);
        p->in_nested_name = false;
        ebb_buf_adds(p->out, ";\n");
    }
    return n;
}

static void print_class_members(printer *p, sym_type *type, int show, int level)
{
    section s = {.is_shown = has_sections(type)};
    const sym_type *outer = p->opened;
    p->opened = type;
    ebb_buf_adds(p->out, "{\n");
    size_t n = 0;
    for (size_t i = 0; i < type->n_members; i++) {
        const sym_member *m = &type->members[i];
        if (m->is_base || m->is_artificial)
            continue;
        n++;
        enter_section(p, &s, m->access, level, false);
        print_member(p, type, m, show, level);
    }
    n += print_methods(p, type, &s, level);
    n += print_nested_names(p, type, &s, n > 0, level);
    if (!n && !type->n_members && !type->n_methods) /* bases and functions are something, though they are not shown here */
        print_lack(p, type, level);
    print_end(p, type, level);
    p->opened = outer;
}

static void print_members(printer *p, sym_type *type, int show, int level)
{
    sym_type_complete(type);
    ebb_buf_adds(p->out, "{\n");
    if (!type->n_members)
        print_lack(p, type, level);
    for (size_t i = 0; i < type->n_members; i++)
        print_member(p, type, &type->members[i], show, level);
    print_end(p, type, level);
}

static void put_type_name(printer *p, const char *name)
{
    if (strchr(name, '<') && *name != '<')
        sym_canonical_names(name, p->out);
    else
        ebb_buf_adds(p->out, name);
}

static void print_enumerators(printer *p, sym_type *type)
{
    sym_type_complete(type);
    int64_t next = 0;
    if ((type->is_scoped || type->is_cplus) && type->target && type->target->name)
        ebb_buf_addf(p->out, ": %s ", sym_type_strip(type->target)->name);
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

static void print_class(printer *p, sym_type *type, int show, int level)
{
    sym_type_complete(type);
    print_template_types(p, type);
    print_bases(p, type);
    print_class_members(p, type, show, level);
}

static void print_tagged(printer *p, sym_type *type, int show, int level)
{
    if (!type->is_cplus || show > 0 || !type->name)
        ebb_buf_adds(p->out, keyword(type));
    if (type->name) {
        put_type_name(p, type->name);
        ebb_buf_adds(p->out, show > 0 ? " " : "");
    }
    if (show < 0 || p->depth > MAX_DEPTH) {
        if (!type->name)
            ebb_buf_adds(p->out, "{...}");
    } else if (show > 0 || !type->name) {
        if (type->kind == SYM_TYPE_ENUM)
            print_enumerators(p, type);
        else if (type->is_cplus)
            print_class(p, type, show, level);
        else
            print_members(p, type, show, level);
    }
}

/* Within a class its own typedefs go without its name. */
static const char *name_in_class(const sym_type *opened, const sym_type *type)
{
    size_t n = opened->name ? strlen(opened->name) : 0;
    if (!n || !type->name || strncmp(type->name, opened->name, n) != 0 || strncmp(type->name + n, "::", 2) != 0)
        return NULL;
    for (size_t i = 0; i < opened->n_nested_names; i++)
        if (strcmp(opened->nested_names[i].name, type->name + n + 2) == 0)
            return opened->nested_names[i].name;
    return NULL;
}

static const char *name_in_template(const printer *p, sym_type *type)
{
    if (p->opened && type->kind == SYM_TYPE_TYPEDEF && !(p->details & SYM_DETAIL_RAW))
        return p->in_nested_name ? NULL : name_in_class(p->opened, type);
    for (size_t i = 0; p->opened && !(p->details & SYM_DETAIL_RAW) && i < p->opened->n_template_types; i++)
        if (type->kind != SYM_TYPE_TYPEDEF && sym_type_same(p->opened->template_types[i].type, type))
            return p->opened->template_types[i].name;
    return NULL;
}

static void print_base(printer *p, sym_type *type, int show, int level)
{
    qualifiers q;
    type = peel(type, show, &q);
    switch (type->kind) {
    case SYM_TYPE_POINTER:
    case SYM_TYPE_MEMBER_POINTER:
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
    const char *template_name = name_in_template(p, type);
    if (template_name)
        ebb_buf_adds(p->out, template_name);
    else if (type->kind == SYM_TYPE_STRUCT || type->kind == SYM_TYPE_UNION ||
        type->kind == SYM_TYPE_ENUM)
        print_tagged(p, type, show, level);
    else
        put_type_name(p, type->name                    ? type->name
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
        ebb_buf_adds(p->out, !type->is_reference ? "*" : type->is_rvalue ? "&&" : "&");
        print_qualifiers(p, q, true, space_after);
        break;
    case SYM_TYPE_MEMBER_POINTER:
        print_prefix(p, type->target, show, true, true);
        ebb_buf_addf(p->out, "%s::*", type->owner->name ? type->owner->name : "");
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
    else if (!function->n_params && (function->is_prototyped || function->has_this))
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
    case SYM_TYPE_POINTER:
    case SYM_TYPE_MEMBER_POINTER: print_suffix(p, type->target, show, true); break;
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
    return type->kind == SYM_TYPE_POINTER || type->kind == SYM_TYPE_MEMBER_POINTER || type->kind == SYM_TYPE_FUNCTION ||
           (type->kind == SYM_TYPE_ARRAY && !type->is_vector);
}

static void print_declaration(printer *p, sym_type *type, const char *name, int show, int level)
{
    if (p->depth > MAX_DEPTH || ++p->n_declarations > MAX_DECLARATIONS)
        return;
    p->depth++;
    qualifiers q;
    sym_type *bare = peel(type, show, &q);
    if (bare->is_rust && !shows_offsets(p)) {
        sym_rust_declare(bare, name, show > 0, p->out);
        p->depth--;
        return;
    }
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

void sym_type_describe(sym_type *type, unsigned details, ebb_buf *out)
{
    printer p = {.out = out, .details = details};
    print_declaration(&p, type, "", 1, 0);
}
