/* member_pointer.c - see cplus.h.  As the ABI of C++ has them: a pointer to a data member is an offset, -1 is none; one to a function is
 * an address, or 1 + an offset into the table of a virtual one, and what is added to `this`. */
#include "expr/cplus.h"

#include <string.h>

bool expr_word_value(expr_ev *ev, const expr_node *name, expr_value *out)
{
    bool is_true = strcmp(name->name, "true") == 0;
    if (name->scope || !ev->world->find_functions)
        return false;
    if (strcmp(name->name, "nullptr") == 0) {
        *out = expr_value_of_u64(ev->arena, sym_type_pointer_to(ev->world->types, expr_ev_basic(ev, "void")), 0);
        return true;
    }
    sym_type *type = ev->world->find_type(ev->world->self, SYM_TYPE_TYPEDEF, "bool"); /* C's is a macro */
    if (!type || (!is_true && strcmp(name->name, "false") != 0))
        return false;
    *out = expr_value_of_u64(ev->arena, type, is_true);
    return true;
}

static expr_value made(expr_ev *ev, sym_type *owner, sym_type *target, uint64_t first)
{
    sym_type *type = sym_types_add(ev->world->types, SYM_TYPE_MEMBER_POINTER);
    type->owner = owner;
    type->target = target;
    type->nbytes = sym_type_strip(target)->kind == SYM_TYPE_FUNCTION ? 16 : 8;
    uint8_t bytes[16] = {0};
    memcpy(bytes, &first, sizeof first);
    return expr_value_of_bytes(ev->arena, type, bytes);
}

bool expr_member_pointer(expr_ev *ev, const expr_node *name, expr_value *out)
{
    sym_member member;
    sym_type *owner = name->scope && *name->scope ? ev->world->find_type(ev->world->self, SYM_TYPE_TYPEDEF, name->scope) : NULL;
    if (!owner)
        return false;
    sym_type *type = sym_type_strip(owner);
    if (type->kind != SYM_TYPE_STRUCT && type->kind != SYM_TYPE_UNION)
        return false;
    if (sym_type_find_member(type, name->name, &member)) {
        if (!member.is_static)
            *out = made(ev, owner, member.type, member.offset);
        return !member.is_static;
    }
    for (size_t i = 0; i < type->n_methods; i++) {
        const sym_method *m = &type->methods[i];
        uint64_t addr;
        if (strcmp(m->name, name->name) != 0 || m->is_static)
            continue;
        if (m->is_virtual && m->table_index >= 0)
            addr = 1 + (uint64_t)m->table_index * sizeof addr;
        else if (!m->linkage_name || !ev->world->find_linked(ev->world->self, m->linkage_name, &addr))
            continue;
        *out = made(ev, owner, m->type, addr);
        return true;
    }
    return false;
}

static ebb_status open_pointer(expr_ev *ev, expr_value *pointer, uint64_t parts[2])
{
    if (sym_type_strip(pointer->type)->kind != SYM_TYPE_MEMBER_POINTER)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "not implemented: pointer-to-method in pointer-to-member construct");
    EBB_TRY(expr_ev_fetch(ev, pointer));
    parts[1] = 0;
    memcpy(parts, pointer->bytes, (size_t)sym_type_size(pointer->type));
    return EBB_OK;
}

/* The object, as the class that the pointer is for. */
static ebb_status open_object(expr_ev *ev, expr_value *object, const expr_value *pointer, bool is_arrow)
{
    expr_value base;
    EBB_TRY(expr_ev_object(ev, object, is_arrow));
    if (!expr_base_of(ev, object, sym_type_strip(pointer->type)->owner, &base))
        return ebb_fail(ev->err, EBB_BAD_INPUT, "The object is not of the class that the pointer to a member is for.");
    *object = base;
    return EBB_OK;
}

