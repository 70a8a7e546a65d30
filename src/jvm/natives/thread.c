/* natives/thread.c - java.lang.Thread. */
#include "jvm/heap/jstring.h"
#include "jvm/threads/monitor.h"
#include "jvm/natives/natives.h"

static jvm_slot current_thread(jvm_thread *t, jvm_method *m, jvm_slot *args) { return jvm_ref(t->object); }

static jvm_slot yield_now(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_yield(t);
    return jvm_nothing();
}

static jvm_slot sleep_millis(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    int64_t millis = args[0].j;
    if (millis < 0)
        jvm_throw(t, JVM_IAE, "timeout value is negative");
    else
        jvm_sleep(t, millis > INT64_MAX / 1000000 ? INT64_MAX : millis * 1000000);
    return jvm_nothing();
}

static jvm_slot start(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_obj *thread = args[0].a;
    if (jvm_get_i64(thread, jvm.fields.Thread_eetop) != 0)
        jvm_throw(t, "java/lang/IllegalThreadStateException", NULL);
    else
        (void)jvm_thread_start(t, thread, jvm_get_i64(thread, jvm.fields.Thread_stackSize));
    return jvm_nothing();
}

static jvm_slot interrupt(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_thread *other = jvm_thread_of(args[0].a);
    if (other != NULL)
        jvm_interrupt(other);
    return jvm_nothing();
}

/* Thread.interrupted clears the Java field itself and then calls this. */
static jvm_slot clear_interrupt_event(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_nothing();
}

static jvm_slot holds_lock(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_int(jvm_check_not_null(t, args[0].a) && jvm_monitor_holds(t, args[0].a));
}

/* Priorities are the Java side's; the scheduler is fair. */
const jvm_inner_native jvm_natives_thread[] = {
#define ROW(name, fn, kind) { "java/lang/Thread", name, NULL, fn, JVM_NATIVE_##kind },
    ROW("currentThread", current_thread, PURE)
    ROW("yield", yield_now, BLOCKS)
    ROW("sleep", sleep_millis, BLOCKS)
    ROW("start0", start, BLOCKS)
    ROW("interrupt0", interrupt, PURE)
    ROW("clearInterruptEvent", clear_interrupt_event, PURE)
    ROW("holdsLock", holds_lock, PURE)
    ROW("setPriority0", jvm_native_nothing, PURE)
    ROW("setNativeName", jvm_native_nothing, PURE)
    { NULL },
};
