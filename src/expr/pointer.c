/* pointer.c - getting from one value to another: *p, &x, a[i], s.m, p->m, x@n, p + n. */
#include "expr/cplus.h"
#include "expr/library.h"
#include "expr/number.h"
#include "expr/rust.h"

#include <string.h>

static sym_type_kind kind_of(const expr_value *value)
{
    return sym_type_strip(value->type)->kind;
}

static bool is_struct_type(sym_type *type)
{
    sym_type_kind kind = sym_type_strip(type)->kind;
    return kind == SYM_TYPE_STRUCT || kind == SYM_TYPE_UNION;
}

expr_value expr_value_at(sym_type *type, uint64_t addr)
{
    return (expr_value){
        .type = type, .is_lazy = true, .place = {.kind = EXPR_PLACE_MEMORY, .addr = addr}};
}

static sym_type *pointee(expr_ev *ev, const expr_value *pointer)
{
    sym_type *target = sym_type_strip(pointer->type)->target;
    return target ? target : expr_ev_basic(ev, "void");
}

/* ---- * and & --------------------------------------------------------------------------------- */

ebb_status expr_ev_deref(expr_ev *ev, expr_value *pointer, expr_value *out)
{
    if (is_struct_type(pointer->type) && expr_library_pointee(ev, pointer, out))
        return EBB_OK;
    ebb_status status = expr_operator_call(ev, "*", pointer, NULL, out);
    if (status != EBB_NOT_FOUND)
        return status;
    status = expr_refuse_struct(ev, "*", pointer, NULL);
    if (!status)
        status = expr_ev_decay(ev, pointer);
    if (status)
        return status;
    sym_type *target;
    if (kind_of(pointer) == SYM_TYPE_POINTER)
        target = pointee(ev, pointer);
    else if (kind_of(pointer) == SYM_TYPE_INT) /* gdb: *0x601040 looks at a long there */
        target = expr_ev_basic(ev, "long");
    else
        return ebb_fail(ev->err, EBB_BAD_INPUT, kind_of(pointer) == SYM_TYPE_MEMBER_POINTER ? "Attempt to dereference pointer to member without an object"
                                                                                             : "Attempt to take contents of a non-pointer value.");
    if (sym_type_strip(target)->kind == SYM_TYPE_VOID)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "Attempt to dereference a generic pointer.");
    uint64_t addr;
    status = expr_ev_to_u64(ev, pointer, &addr);
    if (!status)
        *out = expr_value_at(target, addr);
    return status;
}

ebb_status expr_ev_address_of(expr_ev *ev, const expr_value *value, expr_value *out)
{
    if (value->place.kind != EXPR_PLACE_MEMORY || value->is_optimized_out)
        return ebb_fail(ev->err, EBB_BAD_INPUT,
                        "Attempt to take address of value not located in memory.");
    uint64_t addr = value->place.addr;
    if (value->place.nbits) {
        /* Of a bit-field, the unit of its type that holds it. */
        uint64_t unit = sym_type_size(value->type);
        addr += value->place.bit_offset / 8;
        addr -= unit ? addr % unit : 0;
    }
    *out = expr_value_of_u64(ev->arena, sym_type_pointer_to(ev->world->types, value->type), addr);
    return EBB_OK;
}

/* ---- pointer arithmetic ---------------------------------------------------------------------- */

static ebb_status element_size(expr_ev *ev, const expr_value *pointer, uint64_t *nbytes)
{
    sym_type *target = pointee(ev, pointer), *stripped = sym_type_strip(target);
    *nbytes = sym_type_size(stripped);
    if (stripped->kind == SYM_TYPE_VOID || stripped->kind == SYM_TYPE_FUNCTION ||
        stripped->kind == SYM_TYPE_UNKNOWN)
        *nbytes = 1;
    if (*nbytes > 0)
        return EBB_OK;
    ebb_buf name = {0};
    sym_type_print(target, &name);
    ebb_status status = ebb_fail(ev->err, EBB_BAD_INPUT,
                                 "Cannot perform pointer math on incomplete type \"%.200s\", try "
                                 "casting to a known type, or void *.",
                                 ebb_buf_text(&name));
    ebb_buf_fini(&name);
    return status;
}