ebb_status expr_member_at(expr_ev *ev, expr_value *object, expr_value *pointer, bool is_arrow, expr_value *out)
{
    uint64_t parts[2];
    EBB_TRY(open_pointer(ev, pointer, parts));
    EBB_TRY(open_object(ev, object, pointer, is_arrow));
    sym_type *type = sym_type_strip(pointer->type);
    if (sym_type_strip(type->target)->kind == SYM_TYPE_FUNCTION)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "A pointer to a member function can only be called.");
    if (parts[0] == UINT64_MAX)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "The pointer to a member is null.");
    *out = expr_value_part(ev->arena, object, type->target, parts[0], 0, 0);
    return EBB_OK;
}

ebb_status expr_member_at_call(expr_ev *ev, const expr_node *callee, const expr_args *args, expr_value *out)
{
    expr_value object, pointer;
    uint64_t parts[2], table;
    EBB_TRY(expr_ev_node(ev, callee->left, &object));
    EBB_TRY(expr_ev_node(ev, callee->right, &pointer));
    EBB_TRY(open_pointer(ev, &pointer, parts));
    EBB_TRY(open_object(ev, &object, &pointer, callee->op == EXPR_OP_ARROW_AT));
    sym_type *type = sym_type_strip(sym_type_strip(pointer.type)->target);
    if (type->kind != SYM_TYPE_FUNCTION || !type->has_this)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "Invalid data type for function to be called.");
    if (args->n + 1 != type->n_params)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "Too %s arguments in function call.", args->n + 1 < type->n_params ? "few" : "many");
    if (ev->types_only) {
        *out = (expr_value){.type = type->target ? type->target : expr_ev_basic(ev, "void")};
        return EBB_OK;
    }
    if (!parts[0])
        return ebb_fail(ev->err, EBB_BAD_INPUT, "The pointer to a member is null.");
    const expr_world *world = ev->world;
    uint64_t self = object.place.addr + parts[1], addr = parts[0];
    if (addr & 1) {
        EBB_TRY(world->read(world->self, self, &table, sizeof table, ev->err));
        EBB_TRY(world->read(world->self, table + addr - 1, &addr, sizeof addr, ev->err));
    }
    expr_value *passed = EBB_ARENA_ARRAY(ev->arena, expr_value, args->n + 1);
    passed[0] = expr_value_of_u64(ev->arena, type->params[0], self);
    for (size_t i = 0; i < args->n; i++) {
        passed[i + 1] = args->items[i];
        EBB_TRY(expr_overload_pass(ev, type->params[i + 1], &passed[i + 1]));
        EBB_TRY(expr_ev_fetch(ev, &passed[i + 1]));
    }
    expr_call call = {addr, type, passed, args->n + 1};
    return world->call(world->self, ev->arena, &call, out, ev->err);
}

ebb_status expr_dynamic_cast(expr_ev *ev, const expr_node *node, expr_value *out)
{
    expr_value pointer, object, whole, part;
    uint64_t addr;
    sym_type *to = sym_type_strip(node->type);
    EBB_TRY(expr_ev_node(ev, node->left, &pointer));
    sym_type *from = sym_type_strip(pointer.type);
    if (to->kind != SYM_TYPE_POINTER || from->kind != SYM_TYPE_POINTER || !from->target)
        return ebb_fail(ev->err, EBB_BAD_INPUT, "dynamic_cast takes a pointer to a class, and makes one.");
    EBB_TRY(expr_ev_to_u64(ev, &pointer, &addr));
    if (ev->types_only || !addr) {
        *out = expr_value_of_u64(ev->arena, node->type, 0);
        return EBB_OK;
    }
    object = expr_value_at(from->target, addr);
    if (!expr_dynamic_object(ev, &object, &whole))
        return ebb_fail(ev->err, EBB_UNAVAILABLE, "The class that the object really is of isn't known.");
    bool is_void = !to->target || sym_type_strip(to->target)->kind == SYM_TYPE_VOID;
    addr = is_void ? whole.place.addr : expr_base_of(ev, &whole, to->target, &part) ? part.place.addr : 0;
    *out = expr_value_of_u64(ev->arena, node->type, addr);
    return EBB_OK;
}
