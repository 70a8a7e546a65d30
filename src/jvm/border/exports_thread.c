/* exports_thread.c - JVM_* functions that serve java.lang.Thread and Object's monitor methods. */
#include "jvm/border/exports.h"
#include "jvm/engine/frame.h"
#include "jvm/heap/jstring.h"
#include "jvm/threads/monitor.h"
#include "jvm/threads/scheduler.h"
#include "jvm/natives/natives.h"

/* ---- life ---- */

JVM_EXPORT(void, JVM_StartThread, JNIEnv *env, jobject thread)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_obj *object = jvm_deref(thread);
    if (jvm_get_i64(object, jvm.fields.Thread_eetop) != 0)
        jvm_throw(t, "java/lang/IllegalThreadStateException", NULL);
    else
        (void)jvm_thread_start(t, object, jvm_get_i64(object, jvm.fields.Thread_stackSize));
}

JVM_EXPORT(jobject, JVM_CurrentThread, JNIEnv *env, jclass unused)
{
    jvm_thread *t = jvm_env_thread(env);
    return jvm_local(t, t->object);
}

JVM_EXPORT(void, JVM_StopThread, JNIEnv *env, jobject thread, jobject throwable)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_thread *other = jvm_thread_of(jvm_deref(thread));
    if (other == t) {
        jvm_throw_object(t, jvm_deref(throwable));
    } else if (other == NULL) {
        jvm_put_u8(jvm_deref(thread), jvm.fields.Thread_stillborn, true); /* it has not begun, and will do nothing when it does */
    } else {
        jvm_thread_leave_exception(other, jvm_deref(throwable));
    }
}

JVM_EXPORT(void, JVM_SuspendThread, JNIEnv *env, jobject thread)
{
    jvm_thread *other = jvm_thread_of(jvm_deref(thread));
    if (other != NULL)
        jvm_suspend(other);
}

JVM_EXPORT(void, JVM_ResumeThread, JNIEnv *env, jobject thread)
{
    jvm_thread *other = jvm_thread_of(jvm_deref(thread));
    if (other != NULL)
        jvm_resume(other);
}

/* The scheduler is fair whatever the priority, and names are read from the Thread object. */
JVM_EXPORT(void, JVM_SetThreadPriority, JNIEnv *env, jobject thread, jint priority) {}
JVM_EXPORT(void, JVM_SetNativeThreadName, JNIEnv *env, jobject thread, jstring name) {}

JVM_EXPORT(void, JVM_Yield, JNIEnv *env, jclass unused) { jvm_yield(jvm_env_thread(env)); }

JVM_EXPORT(void, JVM_Sleep, JNIEnv *env, jclass unused, jlong millis)
{
    jvm_thread *t = jvm_env_thread(env);
    if (millis < 0)
        jvm_throw(t, JVM_IAE, "timeout value is negative");
    else
        jvm_sleep(t, millis > INT64_MAX / 1000000 ? INT64_MAX : millis * 1000000);
}

JVM_EXPORT(void, JVM_Interrupt, JNIEnv *env, jobject thread)
{
    jvm_thread *other = jvm_thread_of(jvm_deref(thread));
    if (other != NULL)
        jvm_interrupt(other);
}

JVM_EXPORT(jboolean, JVM_HoldsLock, JNIEnv *env, jclass unused, jobject object)
{
    jvm_thread *t = jvm_env_thread(env);
    return jvm_check_not_null(t, jvm_deref(object)) && jvm_monitor_holds(t, jvm_deref(object));
}

/* ---- all threads ---- */

JVM_EXPORT(jobjectArray, JVM_GetAllThreads, JNIEnv *env, jclass unused)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    int32_t n = 0, at = 0;
    for (const jvm_thread *x = jvm_threads_first(); x != NULL; x = x->next_all)
        n += x->object != NULL;
    jvm_obj *array = jvm_new_ref_array(t, jvm.classes.Thread, n);
    for (const jvm_thread *x = jvm_threads_first(); array != NULL && x != NULL; x = x->next_all)
        if (x->object != NULL)
            jvm_elem_put_ref(array, at++, x->object);
    return jvm_local(t, array);
}

static int32_t count_frames(const jvm_thread *x, int32_t max)
{
    int32_t n = 0;
    for (const jvm_frame *f = jvm_top_frame(x); f != NULL && n < max; f = jvm_caller_frame(f))
        n++;
    return n;
}