ebb_status expr_ev_pointer_add(expr_ev *ev, expr_value *pointer, int64_t n, expr_value *out)
{
    uint64_t nbytes, addr;
    ebb_status status = element_size(ev, pointer, &nbytes);
    if (!status)
        status = expr_ev_to_u64(ev, pointer, &addr);
    if (!status)
        *out = expr_value_of_u64(ev->arena, pointer->type, addr + (uint64_t)n * nbytes);
    return status;
}

ebb_status expr_ev_pointer_difference(expr_ev *ev, expr_value *left, expr_value *right,
                                      expr_value *out)
{
    uint64_t nbytes, other_nbytes, a, b;
    ebb_status status = element_size(ev, left, &nbytes);
    if (!status)
        status = element_size(ev, right, &other_nbytes);
    if (!status)
        status = expr_ev_to_u64(ev, left, &a);
    if (!status)
        status = expr_ev_to_u64(ev, right, &b);
    if (status)
        return status;
    if (nbytes != other_nbytes)
        return ebb_fail(ev->err, EBB_BAD_INPUT,
                        "First argument of `-' is a pointer and second argument is neither an "
                        "integer nor a pointer of the same type.");
    int64_t distance = (int64_t)(a - b);
    *out = expr_value_of_u64(ev->arena, expr_ev_basic(ev, "long"),
                             (uint64_t)(distance / (int64_t)nbytes));
    return EBB_OK;
}

/* ---- a[i] ------------------------------------------------------------------------------------ */

/* An element of an array, wherever the array is. */
static ebb_status array_element(expr_ev *ev, expr_value *array, int64_t index, expr_value *out)
{
    sym_type *type = sym_type_strip(array->type);
    uint64_t nbytes = sym_type_size(type->target);
    if (array->place.kind != EXPR_PLACE_MEMORY) {
        ebb_status status = expr_value_fetch(ev->arena, ev->world, array, ev->err);
        if (status)
            return status;
        if (index < 0 || (uint64_t)index >= type->count)
            return ebb_fail(ev->err, EBB_BAD_INPUT, "no such vector element");
    }
    *out = expr_value_part(ev->arena, array, type->target, (uint64_t)index * nbytes, 0, 0);
    return EBB_OK;
}

static ebb_status fail_subscript(expr_ev *ev, const expr_value *value)
{
    ebb_buf name = {0};
    sym_type_print(value->type, &name);
    ebb_status status = ebb_fail(
        ev->err, EBB_BAD_INPUT, "cannot subscript something of type `%.200s'", ebb_buf_text(&name));
    ebb_buf_fini(&name);
    return status;
}

static bool can_be_indexed(const expr_value *value)
{
    return kind_of(value) == SYM_TYPE_ARRAY || kind_of(value) == SYM_TYPE_POINTER;
}

ebb_status expr_ev_index(expr_ev *ev, expr_value *array, expr_value *index, expr_value *out)
{
    uint64_t number;
    if (is_struct_type(array->type) && sym_type_is_integral(index->type)) {
        ebb_status status = expr_ev_to_u64(ev, index, &number);
        if (status || expr_library_element(ev, array, number, out) || expr_rust_element(ev, array, number, out))
            return status;
    }
    ebb_status status = is_struct_type(array->type) ? expr_operator_call(ev, "[]", array, index, out) : EBB_NOT_FOUND;
    if (status != EBB_NOT_FOUND)
        return status;
    status = expr_refuse_struct(ev, "[]", array, NULL);
    if (status)
        return status;
    if (!can_be_indexed(array)) {
        if (!can_be_indexed(index))
            return fail_subscript(ev, array);
        expr_value *swapped = array; /* C's 1[a] */
        array = index;
        index = swapped;
    }
    uint64_t i;
    status = expr_ev_to_u64(ev, index, &i);
    if (status)
        return status;
    if (kind_of(array) == SYM_TYPE_ARRAY)
        return array_element(ev, array, (int64_t)i, out);
    expr_value element;
    status = expr_ev_pointer_add(ev, array, (int64_t)i, &element);
    return status ? status : expr_ev_deref(ev, &element, out);
}

