/* vtbl.c - info vtbl: the tables of virtual functions of an object of C++.
 *
 * Each part of an object that begins with a pointer to a table has one; a base that lies where its class lies shares it.  How long a table is, only the
 * classes tell: by the highest place that one of their virtual functions has. */
#include "session/c/c.h"
#include "session/c/scratch.h"
#include "session/c/world.h"

#include "expr/cplus.h"

typedef struct table {
    uint64_t object;   /* where the part begins */
    const char *class; /* the outermost one that begins there */
    int last;          /* the highest place; -1: none */
} table;

typedef EBB_VEC(table) tables;

static table *table_of(tables *found, uint64_t object, const sym_type *type)
{
    for (size_t i = 0; i < found->n; i++)
        if (found->items[i].object == object)
            return &found->items[i];
    table made = {object, type->name ? type->name : "", -1};
    ebb_vec_push(found, made);
    return &found->items[found->n - 1];
}

static void find_tables(session *s, ebb_arena *arena, const expr_value *object, unsigned depth, tables *found)
{
    enum { MAX_DEPTH = 16 };
    sym_type *type = sym_type_strip(object->type);
    if (depth > MAX_DEPTH || !sym_type_is_polymorphic(type))
        return;
    table *own = table_of(found, object->place.addr, type);
    for (size_t i = 0; i < type->n_methods; i++)
        if (type->methods[i].is_virtual && type->methods[i].table_index > own->last)
            own->last = type->methods[i].table_index;
    for (size_t i = 0; i < type->n_members; i++) {
        const sym_member *m = &type->members[i];
        expr_value base;
        if (!m->is_base)
            continue;
        if (!m->is_virtual)
            base = expr_value_part(arena, object, m->type, m->offset, 0, 0);
        else if (!expr_virtual_base(ses_world(s), object, m, &base))
            continue;
        find_tables(s, arena, &base, depth + 1, found);
    }
}

static ebb_status put_table(session *s, const table *t, ebb_buf *text, ebb_error *err)
{
    const expr_world *world = ses_world(s);
    uint64_t at, function;
    EBB_TRY(world->read(world->self, t->object, &at, sizeof at, err));
    ebb_buf_addf(text, "vtable for '%s' @ 0x%lx (subobject @ 0x%lx):\n", t->class, (unsigned long)at, (unsigned long)t->object);
    for (int i = 0; i <= t->last; i++) {
        EBB_TRY(world->read(world->self, at + (uint64_t)i * sizeof function, &function, sizeof function, err));
        ebb_buf_addf(text, "[%d]: 0x%lx ", i, (unsigned long)function);
        (void)world->symbolise(world->self, function, true, text);
        ebb_buf_addc(text, '\n');
    }
    return EBB_OK;
}

static ebb_status put_tables(session *s, ebb_arena *arena, expr_value *object, ebb_buf *text, ebb_error *err)
{
    sym_type *type = sym_type_strip(object->type);
    tables found = {0};
    ebb_status status = EBB_OK;
    size_t n_shown = 0;
    if (type->kind == SYM_TYPE_POINTER && type->target) {
        expr_ev ev = {.arena = arena, .world = ses_world(s), .err = err};
        EBB_TRY(expr_ev_deref(&ev, object, object));
    }
    if (object->place.kind == EXPR_PLACE_MEMORY)
        find_tables(s, arena, object, 0, &found);
    for (size_t i = 0; i < found.n && status == EBB_OK; i++) {
        if (found.items[i].last < 0)
            continue;
        ebb_buf_adds(text, n_shown++ ? "\n" : "");
        status = put_table(s, &found.items[i], text, err);
    }
    if (!n_shown)
        ebb_buf_adds(text, "This object does not have a virtual function table\n");
    ebb_vec_fini(&found);
    return status;
}

ebb_status ses_c_info_vtbl(session *s, const char *expression, ebb_buf *text, ebb_error *err)
{
    ebb_arena arena = {0};
    expr_value value;
    ebb_status status = ses_evaluate_aside(s, &arena, expression, &value, err);
    if (status == EBB_OK)
        status = put_tables(s, &arena, &value, text, err);
    ebb_arena_fini(&arena);
    return status;
}
