/* instances.c - objects that are alive, and the monitors that frames hold: asked of the agent. */
#include "jvm/remote/line.h"

/* Looked for in a copy: a new one, unless one is there. */
static ebb_status begin(machine *m, bool *is_own, ebb_error *err)
{
    *is_own = false;
    if (!jvm_remote_has_copies(m))
        return ebb_fail(err, EBB_UNSUPPORTED, "A stock JVM is not asked for its objects.");
    if (jvm_remote_in_scratch(m))
        return EBB_OK;
    EBB_TRY(jvm_remote_scratch_begin(m, err));
    *is_own = true;
    return EBB_OK;
}

static void end(machine *m, bool is_own)
{
    if (is_own)
        jvm_remote_scratch_end(m);
}

typedef ebb_status sought_fn(jvm_remote *r, ebb_arena *arena, const jvm_wire_sought *q, jvm_wire_numbers *a, ebb_error *err);

static ebb_status look_for(machine *m, sought_fn *ask, jvm_wire_sought q, java_refs *out, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_numbers a = {0};
    bool is_own;
    EBB_TRY(begin(m, &is_own, err));
    ebb_status status = ask(jvm_remote_of(m), &arena, &q, &a, err);
    for (size_t i = 0; status == EBB_OK && i < a.list.n; i++)
        ebb_vec_push(out, a.list.items[i].value);
    ebb_arena_fini(&arena);
    end(m, is_own);
    return status;
}

ebb_status jvm_remote_instances(machine *m, java_class_id cls, uint64_t at_most, java_refs *out, ebb_error *err)
{
    return look_for(m, jvm_remote_ask_instances, (jvm_wire_sought){.id = cls, .at_most = at_most}, out, err);
}

ebb_status jvm_remote_referrers(machine *m, java_ref object, uint64_t at_most, java_refs *out, ebb_error *err)
{
    return look_for(m, jvm_remote_ask_referrers, (jvm_wire_sought){.id = object, .at_most = at_most}, out, err);
}

ebb_status jvm_remote_instance_counts(machine *m, const java_class_ids *classes, java_counts *out, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_numbers q = {0}, a = {0};
    bool is_own;
    q.list.items = EBB_ARENA_ARRAY(&arena, jvm_wire_number, classes->n + 1);
    for (; q.list.n < classes->n; q.list.n++)
        q.list.items[q.list.n].value = classes->items[q.list.n];
    ebb_status status = begin(m, &is_own, err);
    if (status == EBB_OK) {
        status = jvm_remote_ask_instance_counts(jvm_remote_of(m), &arena, &q, &a, err);
        if (status == EBB_OK && a.list.n != classes->n)
            status = jvm_remote_nonsense(err);
        for (size_t i = 0; status == EBB_OK && i < a.list.n; i++)
            ebb_vec_push(out, a.list.items[i].value);
        end(m, is_own);
    }
    ebb_arena_fini(&arena);
    return status;
}

ebb_status jvm_remote_frame_locks(machine *m, machine_tid tid, java_frame_locks *out, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_number q = {.value = (uint64_t)tid};
    jvm_wire_frame_locks a = {0};
    ebb_status status = jvm_remote_ask_frame_locks(jvm_remote_of(m), &arena, &q, &a, err);
    for (size_t i = 0; status == EBB_OK && i < a.list.n; i++)
        ebb_vec_push(out, ((java_frame_lock){a.list.items[i].object, a.list.items[i].level == UINT32_MAX ? -1 : (int)a.list.items[i].level}));
    ebb_arena_fini(&arena);
    return status;
}
