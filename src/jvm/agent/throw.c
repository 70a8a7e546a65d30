/* throw.c - exceptions on their way.
 *
 * The interpreter comes here each time an exception enters one of its runs: where it is thrown, but also where it comes out
 * of C code that had called Java.  Of one exception ebb is told once per throw: by athrow each time, by anything
 * else unless it is known to be on its way already. */
#include "jvm/agent/internal.h"

#include "jvm/engine/ops.h"
#include "jvm/jvm.h"

#include <string.h>

/* ---- who catches it ---- */

/* What is thrown, as a frame sees it: an object, or (exception NULL) one that C code is going to make of it, whose class may not be loaded
 * yet. */
typedef struct flight {
    const jvm_obj *exception;
    const char *const *names; /* its class, and those that it extends; NULL ends them */
} flight;

#define OF_ERRORS "java/lang/LinkageError", "java/lang/Error", "java/lang/Throwable", NULL
static const char *const invocation_target[] = {"java/lang/reflect/InvocationTargetException", "java/lang/ReflectiveOperationException",
                                                "java/lang/Exception", "java/lang/Throwable", NULL};
static const char *const in_initializer[] = {"java/lang/ExceptionInInitializerError", OF_ERRORS};
static const char *const no_class_def[] = {"java/lang/NoClassDefFoundError", OF_ERRORS};

static bool is_of(const flight *x, const char *name)
{
    for (size_t i = 0; x->exception == NULL && x->names[i] != NULL; i++)
        if (strcmp(x->names[i], name) == 0)
            return true;
    for (const jvm_class *c = x->exception == NULL ? NULL : x->exception->cls; c != NULL; c = c->super)
        if (jvm_sym_is(c->name, name))
            return true;
    return false;
}

/* A catch clause may name a class that nobody loaded yet, and looking must not load it: compare names then. */
static bool catches(const jvm_method *m, uint16_t type, const flight *x)
{
    const jvm_class *resolved = m->cls->pool.resolved[type].cls;
    if (resolved != NULL && x->exception != NULL)
        return jvm_instance_of(x->exception, resolved);
    return is_of(x, jvm_cp_class_name(m->cls, type)->text);
}

/* finally and synchronized blocks catch everything only to throw it on; javac writes them without a type. */
static bool frame_handles(const jvm_frame *f, const flight *x)
{
    const jvm_method *m = f->method;
    uint32_t bci = (uint32_t)jvm_frame_bci(f);
    for (uint16_t i = 0; i < m->nhandlers; i++) {
        const jvm_handler *h = &m->handlers[i];
        if (h->type != 0 && bci >= h->start && bci < h->end && catches(m, h->type, x))
            return true;
    }
    return false;
}

/* What a JVM's own debugger calls the place of the catch: the first handler, one of `finally` too.  0: none. */
static machine_place caught_at(const jvm_thread *t, const jvm_obj *exception)
{
    flight x = {.exception = exception};
    for (const jvm_frame *f = t->frame; f != NULL; f = f->prev) {
        uint32_t bci = f->kind == JVM_FRAME_JAVA ? (uint32_t)jvm_frame_bci(f) : 0;
        for (uint16_t i = 0; f->kind == JVM_FRAME_JAVA && i < f->method->nhandlers; i++) {
            const jvm_handler *h = &f->method->handlers[i];
            if (bci >= h->start && bci < h->end && (h->type == 0 || catches(f->method, h->type, &x)))
                return (jvm_frame_place(f) & ~(machine_place)0xffff) | h->target;
        }
    }
    return 0;
}

static bool is_reflection(const jvm_frame *f)
{
    const jvm_sym *cls = f->kind == JVM_FRAME_NATIVE ? f->method->cls->name : NULL;
    return cls != NULL && (jvm_sym_is(cls, "jdk/internal/reflect/NativeMethodAccessorImpl") ||
                           jvm_sym_is(cls, "jdk/internal/reflect/NativeConstructorAccessorImpl"));
}

/* `f` was called by C code on behalf of `outer`: what comes out there. */
static flight through_c(flight x, const jvm_frame *f, const jvm_frame *outer)
{
    if (jvm_sym_is(f->method->name, "<clinit>") && !is_of(&x, "java/lang/Error"))
        return (flight){.names = in_initializer};
    if (is_reflection(outer))
        return (flight){.names = invocation_target};
    bool resolves = outer->kind == JVM_FRAME_JAVA && jvm_sym_is(f->method->name, "loadClass");
    if (resolves && is_of(&x, "java/lang/ClassNotFoundException"))
        return (flight){.names = no_class_def};
    return x;
}

static bool is_uncaught(const jvm_thread *t, const jvm_obj *exception)
{
    flight x = {.exception = exception};
    for (const jvm_frame *f = t->frame; f != NULL; f = f->prev) {
        if (f->kind != JVM_FRAME_JAVA)
            continue;
        if (frame_handles(f, &x))
            return false;
        bool by_c = f->prev != NULL && f->prev->kind == JVM_FRAME_ENTRY && f->prev->prev != NULL;
        if (by_c)
            x = through_c(x, f, f->prev->prev);
    }
    return true;
}

/* ---- moments ---- */

/* A throw is a moment of its own, between two bytecodes of no thread: a position that has just its timestamp means it. */
static bool is_sought(const jvm_thread *t, jvm_wire_stop *stop)
{
    uint64_t time = jvm_time();
    machine_place place = agent_thread_place(t);
    if (!agent.running || agent.calling)
        return false;
    if (agent.is_replay && time == agent.newest_time && place >= agent.newest_place)
        stop->kind = MACHINE_STOP_HISTORY_END;
    else if (agent.until && time == agent.until_time && place >= agent.until_place)
        stop->kind = MACHINE_STOP_POSITION;
    else
        return false;
    return true;
}

static bool is_athrow(const jvm_frame *f)
{
    return f != NULL && f->kind == JVM_FRAME_JAVA && f->method->bytes[jvm_frame_bci(f)] == JVM_OP_athrow;
}

/* Whether somebody wants to know of it. */
static bool is_event(jvm_thread *t, jvm_wire_stop *stop)
{
    agent_step_thrown(t);
    bool known = t->thrown == t->exception && !is_athrow(t->frame);
    bool all = agent.events & 1u << MACHINE_EVENT_THROW, uncaught = agent.events & 1u << MACHINE_EVENT_UNCAUGHT;
    t->thrown = t->exception;
    if (known || !agent_may_stop() || (!all && !uncaught))
        return false;
    *stop = (jvm_wire_stop){.kind = MACHINE_STOP_THROW, .object = (uintptr_t)t->exception};
    stop->is_uncaught = is_uncaught(t, t->exception);
    stop->caught_at = caught_at(t, t->exception);
    return all || stop->is_uncaught;
}

void jvm_agent_thrown(jvm_thread *t)
{
    jvm_wire_stop stop = {0};
    if (is_event(t, &stop) || is_sought(t, &stop))
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
