/* force.c - a thread is made to leave the method that it is in: by a return before its time, by an exception, or as if the method had
 * never been called.
 *
 * That happens between two bytecodes of the thread: at once if it is the one that stopped there, else when it gets its turn.  What is asked
 * for is an edit (edits.c), so a replay does it again.
 *
 * AF1  what waits is of the thread's innermost frame, and is taken when that frame is about to execute its next bytecode;
 * AF2  the monitors that a frame entered are given back when it is left so. */
#include "jvm/agent/internal.h"

#include "jvm/engine/interp.h"
#include "jvm/engine/ops.h"
#include "jvm/heap/handles.h"
#include "jvm/record/record.h"
#include "jvm/threads/monitor.h"
#include "jvm/threads/thread_dump.h"
#include "jvm/undo/undo.h"
#include "jvm/jvm.h"

#include <string.h>

/* ---- whom ---- */

static bool is_between_bytecodes(const jvm_thread *t)
{
    if (t == jvm_self)
        return agent.in_look;
    return t->state == JVM_THREAD_RUNNABLE && t->runnable && t->blocked_on == NULL && t->wait_fd < 0;
}

static ebb_status thread_to_force(uint64_t tid, jvm_thread **t, ebb_error *err)
{
    *t = agent_thread(tid);
    if (*t == NULL)
        return ebb_fail(err, EBB_NOT_FOUND, "No thread %llu is there.", (unsigned long long)tid);
    const jvm_frame *f = (*t)->frame;
    if (f == NULL || f->kind != JVM_FRAME_JAVA || (*t)->exception != NULL || !is_between_bytecodes(*t))
        return ebb_fail(err, EBB_UNSUPPORTED, "That thread is in the middle of something: it is in native code, waits, or throws an exception.");
    return EBB_OK;
}

/* ---- a return ---- */

static bool is_below_named(const jvm_class *cls, const char *name, size_t nbytes)
{
    for (; cls != NULL; cls = cls->super) {
        if (strlen(cls->name->text) == nbytes && memcmp(cls->name->text, name, nbytes) == 0)
            return true;
        for (uint16_t i = 0; i < cls->ninterfaces; i++)
            if (is_below_named(cls->interfaces[i], name, nbytes))
                return true;
    }
    return false;
}

/* By names: looking must not load anything. */
static bool fits(const jvm_class *cls, const char *descriptor)
{
    if (descriptor[0] == 'L')
        return is_below_named(cls, descriptor + 1, strlen(descriptor) - 2);
    if (descriptor[0] != '[')
        return cls->kind == JVM_KIND_PRIMITIVE && cls->element_type == descriptor[0];
    return jvm_class_is_array(cls) && fits(cls->component, descriptor + 1);
}

static bool may_return(const jvm_method *m, const jvm_wire_local_at *q, jvm_slot *value)
{
    bool is_reference = m->ret == 'L' || m->ret == '[';
    value->raw = 0;
    if (q->type != (uint8_t)(is_reference ? 'L' : m->ret))
        return false;
    if (m->ret == 'V')
        return true;
    if (!agent_slot(m->ret, q->bits, value))
        return false;
    return !is_reference || value->a == NULL || fits(value->a->cls, strchr(m->sig->text, ')') + 1);
}

static void add_forced(agent_forced forced)
{
    for (size_t i = agent.forced.n; i-- > 0;)
        if (agent.forced.items[i].thread == forced.thread) { /* the newest holds */
            if (agent.forced.items[i].object != NULL)
                jvm_global_delete(agent.forced.items[i].object);
            ebb_vec_remove(&agent.forced, i);
        }
    ebb_vec_push(&agent.forced, forced);
    agent_choose_trace();
}

ebb_status agent_serve_return_early(const jvm_wire_local_at *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    jvm_thread *t;
    jvm_slot value;
    EBB_TRY(thread_to_force(q->tid, &t, err));
    if (!may_return(t->frame->method, q, &value))
        return ebb_fail(err, EBB_BAD_INPUT, "The method returns something else.");
    agent_forced forced = {.thread = t, .frame = t->frame, .value = value};
    if (q->type == 'L' && value.a != NULL)
        forced.object = jvm_global_new(value.a);
    add_forced(forced);
    return EBB_OK;
}

/* ---- an exception ---- */

