/* thread_dump.c - every thread with its state, its stack and what it waits for, as text; and the cycles of
 * threads that wait for each other.  SIGQUIT asks for it, as it does of other JVMs. */
#include "jvm/threads/thread_dump.h"

#include <stdio.h>
#include <time.h>

#include "base/buf.h"
#include "jvm/border/exports.h"
#include "jvm/engine/frame.h"
#include "jvm/heap/jstring.h"
#include "jvm/record/outside.h"
#include "jvm/threads/monitor.h"

/* ---- who waits for whom ---- */

uint32_t jvm_thread_shown_state(const jvm_thread *x)
{
    bool is_alive = x->state != JVM_THREAD_NEW && x->state != JVM_THREAD_TERMINATED;
    return is_alive && x->runnable ? JVM_THREAD_RUNNABLE : x->state;
}

jvm_obj *jvm_thread_awaits(const jvm_thread *x, jvm_obj **owner)
{
    *owner = NULL;
    if (jvm_thread_shown_state(x) != x->state)
        return NULL;
    if (x->blocked_on != NULL && x->blocked_on->object != NULL) {
        if (x->state == JVM_THREAD_BLOCKED && x->blocked_on->owner != NULL)
            *owner = x->blocked_on->owner->object;
        return x->blocked_on->object;
    }
    jvm_obj *blocker = jvm_get_ref(x->object, jvm.fields.Thread_parkBlocker);
    if (blocker != NULL && jvm_instance_of(blocker, jvm.classes.AbstractOwnableSynchronizer))
        *owner = jvm_get_ref(blocker, jvm.fields.AbstractOwnableSynchronizer_exclusiveOwnerThread);
    return blocker;
}

static const jvm_thread *awaited_thread(const jvm_thread *x, bool monitors_only)
{
    jvm_obj *owner;
    if (x->object == NULL || x->runnable || (monitors_only && x->state != JVM_THREAD_BLOCKED))
        return NULL; /* one that can run, waits no longer, though it does not know yet */
    (void)jvm_thread_awaits(x, &owner);
    return owner == NULL ? NULL : jvm_thread_of(owner);
}

bool jvm_thread_is_deadlocked(const jvm_thread *x, bool monitors_only)
{
    size_t steps = jvm_threads_count(true);
    for (const jvm_thread *y = awaited_thread(x, monitors_only); y != NULL && steps-- > 0;
         y = awaited_thread(y, monitors_only))
        if (y == x)
            return true;
    return false;
}

/* ---- text ---- */

static void add_thread_name(ebb_buf *out, const jvm_obj *thread)
{
    char *name = jvm_string_utf8(jvm_get_ref(thread, jvm.fields.Thread_name));
    ebb_buf_addf(out, "\"%s\"", name);
    free(name);
}

const char *jvm_thread_state_text(uint32_t state)
{
    switch (state) {
    case JVM_THREAD_NEW: return "NEW";
    case JVM_THREAD_RUNNABLE: return "RUNNABLE";
    case JVM_THREAD_BLOCKED: return "BLOCKED (on object monitor)";
    case JVM_THREAD_WAITING: return "WAITING (on object monitor)";
    case JVM_THREAD_TIMED_WAITING: return "TIMED_WAITING (on object monitor)";
    case JVM_THREAD_PARKED: return "WAITING (parking)";
    case JVM_THREAD_TIMED_PARKED: return "TIMED_WAITING (parking)";
    case JVM_THREAD_SLEEPING: return "TIMED_WAITING (sleeping)";
    case JVM_THREAD_TERMINATED: return "TERMINATED";
    default: return "?";
    }
}

static void add_object(ebb_buf *out, jvm_obj *o)
{
    char *name = jvm_class_external_name(o->cls);
    ebb_buf_addf(out, "<%08x> (a %s)", (unsigned)jvm_identity_hash(o), name);
    free(name);
}

static void add_locked(ebb_buf *out, const jvm_thread *x, const jvm_frame *f)
{
    jvm_obj_list held = { 0 };
    jvm_frame_monitors(x, f, &held);
    for (size_t i = 0; i < held.n; i++) {
        ebb_buf_adds(out, "\t- locked ");
        add_object(out, held.items[i]);
        ebb_buf_addc(out, '\n');
    }
    ebb_vec_fini(&held);
}

