/* print.c - which printer a value goes to. */
#include "expr/library.h"
#include "expr/print.h"
#include "expr/rust.h"
#include "symbols/demangle.h"

#include <stdlib.h>
#include <string.h>

static bool is_natural(const expr_printer *printer)
{
    return printer->format->letter == 0 || printer->format->letter == 's';
}

/* PR2 */
static ebb_status fetch(expr_printer *printer, expr_value *value, unsigned depth, bool *is_shown)
{
    ebb_error error;
    *is_shown = false;
    ebb_status status =
        expr_value_fetch(printer->arena, printer->world, value, depth ? &error : printer->err);
    if (status && depth) {
        ebb_buf_addf(printer->out, "<error: %s>", error.text);
        *is_shown = true;
        return EBB_OK;
    }
    return status;
}

/* What stands for a value that isn't there; NULL if it is. */
static const char *stand_in(const expr_value *value, const sym_type *type)
{
    bool is_aggregate = type->kind == SYM_TYPE_STRUCT || type->kind == SYM_TYPE_UNION ||
                        type->kind == SYM_TYPE_ARRAY;
    if (value->is_optimized_out)
        return "<optimized out>";
    if (value->is_synthetic_pointer)
        return "<synthetic pointer>";
    if (value->missing && !is_aggregate)
        return "<optimized out>";
    if (type->kind == SYM_TYPE_VOID)
        return "void";
    return type->is_declared_only && is_aggregate ? "<incomplete type>" : NULL;
}

/* `int data[]` at the end of a struct prints like a pointer to its first element. */
static bool is_array_without_size(const sym_type *type)
{
    return type->kind == SYM_TYPE_ARRAY && (type->nbytes == 0 || sym_type_size(type->target) == 0);
}

/* The two parts by format, as gdb does inside of aggregates; at the top it takes the bytes as one. */
static ebb_status print_complex_formatted(expr_printer *printer, expr_value *value, sym_type *type)
{
    sym_type half = *type; /* a stand-in with the size and name of one part */
    half.kind = SYM_TYPE_FLOAT;
    half.nbytes = type->nbytes / 2;
    ebb_status status = expr_print_formatted(printer, &half, value->bytes);
    if (status)
        return status;
    ebb_buf_adds(printer->out, " + ");
    status = expr_print_formatted(printer, &half, value->bytes + half.nbytes);
    ebb_buf_addc(printer->out, 'i');
    return status;
}

static ebb_status print_scalar(expr_printer *printer, expr_value *value, sym_type *type,
                               unsigned depth)
{
    if (value->is_lazy || !value->bytes)
        return ebb_fail(printer->err, EBB_UNSUPPORTED, "A value of that type can't be shown.");
    if (!is_natural(printer) && type->kind == SYM_TYPE_COMPLEX && depth > 0)
        return print_complex_formatted(printer, value, type);
    if (!is_natural(printer))
        return expr_print_formatted(printer, value->type, value->bytes);
    if (type->kind == SYM_TYPE_POINTER && type->nbytes == sizeof(uint64_t)) {
        uint64_t addr;
        memcpy(&addr, value->bytes, sizeof addr);
        expr_print_pointer(printer, type->target, addr);
    } else {
        expr_print_scalar(printer, value->type, value->bytes);
    }
    return EBB_OK;
}

/* print/x of a function shows the byte of code that is there, as gdb does. */
static ebb_status print_function(expr_printer *printer, expr_value *value)
{
    if (is_natural(printer)) {
        expr_print_function(printer, value);
        return EBB_OK;
    }
    if (printer->format->letter == 'a')
        return ebb_fail(printer->err, EBB_BAD_INPUT, "Value can't be converted to integer.");
    uint8_t code;
    const expr_world *world = printer->world;
    ebb_status status =
        world->read(world->self, value->place.addr, &code, sizeof code, printer->err);
    return status ? status
                  : expr_print_formatted(printer, sym_types_basic(world->types, "unsigned char"),
                                         &code);
}

static bool is_library_object(const expr_printer *printer, sym_type *type)
{
    const char *shown;
    expr_library kind = expr_library_of(type, &shown);
    return kind != EXPR_LIBRARY_NONE && kind != EXPR_LIBRARY_PAIR && kind != EXPR_LIBRARY_ARRAY && printer->format->letter != 'r';
}

