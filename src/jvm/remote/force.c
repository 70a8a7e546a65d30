/* force.c - a thread is made to leave its method: asked of the agent. */
#include "jvm/remote/line.h"

typedef ebb_status force_fn(jvm_remote *r, ebb_arena *arena, const jvm_wire_local_at *q, jvm_wire_nothing *a, ebb_error *err);

static ebb_status force(machine *m, force_fn *ask, jvm_wire_local_at q, ebb_error *err)
{
    ebb_arena arena = {0};
    jvm_wire_nothing a;
    ebb_status status = ask(jvm_remote_of(m), &arena, &q, &a, err);
    ebb_arena_fini(&arena);
    return status;
}

ebb_status jvm_remote_return_early(machine *m, machine_tid tid, java_word value, ebb_error *err)
{
    jvm_wire_local_at q = {.tid = (uint64_t)tid, .type = jvm_remote_to_type(value), .bits = jvm_remote_to_bits(value)};
    return force(m, jvm_remote_ask_return_early, q, err);
}

ebb_status jvm_remote_pop_frames(machine *m, machine_tid tid, unsigned level, ebb_error *err)
{
    return force(m, jvm_remote_ask_pop_frames, (jvm_wire_local_at){.tid = (uint64_t)tid, .level = level}, err);
}

ebb_status jvm_remote_throw_in(machine *m, machine_tid tid, java_ref exception, ebb_error *err)
{
    return force(m, jvm_remote_ask_throw_in, (jvm_wire_local_at){.tid = (uint64_t)tid, .type = 'L', .bits = exception}, err);
}
