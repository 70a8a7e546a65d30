/* aliases.c - object flow as ebb asks for it (flow/flow.h). */
#include "jvm/agent/internal.h"

#include "jvm/flow/flow.h"
#include "jvm/heap/heap.h"

ebb_status agent_serve_flow_set(const jvm_wire_flow_choice *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    const char **patterns = EBB_ARENA_ARRAY(arena, const char *, q->patterns.n + 1);
    for (size_t i = 0; i < q->patterns.n; i++)
        patterns[i] = q->patterns.items[i].text;
    return jvm_flow_set(&(jvm_flow_choice){.mode = q->mode, .no_origins = q->no_origins, .no_predecessors = q->no_predecessors, .kinds = q->kinds,
                                           .limit = q->limit, .patterns = patterns, .n_patterns = q->patterns.n}, err);
}

ebb_status agent_serve_flow_extent(const jvm_wire_nothing *q, jvm_wire_flow_extent *a, ebb_arena *arena, ebb_error *err)
{
    jvm_flow_extent e = jvm_flow_get();
    *a = (jvm_wire_flow_extent){.mode = e.mode, .since = e.since, .made = e.made, .alive = e.alive, .nbytes = e.nbytes, .dropped = e.dropped};
    return EBB_OK;
}

/* ---- aliases ---- */

static bool is_hidden(uint64_t place)
{
    const jvm_method *m = agent_method(place);
    return m != NULL && jvm_method_is_hidden(m);
}

static bool add(jvm_wire_aliases *a, uint64_t number, jvm_alias_told *told)
{
    if (!jvm_alias_get(number, told))
        return false;
    a->list.items[a->list.n++] = (jvm_wire_alias){.number = told->number, .kind = told->kind, .time = told->time, .place = told->place, .origin = told->origin,
                                                  .predecessor = told->predecessor, .context = told->context, .has_value = told->has_value,
                                                  .value = told->value, .slot = told->slot, .is_hidden = is_hidden(told->place)};
    return true;
}

static ebb_status object_at(uint64_t address, jvm_obj **o, ebb_error *err)
{
    *o = (jvm_obj *)(uintptr_t)address;
    if (!jvm_heap_holds(*o))
        return ebb_fail(err, EBB_NOT_FOUND, "There is no object at %#llx.", (unsigned long long)address);
    return EBB_OK;
}

static ebb_status slot_of(const jvm_wire_alias_at *q, const jvm_slot **slot, ebb_error *err)
{
    jvm_frame *f = agent_frame_numbered(q->object);
    bool is_stack = q->what == JAVA_ALIAS_OF_STACK;
    if (f == NULL || f->method == NULL || q->offset >= (is_stack ? (size_t)(f->sp - jvm_frame_stack(f)) : f->method->max_locals))
        return ebb_fail(err, EBB_NOT_FOUND, "There is no such slot.");
    *slot = (is_stack ? jvm_frame_stack(f) : f->locals) + q->offset;
    return EBB_OK;
}

static ebb_status field_alias(const jvm_wire_alias_at *q, uint64_t *number, ebb_error *err)
{
    jvm_obj *o;
    EBB_TRY(object_at(q->object, &o, err));
    bool is_small = q->nbytes == 1 || q->nbytes == 2 || q->nbytes == 4 || q->nbytes == 8;
    if (!is_small || q->offset < JVM_HEADER_SIZE || q->offset + q->nbytes > jvm_obj_size(o))
        return ebb_fail(err, EBB_NOT_FOUND, "The object has no such field.");
    *number = jvm_alias_of_address(o, (char *)o + q->offset, q->nbytes);
    return EBB_OK;
}

static ebb_status first_alias(const jvm_wire_alias_at *q, uint64_t *number, ebb_error *err)
{
    const jvm_slot *slot = NULL;
    jvm_obj *o;
    switch (q->what) {
    case JAVA_ALIAS_OF_FIELD:
        return field_alias(q, number, err);
    case JAVA_ALIAS_OF_LOCAL: case JAVA_ALIAS_OF_STACK:
        EBB_TRY(slot_of(q, &slot, err));
        *number = jvm_alias_of_slot(slot);
        return EBB_OK;
    case JAVA_ALIAS_OF_OBJECT:
        EBB_TRY(object_at(q->object, &o, err));
        *number = jvm_alias_of_object(o);
        return EBB_OK;
    default:
        *number = q->object;
        return EBB_OK;
    }
}

static ebb_status travels(const jvm_wire_alias_at *q, jvm_wire_aliases *a, ebb_arena *arena, ebb_error *err)
{
    jvm_obj *o;
    jvm_alias_told told;
    EBB_TRY(object_at(q->object, &o, err));
    uint64_t *numbers = EBB_ARENA_ARRAY(arena, uint64_t, q->at_most + 1);
    size_t n = jvm_alias_travels(o, numbers, q->at_most);
    for (size_t i = 0; i < n; i++)
        (void)add(a, numbers[i], &told);
    return EBB_OK;
}

ebb_status agent_serve_aliases(const jvm_wire_alias_at *q, jvm_wire_aliases *a, ebb_arena *arena, ebb_error *err)
{
    enum { MOST = 1 << 20 };
    uint64_t number = 0;
    jvm_alias_told told;
    if (!jvm_flow_on)
        return ebb_fail(err, EBB_NO_HISTORY, "Object flow is off.");
    if (q->at_most > MOST)
        return ebb_fail(err, EBB_UNSUPPORTED, "At most %d aliases are told at once.", MOST);
    a->list.items = EBB_ARENA_ARRAY(arena, jvm_wire_alias, q->at_most + 1);
    if (q->what == JAVA_ALIAS_TRAVELS)
        return travels(q, a, arena, err);
    EBB_TRY(first_alias(q, &number, err));
    while (a->list.n < q->at_most && add(a, number, &told))
        number = q->along ? told.predecessor : told.origin;
    return EBB_OK;
}
