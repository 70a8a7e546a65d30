/* type_print_rust.c - types as Rust spells them, in gdb's manner: "*mut [i32; 3]", and a struct or an enum opened. */
#include "symbols/type_print.h"

#include <string.h>

enum { MAX_DEPTH = 32 };

static void print_named(sym_type *type, ebb_buf *out, int depth);

static void print_function(sym_type *type, ebb_buf *out, int depth)
{
    sym_type_complete(type);
    ebb_buf_adds(out, "fn (");
    for (size_t i = 0; i < type->n_params; i++) {
        ebb_buf_adds(out, i ? ", " : "");
        print_named(type->params[i], out, depth + 1);
    }
    ebb_buf_addc(out, ')');
    if (!type->target || sym_type_strip(type->target)->kind == SYM_TYPE_VOID)
        return;
    ebb_buf_adds(out, " -> ");
    print_named(type->target, out, depth + 1);
}

static void print_named(sym_type *type, ebb_buf *out, int depth)
{
    while (sym_type_kind_is_qualifier(type->kind) && type->target)
        type = type->target;
    if (depth > MAX_DEPTH)
        return;
    switch (type->kind) {
    case SYM_TYPE_POINTER:
        ebb_buf_adds(out, "*mut ");
        print_named(type->target, out, depth + 1);
        break;
    case SYM_TYPE_ARRAY:
        ebb_buf_addc(out, '[');
        print_named(type->target, out, depth + 1);
        ebb_buf_addf(out, "; %llu]", (unsigned long long)type->count);
        break;
    case SYM_TYPE_FUNCTION: print_function(type, out, depth); break;
    case SYM_TYPE_VOID: ebb_buf_adds(out, "()"); break;
    default: ebb_buf_adds(out, type->name ? type->name : "{...}"); break;
    }
}

static bool is_bare_tuple(const sym_type *type)
{
    return type->name && *type->name == '(';
}

/* A form of an enum on its line: "Circle(f64)", "Rect{w: i32, h: i32}", "Empty". */
static void print_variant(const sym_variant *variant, ebb_buf *out)
{
    sym_type *type = sym_type_strip(variant->member.type);
    bool is_tuple = sym_type_is_tuple(type);
    ebb_buf_addf(out, "  %s", variant->member.name ? variant->member.name : "");
    for (size_t i = 0; i < type->n_members; i++) {
        ebb_buf_adds(out, i ? ", " : is_tuple ? "(" : "{");
        if (!is_tuple)
            ebb_buf_addf(out, "%s: ", type->members[i].name ? type->members[i].name : "");
        print_named(type->members[i].type, out, 0);
    }
    ebb_buf_adds(out, type->n_members == 0 ? ",\n" : is_tuple ? "),\n" : "},\n");
}

static void describe_enum(sym_type *type, ebb_buf *out)
{
    ebb_buf_addf(out, "enum %s {\n", type->name ? type->name : "{...}");
    for (size_t i = 0; i < type->n_variants; i++)
        print_variant(&type->variants[i], out);
    for (size_t i = 0; i < type->n_enumerators; i++) {
        const char *own = type->enumerators[i].name;
        for (const char *at = own; (at = strstr(at, "::")); at += 2)
            own = at + 2;
        ebb_buf_addf(out, "  %s,\n", own);
    }
    ebb_buf_addc(out, '}');
}

static void describe_struct(sym_type *type, ebb_buf *out)
{
    bool is_tuple = sym_type_is_tuple(type);
    ebb_buf_addf(out, "%s%s", type->kind == SYM_TYPE_UNION ? "union " : "struct ", type->name ? type->name : "{...}");
    if (!type->n_members)
        return;
    ebb_buf_adds(out, is_tuple ? " (\n" : " {\n");
    for (size_t i = 0; i < type->n_members; i++) {
        ebb_buf_adds(out, "  ");
        if (!is_tuple)
            ebb_buf_addf(out, "%s: ", type->members[i].name ? type->members[i].name : "");
        print_named(type->members[i].type, out, 0);
        ebb_buf_adds(out, ",\n");
    }
    ebb_buf_addc(out, is_tuple ? ')' : '}');
}

void sym_rust_declare(sym_type *type, const char *name, bool opens, ebb_buf *out)
{
    bool has_body = type->kind == SYM_TYPE_STRUCT || type->kind == SYM_TYPE_UNION || type->kind == SYM_TYPE_ENUM;
    if (*name)
        ebb_buf_addf(out, "%s: ", name);
    sym_type_complete(type);
    if (!opens || !has_body || is_bare_tuple(type))
        print_named(type, out, 0);
    else if (type->kind == SYM_TYPE_ENUM || type->n_variants)
        describe_enum(type, out);
    else
        describe_struct(type, out);
}
