/* locals.c - points on local variables, which come and go with their frame.
 *
 * The point names a frame by its number, and the method that the frame is of.  Numbers are given out again: an activation of that method which
 * has that number is *one* of those that the point may be about, and whoever asks wants to know where one ends and the next begins.
 *
 *   awake   the frame is there: stores to the variable are looked at.  A breakpoint of our own stands after the call of the frame;
 *   asleep  in a replay, where the frame is still to come: a breakpoint of our own stands at the first instruction of the method;
 *   over    in the live program, where the frame is gone for good.
 *
 * LP1  a point awakes at the first instruction of an activation, before anything is stored, and that is told (`is_new`);
 * LP2  it stops being awake before another activation can get its frame's number: where the caller goes on, catches
 *      an exception, or returns to C code. */
#include "jvm/agent/internal.h"

#include "jvm/wire/places.h"

bool agent_is_local(const agent_point *p)
{
    return p->kind != MACHINE_POINT_EXEC && p->space == JAVA_SPACE_LOCAL;
}

static uint64_t frame_number(const agent_point *p)
{
    return p->addr & ~(uint64_t)0xffff;
}

/* ---- from one state to another ---- */

static void leave_site(agent_point *p)
{
    if (p->at != NULL)
        agent_site_remove(p->at);
    p->at = NULL;
}

static void awake(agent_point *p, jvm_frame *f)
{
    jvm_frame *caller = f->prev;
    leave_site(p);
    p->frame = f;
    if (caller == NULL || caller->kind != JVM_FRAME_JAVA)
        return; /* called by C code: jvm_agent_returned */
    p->at = (jvm_insn *)caller->pc + 1;
    agent_site_add(caller->method, p->at);
}

/* Asleep, or over. */
static void end_awake(agent_point *p)
{
    jvm_method *m = agent_method(p->method);
    leave_site(p);
    p->frame = NULL;
    if (!agent.is_replay || m == NULL || m->code == NULL)
        return; /* agent_locals_prepared */
    p->at = m->code->insns;
    agent_site_add(m, p->at);
}

static void looks_changed(void)
{
    agent_data_changed();
    agent_choose_trace();
}

/* ---- frames ---- */

jvm_frame *agent_frame_numbered(uint64_t id)
{
    jvm_thread *t = agent_thread(id >> 44);
    jvm_frame *f = t == NULL ? NULL : jvm_top_frame(t);
    while (f != NULL && agent_frame_id(t, f) != id)
        f = jvm_caller_frame(f);
    return f;
}

ebb_status agent_local_set(agent_point *p, ebb_error *err)
{
    jvm_frame *f = agent_frame_numbered(frame_number(p));
    bool is_it = f != NULL && f->kind == JVM_FRAME_JAVA && jvm_method_place(f->method, 0) == p->method;
    if (is_it && (p->addr & 0xffff) < f->method->max_locals)
        awake(p, f);
    else if (agent.is_replay && !is_it)
        end_awake(p);
    else
        return ebb_fail(err, EBB_NOT_FOUND, "No local variable is at %#llx.", (unsigned long long)p->addr);
    return EBB_OK;
}

bool agent_local_get(const agent_point *p, uint64_t *bits)
{
    if (p->frame == NULL)
        return false;
    *bits = p->frame->locals[p->addr & 0xffff].raw;
    return true;
}

bool agent_locals_are_far(const jvm_thread *t, const jvm_frame *f, int64_t slot)
{
    for (size_t i = 0; i < agent.points.n; i++) {
        const agent_point *p = &agent.points.items[i];
        if (!agent_is_local(p) || p->frame == NULL || p->addr >> 44 != t->id)
            continue; /* one that is asleep awakes at a breakpoint */
        if (f < p->frame || (f == p->frame && slot == (int64_t)(p->addr & 0xffff)))
            return false;
    }
    return true;
}

void agent_locals_left(const jvm_thread *t, const jvm_frame *now)
{
    bool changed = false;
    for (size_t i = 0; i < agent.points.n; i++) {
        agent_point *p = &agent.points.items[i];
        if (!agent_is_local(p) || p->frame == NULL || p->addr >> 44 != t->id || now >= p->frame)
            continue;
        end_awake(p);
        changed = true;
    }
    if (changed)
        looks_changed();
}

void agent_locals_entered(const jvm_thread *t, jvm_frame *f, jvm_wire_stop *stop)
{
    bool changed = false;
    for (size_t i = 0; i < agent.points.n; i++) {
        agent_point *p = &agent.points.items[i];
        if (!agent_is_local(p) || p->frame != NULL || p->at != f->pc || agent_frame_id(t, f) != frame_number(p))
            continue;
        awake(p, f);
        changed = true;
        if (agent.quiet || p->kind == MACHINE_POINT_READ || stop->points.n == MACHINE_STOP_MAX_POINTS)
            continue;
        ebb_vec_push(&stop->points, (jvm_wire_number){.value = p->id});
        stop->is_new = true;
    }
    if (changed)
        looks_changed();
}

void jvm_agent_returned(const jvm_thread *t, const jvm_frame *entry)
{
    if (!agent.calling)
        agent_locals_left(t, entry);
}

/* ---- code ---- */

void agent_locals_prepared(jvm_method *m)
{
    for (size_t i = 0; i < agent.points.n; i++) {
        agent_point *p = &agent.points.items[i];
        if (agent_is_local(p) && p->frame == NULL && p->at == NULL && agent_method(p->method) == m)
            end_awake(p);
    }
}

void agent_locals_unloaded(const jvm_class *cls)
{
    for (size_t i = 0; i < agent.points.n; i++) {
        agent_point *p = &agent.points.items[i];
        if (agent_is_local(p) && p->frame == NULL && p->method >> 32 == cls->serial)
            leave_site(p);
    }
}

ebb_status agent_serve_frame_method(const jvm_wire_number *q, jvm_wire_number *a, ebb_arena *arena, ebb_error *err)
{
    const jvm_frame *f = agent_frame_numbered(q->value);
    if (f == NULL)
        return ebb_fail(err, EBB_NOT_FOUND, "No frame is at %#llx.", (unsigned long long)q->value);
    a->value = jvm_method_place(f->method, 0);
    return EBB_OK;
}