/* Hidden frames too: other than an exception, a dump shows the stack as it is. */
jobject jvm_thread_stack(jvm_thread *t, const jvm_thread *x, int32_t max)
{
    int32_t n = count_frames(x, max), at = 0;
    jobject trace = jvm_local(t, jvm_new_ref_array(t, jvm.classes.StackTraceElement, n));
    for (const jvm_frame *f = jvm_top_frame(x); trace != NULL && f != NULL && at < n; f = jvm_caller_frame(f)) {
        jvm_obj *element = jvm_new_object(t, jvm.classes.StackTraceElement);
        if (element == NULL)
            return NULL;
        jvm_elem_put_ref(jvm_deref(trace), at++, element);
        if (!jvm_stack_trace_element(t, element, f->method, jvm_frame_bci(f)))
            return NULL;
    }
    return trace;
}

/* StackTraceElement[][]: one row per thread, null for those that are not alive. */
JVM_EXPORT(jobjectArray, JVM_DumpThreads, JNIEnv *env, jclass unused, jobjectArray threads)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    const jvm_obj *asked = jvm_deref(threads);
    if (!jvm_check_not_null(t, asked))
        return NULL;
    if (asked->length == 0) {
        jvm_throw(t, JVM_IAE, NULL);
        return NULL;
    }
    jvm_class *row = jvm_array_class(t, jvm.classes.StackTraceElement);
    jobjectArray all = row == NULL ? NULL : jvm_local(t, jvm_new_ref_array(t, row, asked->length));
    for (int32_t i = 0; all != NULL && i < asked->length; i++) {
        jvm_obj *object = jvm_elem_ref(asked, i);
        const jvm_thread *x = object == NULL ? NULL : jvm_thread_of(object);
        if (x == NULL)
            continue;
        jobject trace = jvm_thread_stack(t, x, INT32_MAX);
        if (trace == NULL)
            return NULL;
        jvm_elem_put_ref(jvm_deref(all), i, jvm_deref(trace));
        jvm_local_delete(t, trace);
    }
    return all;
}

/* ---- Object ---- */

JVM_EXPORT(jint, JVM_IHashCode, JNIEnv *env, jobject object) { return jvm_identity_hash(jvm_deref(object)); }

JVM_EXPORT(void, JVM_MonitorWait, JNIEnv *env, jobject object, jlong millis)
{
    jvm_monitor_wait(jvm_env_thread(env), jvm_deref(object), millis);
}

JVM_EXPORT(void, JVM_MonitorNotify, JNIEnv *env, jobject object)
{
    jvm_monitor_notify(jvm_env_thread(env), jvm_deref(object), false);
}

JVM_EXPORT(void, JVM_MonitorNotifyAll, JNIEnv *env, jobject object)
{
    jvm_monitor_notify(jvm_env_thread(env), jvm_deref(object), true);
}

JVM_EXPORT(jstring, JVM_InternString, JNIEnv *env, jstring string)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    return jvm_deref(string) == NULL ? NULL : jvm_local(t, jvm_string_intern(t, jvm_deref(string)));
}

/* ---- java.lang.ref ---- */

JVM_EXPORT(jobject, JVM_GetAndClearReferencePendingList, JNIEnv *env)
{
    return jvm_local(jvm_env_thread(env), jvm_refs_take_pending());
}

JVM_EXPORT(jboolean, JVM_HasReferencePendingList, JNIEnv *env) { return jvm_refs_has_pending(); }

JVM_EXPORT(void, JVM_WaitForReferencePendingList, JNIEnv *env) { jvm_refs_wait_pending(jvm_env_thread(env)); }

JVM_EXPORT(jboolean, JVM_ReferenceRefersTo, JNIEnv *env, jobject ref, jobject object)
{
    return jvm_get_ref(jvm_deref(ref), jvm.fields.Reference_referent) == jvm_deref(object);
}

JVM_EXPORT(jboolean, JVM_PhantomReferenceRefersTo, JNIEnv *env, jobject ref, jobject object)
{
    return jvm_get_ref(jvm_deref(ref), jvm.fields.Reference_referent) == jvm_deref(object);
}

JVM_EXPORT(void, JVM_ReferenceClear, JNIEnv *env, jobject ref)
{
    jvm_put_ref(jvm_deref(ref), jvm.fields.Reference_referent, NULL);
}
