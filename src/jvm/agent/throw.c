/* throw.c - exceptions on their way.
 *
 * The interpreter comes here each time an exception enters one of its runs: where it is thrown, but also where it comes out
 * of C code that had called Java.  Of one exception ebb is told once per throw: by athrow each time, by anything
 * else unless it is known to be on its way already. */
#include "jvm/agent/internal.h"

#include "jvm/engine/ops.h"

/* A catch clause may name a class that nobody loaded yet, and looking must not load it: compare names then. */
static bool catches(const jvm_method *m, uint16_t type, const jvm_obj *exception)
{
    if (type == 0)
        return true;
    const jvm_class *resolved = m->cls->pool.resolved[type].cls;
    if (resolved != NULL)
        return jvm_instance_of(exception, resolved);
    const jvm_sym *name = jvm_cp_class_name(m->cls, type);
    for (const jvm_class *c = exception->cls; c != NULL; c = c->super)
        if (c->name == name)
            return true;
    return false;
}

/* finally and synchronized blocks catch everything only to throw it on; javac writes them without a type. */
static bool frame_handles(const jvm_frame *f, const jvm_obj *exception)
{
    const jvm_method *m = f->method;
    uint32_t bci = (uint32_t)jvm_frame_bci(f);
    for (uint16_t i = 0; i < m->nhandlers; i++) {
        const jvm_handler *h = &m->handlers[i];
        if (h->type != 0 && bci >= h->start && bci < h->end && catches(m, h->type, exception))
            return true;
    }
    return false;
}

static bool is_uncaught(const jvm_thread *t, const jvm_obj *exception)
{
    for (const jvm_frame *f = jvm_top_frame(t); f != NULL; f = jvm_caller_frame(f))
        if (f->kind == JVM_FRAME_JAVA && frame_handles(f, exception))
            return false;
    return true;
}

static bool is_athrow(const jvm_frame *f)
{
    return f != NULL && f->kind == JVM_FRAME_JAVA && f->method->bytes[jvm_frame_bci(f)] == JVM_OP_athrow;
}

void jvm_agent_thrown(jvm_thread *t)
{
    bool known = t->thrown == t->exception && !is_athrow(t->frame);
    t->thrown = t->exception;
    if (known || !agent_may_stop())
        return;
    jvm_wire_stop stop = {.kind = MACHINE_STOP_THROW, .object = (uintptr_t)t->exception};
    bool all = agent.events & 1u << MACHINE_EVENT_THROW, uncaught = agent.events & 1u << MACHINE_EVENT_UNCAUGHT;
    if (!all && !uncaught)
        return;
    stop.is_uncaught = is_uncaught(t, t->exception);
    if (all || stop.is_uncaught)
        agent_stop(t, &stop);
}

void jvm_agent_caught(jvm_thread *t, jvm_obj *exception)
{
    t->thrown = NULL;
    if (agent.calling)
        return;
    if (agent.n_locals > 0)
        agent_locals_left(t, t->frame);
    if (agent.step.active && agent.step.thread == t && t->frame <= agent.step.frame)
        agent_step_stop_waiting();
    if (!(agent.events & 1u << MACHINE_EVENT_CATCH) || !agent_may_stop())
        return;
    jvm_wire_stop stop = {.kind = MACHINE_STOP_CATCH, .object = (uintptr_t)exception};
    agent_stop(t, &stop);
}
