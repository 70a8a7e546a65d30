/* undo.c - the undo log as ebb asks for it (undo/undo.h). */
#include "jvm/agent/internal.h"

#include "jvm/engine/interp.h"
#include "jvm/record/edits.h"
#include "jvm/undo/undo.h"
#include "jvm/undo/apart.h"

ebb_status agent_serve_undo_set(const jvm_wire_number *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    if (!jvm_undo_set(q->value))
        return ebb_fail(err, EBB_SYSTEM, "There is no room for an undo log of %llu bytes.", (unsigned long long)q->value);
    return EBB_OK;
}

ebb_status agent_serve_undo_choose(const jvm_wire_undo_choice *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    const char **patterns = EBB_ARENA_ARRAY(arena, const char *, q->patterns.n + 1);
    for (size_t i = 0; i < q->patterns.n; i++)
        patterns[i] = q->patterns.items[i].text;
    jvm_undo_choose(patterns, q->patterns.n, q->first_method);
    return EBB_OK;
}

ebb_status agent_serve_undo_extent(const jvm_wire_nothing *q, jvm_wire_undo_extent *a, ebb_arena *arena, ebb_error *err)
{
    jvm_undo_extent e = jvm_undo_get();
    *a = (jvm_wire_undo_extent){.capacity = e.capacity, .used = e.used, .n_checkpoints = e.n_checkpoints, .oldest = e.oldest,
                                .cut_by = e.cut_by};
    return EBB_OK;
}

ebb_status agent_serve_rewind(const jvm_wire_position *q, jvm_wire_rewound *a, ebb_arena *arena, ebb_error *err)
{
    if (!agent.is_replay)
        return ebb_fail(err, EBB_UNSUPPORTED, "Only a copy that replays can be rewound.");
    bool is_edited = ebb_edits_have(jvm_edits(), (ebb_position){q->time, q->place}); /* ED1: that moment is before the edit, the log's is after it */
    agent.rewinds = agent.no_answer = !agent.calling && !is_edited && jvm_undo_reaches(q->time, q->place);
    return EBB_OK;
}

/* ---- one thread alone ---- */

ebb_status agent_serve_thread_state(const jvm_wire_thread_moment *q, jvm_wire_thread_state *a, ebb_arena *arena, ebb_error *err)
{
    jvm_thread *t = agent_thread(q->tid);
    if (t == NULL)
        return ebb_fail(err, EBB_NOT_FOUND, "There was no thread %llu.", (unsigned long long)q->tid);
    return jvm_apart_get(t, q->time, q->place, a, arena, err);
}

ebb_status agent_serve_thread_back(const jvm_wire_thread_state *q, jvm_wire_rewound *a, ebb_arena *arena, ebb_error *err)
{
    jvm_thread *t = agent_thread(q->tid);
    if (t == NULL)
        return ebb_fail(err, EBB_NOT_FOUND, "There is no thread %llu.", (unsigned long long)q->tid);
    if (!agent.is_replay || agent.is_scratch)
        return ebb_fail(err, EBB_UNSUPPORTED, "A thread goes back alone in a copy that replays.");
    EBB_TRY(jvm_apart_put(t, q, err));
    agent.is_apart = true;
    *a = (jvm_wire_rewound){.reached = true, .time = jvm_time(), .place = agent_thread_place(t), .thread = t->id};
    if (t == jvm_self)
        agent.rewinds = agent.no_answer = true;
    else
        jvm_interpret_again_later(t);
    return EBB_OK;
}

/* As after a restore: at a stop, at which nothing is waited for. */
void jvm_agent_arrived(jvm_thread *t)
{
    if (!agent.rewinds) /* a thread that went back alone gets its turn */
        return;
    jvm_wire_rewound a = {.reached = true, .time = jvm_time(), .place = agent_thread_place(t), .thread = t->id};
    ebb_buf out = {0};
    agent.rewinds = agent.no_answer = false;
    agent.here = (agent_moment){t, t->frame, t->frame->pc, jvm_time()}; /* it isn't stopped at again (AG3) */
    agent.wanted = 0;
    agent_data_forget();
    jvm_wire_put_rewound(&out, &a);
    agent_answer(agent.is_apart ? JVM_WIRE_CODE_thread_back : JVM_WIRE_CODE_rewind, EBB_OK, &out, NULL);
    ebb_buf_fini(&out);
    agent_serve();
}
