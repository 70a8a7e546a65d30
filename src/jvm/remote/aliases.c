/* aliases.c - object flow as the remote machine has it (jvm/flow/flow.h). */
#include "jvm/remote/machine_ops.h"

ebb_status jvm_remote_flow_set(machine *m, const java_flow_choice *choice, ebb_error *err)
{
    jvm_remote *r = jvm_remote_of(m);
    ebb_arena arena = {0};
    jvm_wire_flow_choice q = {.mode = (uint8_t)choice->mode, .no_origins = choice->no_origins, .no_predecessors = choice->no_predecessors,
                              .kinds = choice->kinds, .limit = choice->limit};
    jvm_wire_nothing a;
    q.patterns.items = EBB_ARENA_ARRAY(&arena, jvm_wire_name, choice->n_patterns + 1);
    for (size_t i = 0; i < choice->n_patterns; i++)
        q.patterns.items[q.patterns.n++].text = choice->patterns[i];
    ebb_status status = jvm_remote_ask_flow_set(r, &arena, &q, &a, err);
    r->undo_told = UINT64_MAX; /* it has no log now, and may have to be told to keep one again */
    if (r->fd == r->live_fd)
        r->undo_told_live = UINT64_MAX;
    ebb_arena_fini(&arena);
    return status;
}

ebb_status jvm_remote_flow_extent(machine *m, java_flow_extent *out, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_nothing q = {0};
    jvm_wire_flow_extent a = {0};
    ebb_status status = jvm_remote_ask_flow_extent(jvm_remote_of(m), &arena, &q, &a, err);
    if (status == EBB_OK && a.mode > JAVA_FLOW_NULLS)
        status = jvm_remote_nonsense(err);
    *out = (java_flow_extent){.mode = (enum java_flow_mode)a.mode, .since = a.since, .made = a.made, .alive = a.alive, .nbytes = a.nbytes, .dropped = a.dropped != 0};
    ebb_arena_fini(&arena);
    return status;
}

ebb_status jvm_remote_aliases(machine *m, const java_alias_at *at, java_aliases *out, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_alias_at q = {.what = (uint8_t)at->what, .object = at->object, .offset = at->offset, .nbytes = at->nbytes, .along = at->predecessors,
                           .at_most = at->at_most};
    jvm_wire_aliases a = {0};
    ebb_status status = jvm_remote_ask_aliases(jvm_remote_of(m), &arena, &q, &a, err);
    for (size_t i = 0; status == EBB_OK && i < a.list.n; i++) {
        const jvm_wire_alias *w = &a.list.items[i];
        if (w->kind >= JAVA_N_ALIAS_KINDS)
            status = jvm_remote_nonsense(err);
        else
            ebb_vec_push(out, ((java_alias){.number = w->number, .kind = (java_alias_kind)w->kind, .time = w->time, .place = w->place, .origin = w->origin,
                                            .predecessor = w->predecessor, .context = w->context, .has_value = w->has_value != 0, .value = w->value,
                                            .slot = w->slot, .is_hidden = w->is_hidden != 0}));
    }
    ebb_arena_fini(&arena);
    return status;
}
