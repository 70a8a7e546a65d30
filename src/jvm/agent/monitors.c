/* monitors.c - threads that wait for the lock of an object, or at it for a notification.
 *
 * A thread that is about to wait is stopped in the middle of an instruction, or of the native method Object.wait.  Nothing has changed since
 * the instruction began, so that is the same moment; where no instruction begins there (a synchronized method that was called, a native one)
 * the moment is met here by who goes to it.  That it has waited is told before its next instruction. */
#include "jvm/agent/internal.h"

#include "jvm/jvm.h"

static bool is_asked_for(machine_event event)
{
    return (agent.events & 1u << event) != 0 && agent_may_stop();
}

static bool is_sought(const jvm_thread *t, jvm_wire_stop *stop)
{
    ebb_position now = {jvm_time(), agent_thread_place(t)};
    if (!agent.running || agent.calling)
        return false;
    if (agent.is_replay && now.timestamp == agent.newest_time && now.place == agent.newest_place)
        stop->kind = MACHINE_STOP_HISTORY_END;
    else if (agent.until && now.timestamp == agent.until_time && now.place == agent.until_place)
        stop->kind = MACHINE_STOP_POSITION;
    else
        return false;
    return true;
}

static void begins(jvm_thread *t, machine_event event, jvm_wire_stop *stop)
{
    const agent_moment now = {t, t->frame, t->frame == NULL ? NULL : t->frame->pc, jvm_time()};
    bool is_here = agent_moment_same(&now, &agent.here); /* its instruction was looked at: who goes to it has been told */
    if (is_asked_for(event) || (!is_here && is_sought(t, stop)))
        agent_stop(t, stop);
}

static void ended(const jvm_thread *t, machine_event event, agent_lock_event e)
{
    if (!is_asked_for(event))
        return;
    e.thread = t;
    e.place = agent_thread_place(t);
    ebb_vec_push(&agent.lock_events, e);
    agent_choose_trace();
}

void jvm_agent_lock_blocks(jvm_thread *t, const jvm_obj *o)
{
    jvm_wire_stop stop = {.kind = MACHINE_STOP_LOCK_BLOCKED, .object = (uintptr_t)o};
    begins(t, MACHINE_EVENT_LOCK_BLOCKED, &stop);
}

void jvm_agent_lock_entered(const jvm_thread *t, const jvm_obj *o)
{
    ended(t, MACHINE_EVENT_LOCK_ENTERED, (agent_lock_event){.kind = MACHINE_STOP_LOCK_ENTERED, .object = (uintptr_t)o});
}

void jvm_agent_waits(jvm_thread *t, const jvm_obj *o, int64_t millis)
{
    jvm_wire_stop stop = {.kind = MACHINE_STOP_WAIT, .object = (uintptr_t)o, .was = (uint64_t)millis};
    begins(t, MACHINE_EVENT_WAIT, &stop);
}

void jvm_agent_waited(const jvm_thread *t, const jvm_obj *o, bool timed_out)
{
    ended(t, MACHINE_EVENT_WAITED, (agent_lock_event){.kind = MACHINE_STOP_WAITED, .object = (uintptr_t)o, .detail = timed_out});
}

void agent_tell_lock_events(jvm_thread *t)
{
    for (size_t i = 0; i < agent.lock_events.n;) {
        agent_lock_event e = agent.lock_events.items[i];
        if (e.thread != t) {
            i++;
            continue;
        }
        ebb_vec_remove(&agent.lock_events, i);
        jvm_wire_stop stop = {.kind = e.kind, .object = e.object, .was = e.detail, .caused_by = e.place};
        agent_stop(t, &stop);
    }
    agent_choose_trace();
}