static void add_synchronizers(ebb_buf *out, const jvm_thread *x)
{
    jvm_obj_list held = { 0 };
    jvm_thread_synchronizers(x, &held);
    ebb_buf_adds(out, "\n   Locked ownable synchronizers:\n");
    for (size_t i = 0; i < held.n; i++) {
        ebb_buf_adds(out, "\t- ");
        add_object(out, held.items[i]);
        ebb_buf_addc(out, '\n');
    }
    ebb_buf_adds(out, held.n == 0 ? "\t- None\n" : "");
    ebb_vec_fini(&held);
}

static void add_frame(ebb_buf *out, const jvm_thread *x, const jvm_frame *f)
{
    const jvm_method *m = f->method;
    char *name = jvm_class_external_name(m->cls);
    int line = jvm_frame_line(f);
    ebb_buf_addf(out, "\tat %s.%s(", name, m->name->text);
    free(name);
    if (line == -2)
        ebb_buf_adds(out, "Native Method");
    else if (m->cls->source_file == NULL)
        ebb_buf_adds(out, "Unknown Source");
    else if (line < 0)
        ebb_buf_adds(out, m->cls->source_file->text);
    else
        ebb_buf_addf(out, "%s:%d", m->cls->source_file->text, line);
    ebb_buf_adds(out, ")\n");
    add_locked(out, x, f);
}

static void add_thread(ebb_buf *out, const jvm_thread *x, bool synchronizers)
{
    add_thread_name(out, x->object);
    ebb_buf_addf(out, " #%lld%s prio=%d\n", (long long)jvm_get_i64(x->object, jvm.fields.Thread_tid), x->daemon ? " daemon" : "",
                 jvm_get_i32(x->object, jvm.fields.Thread_priority));
    ebb_buf_addf(out, "   java.lang.Thread.State: %s\n", jvm_thread_state_text(jvm_thread_shown_state(x)));
    jvm_obj *owner, *awaited = jvm_thread_awaits(x, &owner);
    if (awaited != NULL) {
        ebb_buf_adds(out, x->state == JVM_THREAD_BLOCKED ? "\t- waiting to lock " : "\t- waiting for ");
        add_object(out, awaited);
        if (owner != NULL) {
            ebb_buf_adds(out, ", which is held by ");
            add_thread_name(out, owner);
        }
        ebb_buf_addc(out, '\n');
    }
    for (const jvm_frame *f = jvm_top_frame(x); f != NULL; f = jvm_caller_frame(f))
        add_frame(out, x, f);
    if (synchronizers)
        add_synchronizers(out, x);
    ebb_buf_addc(out, '\n');
}

static void add_deadlocks(ebb_buf *out)
{
    bool any = false;
    for (const jvm_thread *x = jvm_threads_first(); x != NULL; x = x->next_all) {
        if (!jvm_thread_is_deadlocked(x, false))
            continue;
        ebb_buf_adds(out, any ? "" : "Found threads that wait for each other:\n");
        any = true;
        jvm_obj *owner, *awaited = jvm_thread_awaits(x, &owner);
        ebb_buf_adds(out, "  ");
        add_thread_name(out, x->object);
        ebb_buf_adds(out, " waits for ");
        add_object(out, awaited);
        ebb_buf_adds(out, ", which is held by ");
        add_thread_name(out, owner);
        ebb_buf_addc(out, '\n');
    }
    ebb_buf_adds(out, any ? "\n" : "");
}

void jvm_thread_dump(ebb_buf *out, bool synchronizers)
{
    time_t now = (time_t)(jvm_now_wall_ns() / 1000000000);
    struct tm parts;
    char text[64];
    strftime(text, sizeof text, "%F %T", localtime_r(&now, &parts));
    ebb_buf_addf(out, "%s\nFull thread dump ebb VM (%s interpreted mode):\n\n", text, EBB_VERSION);
    for (const jvm_thread *x = jvm_threads_first(); x != NULL; x = x->next_all)
        if (x->object != NULL)
            add_thread(out, x, synchronizers);
    add_deadlocks(out);
}

JVM_EXPORT(void, JVM_DumpAllStacks, JNIEnv *env, jclass unused)
{
    ebb_buf out = { 0 };
    jvm_thread_dump(&out, false);
    jvm_outside_print(stdout, "%s", ebb_buf_text(&out));
    ebb_buf_fini(&out);
}
