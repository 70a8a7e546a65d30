/* instances.c - objects that are alive: of a class, or which refer to another.
 *
 * Alive is what a collection leaves.  A collection changes the program (it clears references, it counts), so it happens in a copy that is
 * thrown away.  Objects don't move: addresses that are found there are good in the program itself. */
#include "jvm/agent/internal.h"

#include "jvm/heap/heap.h"
#include "jvm/jvm.h"

/* Collects what `fits`, at most so many. */
typedef struct hunt {
    uint64_t of;      /* an object that is referred to; */
    const jvm_class *cls; /* or the class of which it is an instance */
    uint64_t at_most; /* UINT64_MAX: all */
    EBB_VEC(uint64_t) found;
} hunt;

static ebb_status collect(ebb_error *err)
{
    if (!agent.is_scratch)
        return ebb_fail(err, EBB_UNSUPPORTED, "Only a copy to try things out in can be searched for objects.");
    jvm_gc(jvm_self);
    return EBB_OK;
}

static void take(hunt *h, const jvm_obj *o)
{
    if (h->found.n < h->at_most)
        ebb_vec_push(&h->found, (uint64_t)(uintptr_t)o);
}

static void answer(const hunt *h, jvm_wire_numbers *a, ebb_arena *arena)
{
    a->list.items = EBB_ARENA_ARRAY(arena, jvm_wire_number, h->found.n + 1);
    for (size_t i = 0; i < h->found.n; i++)
        a->list.items[a->list.n++].value = h->found.items[i];
}

static uint64_t limit(uint64_t at_most) { return at_most == 0 ? UINT64_MAX : at_most; }

/* ---- of a class ---- */

static void take_if_instance(jvm_obj *o, void *arg)
{
    hunt *h = arg;
    if (o->cls == h->cls)
        take(h, o);
}

ebb_status agent_serve_instances(const jvm_wire_sought *q, jvm_wire_numbers *a, ebb_arena *arena, ebb_error *err)
{
    hunt h = {.cls = agent_class(q->id), .at_most = limit(q->at_most)};
    if (h.cls == NULL)
        return ebb_fail(err, EBB_NOT_FOUND, "No class number %llu is there.", (unsigned long long)q->id);
    EBB_TRY(collect(err));
    jvm_heap_each(take_if_instance, &h);
    answer(&h, a, arena);
    ebb_vec_fini(&h.found);
    return EBB_OK;
}

typedef struct tally {
    const jvm_wire_numbers *classes;
    jvm_wire_numbers *counts;
} tally;

static void count(jvm_obj *o, void *arg)
{
    const tally *t = arg;
    for (size_t i = 0; i < t->classes->list.n; i++)
        t->counts->list.items[i].value += t->classes->list.items[i].value == o->cls->serial;
}

ebb_status agent_serve_instance_counts(const jvm_wire_numbers *q, jvm_wire_numbers *a, ebb_arena *arena, ebb_error *err)
{
    a->list.items = EBB_ARENA_ARRAY(arena, jvm_wire_number, q->list.n + 1);
    for (a->list.n = 0; a->list.n < q->list.n; a->list.n++)
        a->list.items[a->list.n].value = 0;
    EBB_TRY(collect(err));
    tally t = {q, a};
    jvm_heap_each(count, &t);
    return EBB_OK;
}

/* ---- what refers to an object ---- */

static bool has_at(const jvm_obj *o, const uint32_t *offsets, uint32_t n, uint64_t of)
{
    for (uint32_t i = 0; i < n; i++)
        if ((uintptr_t)jvm_get_ref(o, offsets[i]) == of)
            return true;
    return false;
}

static bool has_element(const jvm_obj *array, uint64_t of)
{
    jvm_obj *const *elements = jvm_array_data(array);
    for (int32_t i = 0; i < array->length; i++)
        if ((uintptr_t)elements[i] == of)
            return true;
    return false;
}

/* A class's static variables are its own. */
static bool refers(const jvm_obj *o, uint64_t of)
{
    const jvm_class *cls = o->cls;
    if (cls->kind == JVM_KIND_OBJECT_ARRAY)
        return has_element(o, of);
    if (cls->kind != JVM_KIND_INSTANCE)
        return false;
    if (has_at(o, cls->ref_offsets, cls->nref_offsets, of))
        return true;
    if (cls->ref_kind != JVM_REF_NONE)
        return (uintptr_t)jvm_get_ref(o, jvm.fields.Reference_referent) == of;
    const jvm_class *mirrored = cls == jvm.classes.Class ? jvm_mirror_class(o) : NULL;
    return mirrored != NULL && has_at(o, mirrored->static_refs, mirrored->nstatic_refs, of);
}

static void take_if_refers(jvm_obj *o, void *arg)
{
    hunt *h = arg;
    if (refers(o, h->of))
        take(h, o);
}

ebb_status agent_serve_referrers(const jvm_wire_sought *q, jvm_wire_numbers *a, ebb_arena *arena, ebb_error *err)
{
    hunt h = {.of = q->id, .at_most = limit(q->at_most)};
    EBB_TRY(collect(err));
    if (q->id == 0 || q->id % JVM_OBJECT_ALIGN != 0 || !jvm_heap_holds((void *)(uintptr_t)q->id))
        return ebb_fail(err, EBB_NOT_FOUND, "No object is at %#llx.", (unsigned long long)q->id);
    jvm_heap_each(take_if_refers, &h);
    answer(&h, a, arena);
    ebb_vec_fini(&h.found);
    return EBB_OK;
}