/* A static member is a variable, of the class or of a base. */
ebb_status expr_ev_static_member(expr_ev *ev, sym_type *type, const char *name, expr_value *out)
{
    const expr_world *world = ev->world;
    for (size_t i = 0; i < type->n_members; i++) {
        const sym_member *m = &type->members[i];
        if (m->name && m->is_static && m->has_constant && strcmp(m->name, name) == 0) {
            *out = expr_value_of_u64(ev->arena, m->type, (uint64_t)m->constant);
            return EBB_OK;
        }
    }
    if (type->name && world->find_name(world->self, ev->arena, type->name, name, out, NULL) == EBB_OK)
        return EBB_OK;
    for (size_t i = 0; i < type->n_members; i++)
        if (type->members[i].is_base && expr_ev_static_member(ev, sym_type_strip(type->members[i].type), name, out) == EBB_OK)
            return EBB_OK;
    return ebb_fail(ev->err, EBB_NOT_FOUND, "static field %.200s has been optimized out", name);
}

bool expr_virtual_base(const expr_world *world, const expr_value *object, const sym_member *base, expr_value *out)
{
    uint64_t table;
    int64_t distance;
    if (object->place.kind != EXPR_PLACE_MEMORY || !base->offset || world->read(world->self, object->place.addr, &table, sizeof table, NULL) != EBB_OK ||
        world->read(world->self, table - base->offset, &distance, sizeof distance, NULL) != EBB_OK)
        return false;
    *out = expr_value_at(base->type, object->place.addr + (uint64_t)distance);
    return true;
}

/* A member that is only in a virtual base, at any depth. */
static bool find_in_virtual(expr_ev *ev, const expr_value *object, const char *name, int depth, expr_value *out)
{
    enum { MAX_DEPTH = 16 };
    sym_type *type = sym_type_strip(object->type);
    sym_member member;
    if (depth > MAX_DEPTH || (depth == 0 && sym_type_find_member(type, name, &member)))
        return false;
    for (size_t i = 0; i < type->n_members; i++) {
        const sym_member *m = &type->members[i];
        expr_value base = {0};
        if (!m->is_base)
            continue;
        if (!m->is_virtual)
            base = expr_value_part(ev->arena, object, m->type, m->offset, 0, 0);
        else if (ev->types_only)
            base = expr_value_at(m->type, 0);
        else if (!expr_virtual_base(ev->world, object, m, &base))
            continue;
        if (m->is_virtual && sym_type_find_member(sym_type_strip(m->type), name, &member) && !member.is_static) {
            *out = expr_value_part(ev->arena, &base, member.type, member.offset, member.bit_offset, member.nbits);
            return true;
        }
        if (find_in_virtual(ev, &base, name, depth + 1, out))
            return true;
    }
    return false;
}

/* ---- s.m and p->m ---------------------------------------------------------------------------- */

/* operator-> of C++, as often as it gives an object that has one. */
static ebb_status follow_arrow(expr_ev *ev, expr_value *object)
{
    enum { MAX_ARROWS = 8 };
    for (int i = 0; i < MAX_ARROWS && is_struct_type(object->type); i++) {
        expr_value pointer;
        ebb_status status = expr_operator_call(ev, "->", object, NULL, &pointer);
        if (status)
            return status == EBB_NOT_FOUND ? EBB_OK : status;
        if (is_struct_type(pointer.type))
            *object = pointer;
        else
            return expr_ev_deref(ev, &pointer, object);
    }
    return EBB_OK;
}