ebb_status agent_serve_throw_in(const jvm_wire_local_at *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    jvm_thread *t = agent_thread(q->tid);
    jvm_slot value;
    if (t == NULL)
        return ebb_fail(err, EBB_NOT_FOUND, "No thread %llu is there.", (unsigned long long)q->tid);
    if (!agent_slot('L', q->bits, &value) || value.a == NULL || !jvm_instance_of(value.a, jvm.classes.Throwable))
        return ebb_fail(err, EBB_BAD_INPUT, "That can't be thrown.");
    if (t == jvm_self && agent.in_look)
        add_forced((agent_forced){.thread = t, .frame = t->frame, .is_thrown = true, .object = jvm_global_new(value.a)});
    else
        jvm_thread_leave_exception(t, value.a);
    return EBB_OK;
}

/* ---- when the time has come ---- */

/* AF2 */
static void give_back_monitors(jvm_thread *t, const jvm_frame *f, bool also_of_method)
{
    jvm_obj_list held = {0};
    jvm_frame_monitors(t, f, &held);
    size_t n = held.n - (f->lock != NULL && held.n > 0 && !also_of_method);
    for (size_t i = 0; i < n; i++)
        (void)!jvm_monitor_exit(t, held.items[i]);
    ebb_vec_fini(&held);
}

static uint16_t begin_return(jvm_thread *t, jvm_frame *f, jvm_slot value)
{
    char type = f->method->ret;
    give_back_monitors(t, f, false); /* that of the method goes with the return */
    f->sp = jvm_frame_stack(f);
    if (type == 'V')
        return JVM_X_return0;
    f->sp->raw = value.raw;
    f->sp += jvm_type_slots(type);
    return type == 'J' || type == 'D' ? JVM_X_return2 : JVM_X_return1;
}

bool agent_force(jvm_thread *t, jvm_frame *f, uint16_t *op)
{
    for (size_t i = 0; i < agent.forced.n; i++) {
        agent_forced forced = agent.forced.items[i];
        if (forced.thread != t || forced.frame != f) /* AF1 */
            continue;
        jvm_undo_cut("a method was left");
        ebb_vec_remove(&agent.forced, i);
        if (forced.is_thrown)
            t->exception = jvm_deref(forced.object);
        else
            *op = begin_return(t, f, forced.value);
        if (forced.object != NULL)
            jvm_global_delete(forced.object);
        agent_choose_trace();
        return true;
    }
    return false;
}

/* ---- as if it had not been called ---- */

/* Its call can be executed again: the instruction takes nothing but the arguments, and called that very method. */
static bool can_be_called_again(const jvm_frame *f)
{
    const jvm_frame *caller = f->prev;
    if (f->kind != JVM_FRAME_JAVA || caller == NULL || caller->kind != JVM_FRAME_JAVA)
        return false;
    const uint8_t *at = caller->method->bytes + jvm_frame_bci(caller);
    if (*at < JVM_OP_invokevirtual || *at > JVM_OP_invokeinterface)
        return false; /* it only led to the call of a method, such as one that loads a class */
    const jvm_sym *cls, *name, *descriptor;
    jvm_cp_member(caller->method->cls, jvm_u2(at + 1), &cls, &name, &descriptor);
    return name == f->method->name && descriptor == f->method->sig && caller->sp == f->locals;
}

static void pop(jvm_thread *t)
{
    jvm_frame *f = t->frame;
    give_back_monitors(t, f, true);
    t->frame = f->prev;
    t->frame->sp = f->locals + f->method->nargs;
}

ebb_status agent_serve_pop_frames(const jvm_wire_local_at *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    jvm_thread *t;
    EBB_TRY(thread_to_force(q->tid, &t, err));
    const jvm_frame *f = t->frame;
    for (uint32_t level = 0; level <= q->level; level++, f = f->prev)
        if (f == NULL || !can_be_called_again(f))
            return ebb_fail(err, EBB_UNSUPPORTED, "A method that native code called, or its caller, can't be left so.");
    for (uint32_t level = 0; level <= q->level; level++)
        pop(t);
    if (t == jvm_self)
        agent.reenters = true;
    else
        jvm_interpret_again_later(t);
    return EBB_OK;
}

void agent_reenter(void)
{
    if (!agent.reenters)
        return;
    agent.reenters = agent.in_look = false;
    jvm_ticks--; /* it stands before a place where it has been: that is another time */
    if (!jvm_is_replaying()) /* it stands there already: a step goes on from there (AG3) */
        jvm_agent_again(jvm_self, jvm_self->frame);
    jvm_interpret_again(jvm_self);
}