/* "@0x7ffd7c: 5", and inside of something else where it is only. */
static ebb_status print_reference(expr_printer *printer, expr_value *value, sym_type *type, unsigned depth)
{
    uint64_t addr;
    memcpy(&addr, value->bytes, sizeof addr);
    expr_value target = expr_value_at(type->target, addr);
    if (is_library_object(printer, type->target))
        return expr_print_value(printer, &target, depth);
    ebb_buf_addf(printer->out, "@0x%llx", (unsigned long long)addr);
    if (depth)
        return EBB_OK;
    ebb_buf_adds(printer->out, ": ");
    ebb_error why;
    expr_printer inner = *printer;
    inner.err = &why;
    if (expr_print_value(&inner, &target, depth) != EBB_OK)
        ebb_buf_addf(printer->out, "<error: %s>", why.text);
    return EBB_OK;
}

/* "&virtual Shape::area() const" */
static void print_virtual(expr_printer *printer, const sym_type *owner, uint64_t offset)
{
    for (size_t i = 0; i < owner->n_methods; i++) {
        const sym_method *m = &owner->methods[i];
        char *full = m->table_index >= 0 && (uint64_t)m->table_index * 8 == offset && m->linkage_name ? sym_demangle(m->linkage_name, true) : NULL;
        if (full)
            ebb_buf_addf(printer->out, "&virtual %s", full);
        free(full);
        if (full)
            return;
    }
    ebb_buf_addf(printer->out, "&virtual table offset %llu", (unsigned long long)offset);
}

/* "&Point::y" of a data member; "(type) 0x1139 <Shape::id() const>" of a function. */
static ebb_status print_member_pointer(expr_printer *printer, expr_value *value, sym_type *type)
{
    uint64_t first;
    if (!value->bytes)
        return ebb_fail(printer->err, EBB_UNSUPPORTED, "A value of that type can't be shown.");
    memcpy(&first, value->bytes, sizeof first);
    bool is_function = sym_type_strip(type->target)->kind == SYM_TYPE_FUNCTION;
    sym_type *owner = sym_type_strip(type->owner);
    if (is_function ? first == 0 : first == UINT64_MAX) {
        ebb_buf_adds(printer->out, "NULL");
    } else if (!is_function) {
        for (size_t i = 0; i < owner->n_members; i++)
            if (owner->members[i].name && !owner->members[i].is_static && owner->members[i].offset == first) {
                ebb_buf_addf(printer->out, "&%s::%s", owner->name ? owner->name : "", owner->members[i].name);
                return EBB_OK;
            }
        ebb_buf_addf(printer->out, "%lld", (long long)first);
    } else if (first & 1) {
        print_virtual(printer, owner, first - 1);
    } else {
        ebb_buf_addc(printer->out, '(');
        expr_print_type(printer, type);
        ebb_buf_adds(printer->out, ") ");
        expr_print_pointer(printer, type->target, first);
    }
    return EBB_OK;
}

ebb_status expr_print_value(expr_printer *printer, expr_value *value, unsigned depth)
{
    sym_type *type = sym_type_strip(value->type);
    if (type->kind == SYM_TYPE_FUNCTION && !value->is_optimized_out)
        return print_function(printer, value);
    if (is_array_without_size(type) && value->place.kind == EXPR_PLACE_MEMORY) {
        expr_print_pointer(printer, type->target, value->place.addr);
        return EBB_OK;
    }
    bool is_shown = false;
    const char *instead = stand_in(value, type);
    ebb_status status = instead ? EBB_OK : fetch(printer, value, depth, &is_shown);
    if (status || is_shown)
        return status;
    if (!instead)
        instead = stand_in(value, type);
    if (instead) {
        ebb_buf_adds(printer->out, instead);
        return EBB_OK;
    }
    if (type->is_reference && value->bytes)
        return print_reference(printer, value, type, depth);
    if (type->is_rust && (type->kind == SYM_TYPE_STRUCT || type->kind == SYM_TYPE_UNION))
        return expr_print_rust(printer, value, depth);
    switch (type->kind) {
    case SYM_TYPE_MEMBER_POINTER: return print_member_pointer(printer, value, type);
    case SYM_TYPE_STRUCT:
        if (expr_print_library(printer, value, depth))
            return EBB_OK;
        return expr_print_struct(printer, value, depth);
    case SYM_TYPE_UNION: return expr_print_struct(printer, value, depth);
    case SYM_TYPE_ARRAY: return expr_print_array(printer, value, depth);
    default: return print_scalar(printer, value, type, depth);
    }
}

/* ---- from outside ---------------------------------------------------------------------------- */

/* A failure takes back what was printed so far. */
static ebb_status print_or_nothing(expr_printer *printer, expr_value *value)
{
    size_t before = printer->out->n;
    ebb_status status = expr_print_value(printer, value, 0);
    if (status)
        ebb_buf_truncate(printer->out, before);
    return status;
}