ebb_status expr_ev_object(expr_ev *ev, expr_value *aggregate, bool is_arrow)
{
    if (kind_of(aggregate) == SYM_TYPE_ARRAY && is_arrow) {
        ebb_status status = expr_ev_decay(ev, aggregate);
        if (status)
            return status;
    }
    if (kind_of(aggregate) == SYM_TYPE_POINTER && is_struct_type(pointee(ev, aggregate))) {
        expr_value target;
        ebb_status status = expr_ev_deref(ev, aggregate, &target);
        if (status)
            return status;
        *aggregate = target;
    }
    if (is_arrow && is_struct_type(aggregate->type)) {
        expr_value target; /* an object that stands for a pointer */
        if (expr_library_pointee(ev, aggregate, &target))
            *aggregate = target;
        else
            EBB_TRY(follow_arrow(ev, aggregate));
    }
    if (!is_struct_type(aggregate->type))
        return ebb_fail(ev->err, EBB_BAD_INPUT,
                        "Attempt to extract a component of a value that is not a structure%s.",
                        is_arrow ? " pointer" : "");
    if (aggregate->place.kind != EXPR_PLACE_MEMORY && !ev->types_only) {
        ebb_status status = expr_value_fetch(ev->arena, ev->world, aggregate, ev->err);
        if (status)
            return status;
    }
    return EBB_OK;
}

/* Static members need no object, so a virtual base's are found by the class alone. */
static bool has_static(sym_type *type, const char *name, int depth)
{
    enum { MAX_DEPTH = 16 };
    type = sym_type_strip(type);
    for (size_t i = 0; depth < MAX_DEPTH && i < type->n_members; i++) {
        const sym_member *m = &type->members[i];
        if ((m->is_static && m->name && strcmp(m->name, name) == 0) || (m->is_base && has_static(m->type, name, depth + 1)))
            return true;
    }
    return false;
}

ebb_status expr_ev_member(expr_ev *ev, expr_value *aggregate, const char *name, bool is_arrow,
                          expr_value *out)
{
    sym_member member;
    EBB_TRY(expr_ev_object(ev, aggregate, is_arrow));
    EBB_TRY(expr_rust_form(ev, name, aggregate));
    if (find_in_virtual(ev, aggregate, name, 0, out))
        return EBB_OK;
    bool is_found = sym_type_find_member(sym_type_strip(aggregate->type), name, &member), is_static = !is_found && has_static(aggregate->type, name, 0);
    if (!is_found && !is_static) {
        ebb_status status = expr_method_value(ev, aggregate, name, out);
        return status != EBB_NOT_FOUND ? status : ebb_fail(ev->err, EBB_NOT_FOUND, "There is no member%s named %.200s.", sym_type_strip(aggregate->type)->is_cplus ? " or method" : "", name);
    }
    if (is_static || member.is_static)
        return expr_ev_static_member(ev, sym_type_strip(aggregate->type), name, out);
    *out = expr_value_part(ev->arena, aggregate, member.type, member.offset, member.bit_offset,
                           member.nbits);
    return EBB_OK;
}

/* ---- x@n ------------------------------------------------------------------------------------- */

ebb_status expr_ev_repeat(expr_ev *ev, const expr_value *first, expr_value *count, expr_value *out)
{
    if (first->place.kind != EXPR_PLACE_MEMORY || first->place.nbits)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "Only values in memory can be extended with '@'.");
    if (!sym_type_is_integral(count->type))
        return ebb_fail(ev->err, EBB_BAD_INPUT, "Non-integral right operand for \"@\" operator.");
    uint64_t n, nbytes;
    ebb_status status = expr_ev_to_u64(ev, count, &n);
    if (status)
        return status;
    if (ev->types_only && n == 0)
        n = 1;
    if ((int64_t)n <= 0)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "Invalid number %lld of repetitions.",
                        (long long)n);
    if (__builtin_mul_overflow(n, sym_type_size(first->type), &nbytes) || nbytes > INT64_MAX)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "Too many repetitions: %lld.", (long long)n);
    *out = expr_value_at(sym_type_array_of(ev->world->types, first->type, n), first->place.addr);
    return EBB_OK;
}