ebb_status expr_print(ebb_arena *arena, const expr_world *world, const expr_format *format,
                      expr_value *value, ebb_buf *out, ebb_error *err)
{
    expr_printer printer = {
        .arena = arena, .world = world, .format = format, .out = out, .err = err};
    return print_or_nothing(&printer, value);
}

/* gdb leaves "(char *) " away where the string shows it; the pointer type itself must have no name. */
static bool is_shown_by_its_string(sym_type *type)
{
    static const char *const names[] = {"char", "wchar_t", "char16_t", "char32_t"};
    while (type->kind == SYM_TYPE_CONST || type->kind == SYM_TYPE_VOLATILE ||
           type->kind == SYM_TYPE_RESTRICT)
        type = type->target;
    if (type->kind != SYM_TYPE_POINTER || !type->target)
        return false;
    sym_type *target = type->target;
    while ((target->kind == SYM_TYPE_CONST || target->kind == SYM_TYPE_VOLATILE) && target->target)
        target = target->target;
    for (size_t i = 0; target->name && i < sizeof names / sizeof *names; i++) {
        bool is_plain = target->kind == SYM_TYPE_CHAR || target->kind == SYM_TYPE_INT ||
                        target->kind == SYM_TYPE_TYPEDEF;
        if (is_plain && strcmp(target->name, names[i]) == 0)
            return true;
    }
    return false;
}

/* `set print object on`: "(geo::Circle) {...}", "(geo::Circle *) 0x4052a0"; false if nothing else is known of it than its declared type. */
static bool print_real_object(expr_printer *printer, expr_value *value, bool is_pointer)
{
    expr_ev ev = {.arena = printer->arena, .world = printer->world};
    expr_value object = *value, whole;
    if (is_pointer && (!sym_type_strip(value->type)->target || expr_ev_deref(&ev, &object, &object) != EBB_OK))
        return false;
    if (!expr_dynamic_object(&ev, &object, &whole))
        return false;
    size_t before = printer->out->n;
    ebb_buf_addc(printer->out, '(');
    expr_print_type(printer, whole.type);
    if (is_pointer) {
        ebb_buf_addf(printer->out, " *%s) 0x%llx", value->type->kind == SYM_TYPE_CONST ? " const" : "", (unsigned long long)whole.place.addr);
        return true;
    }
    if (value->reference)
        ebb_buf_addf(printer->out, " &) @0x%llx: ", (unsigned long long)whole.place.addr);
    else
        ebb_buf_adds(printer->out, ") ");
    if (expr_print_value(printer, &whole, 0) == EBB_OK)
        return true;
    ebb_buf_truncate(printer->out, before);
    return false;
}

ebb_status expr_print_top(ebb_arena *arena, const expr_world *world, const expr_format *format,
                          expr_value *value, ebb_buf *out, ebb_error *err)
{
    expr_printer printer = {
        .arena = arena, .world = world, .format = format, .out = out, .err = err};
    bool is_pointer = sym_type_strip(value->type)->kind == SYM_TYPE_POINTER;
    if (format->object && !format->raw && is_natural(&printer) && print_real_object(&printer, value, is_pointer))
        return EBB_OK;
    if (value->reference && value->place.kind == EXPR_PLACE_MEMORY && !is_library_object(&printer, value->type)) {
        ebb_buf_addc(out, '(');
        expr_print_type(&printer, value->reference);
        ebb_buf_addf(out, ") @0x%llx: ", (unsigned long long)value->place.addr);
        return print_or_nothing(&printer, value);
    }
    if (!is_pointer || !is_natural(&printer) || is_shown_by_its_string(value->type))
        return print_or_nothing(&printer, value);
    ebb_status status = expr_value_fetch(arena, world, value, err);
    if (status)
        return status;
    if (!value->is_optimized_out && !value->missing) {
        ebb_buf_addc(out, '(');
        expr_print_type(&printer, value->type);
        ebb_buf_adds(out, ") ");
    }
    return print_or_nothing(&printer, value);
}

ebb_status expr_print_brief(ebb_arena *arena, const expr_world *world, const expr_format *format,
                            expr_value *value, ebb_buf *out, ebb_error *err)
{
    expr_printer printer = {.arena = arena, .world = world, .format = format, .out = out, .err = err, .is_summary = true};
    sym_type *type = sym_type_strip(value->type);
    sym_type *held = type->is_reference && type->target ? type->target : type;
    if (sym_type_is_aggregate(held) && !is_library_object(&printer, held)) {
        ebb_buf_adds(out, "...");
        return EBB_OK;
    }
    return print_or_nothing(&printer, value);
}
