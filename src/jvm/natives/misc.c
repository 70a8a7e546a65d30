/* natives/misc.c - small classes that talk to the machine: Throwable, Perf, foreign memory, vectors. */
#include <time.h>

#include "jvm/engine/frame.h"
#include "jvm/natives/natives.h"
#include "jvm/heap/offheap.h"

static jvm_slot throwable_fill_in_stack_trace(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_gc_point(t);
    jvm_fill_in_stack_trace(t, args[0].a);
    return args[0];
}

/* ---- Perf: counters that other programs could watch; here plain memory that nobody else sees ---- */

static jvm_slot new_counter(jvm_thread *t, const void *initial, size_t nbytes, size_t capacity)
{
    char *memory = jvm_offheap_alloc(capacity + 1); /* counters live as long as the machine */
    if (memory == NULL) {
        jvm_throw_oom(t, "no memory for a counter");
        return jvm_nothing();
    }
    memset(memory, 0, capacity + 1);
    memcpy(memory, initial, nbytes);
    size_t mark = jvm_handles_mark(t);
    jvm_obj *buffer = jvm_deref(jvm_jni_NewDirectByteBuffer((JNIEnv *)t, memory, (jlong)capacity));
    jvm_handles_release(t, mark);
    return jvm_ref(buffer);
}

/* createLong(String name, int variability, int units, long value) */
static jvm_slot perf_create_long(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return new_counter(t, &args[4].j, sizeof args[4].j, sizeof args[4].j);
}

/* createByteArray(String name, int variability, int units, byte[] value, int maxLength) */
static jvm_slot perf_create_byte_array(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_obj *value = args[4].a;
    if (!jvm_check_not_null(t, value))
        return jvm_nothing();
    int32_t capacity = args[5].i;
    if (capacity < value->length) {
        jvm_throw(t, JVM_IAE, "Perf.createByteArray: value longer than %d", capacity);
        return jvm_nothing();
    }
    return new_counter(t, jvm_array_data(value), (size_t)value->length, (size_t)capacity);
}

static jvm_slot perf_attach(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_throw(t, JVM_IAE, "Perf.attach: the machine publishes no counters");
    return jvm_nothing();
}

static jvm_slot perf_high_res_counter(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_long(jvm_now_monotonic_ns());
}

static jvm_slot perf_high_res_frequency(jvm_thread *t, jvm_method *m, jvm_slot *args) { return jvm_long(1000000000); }

/* ---- ScopedMemoryAccess ---- */

enum { SCOPED_DEPTH = 10 }; /* frames of a thread among which an access to a memory segment can be */

static bool frame_mentions(const jvm_frame *f, const jvm_obj *scope)
{
    for (int i = 0; i < f->method->max_locals; i++)
        if (f->locals[i].a == scope)
            return true;
    return false;
}

static bool is_accessing(const jvm_thread *x, const jvm_obj *scope)
{
    int depth = 0;
    for (const jvm_frame *f = jvm_top_frame(x); f != NULL && depth < SCOPED_DEPTH; f = jvm_caller_frame(f), depth++)
        if ((f->method->flags & JVM_METHOD_SCOPED) && frame_mentions(f, scope))
            return true;
    return false;
}

/* closeScope0(scope, error): false when another thread was switched away in the middle of an access. */
static jvm_slot scoped_close_scope(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    for (const jvm_thread *x = jvm_threads_first(); x != NULL; x = x->next_all)
        if (x != t && is_accessing(x, args[1].a))
            return jvm_int(false);
    return jvm_int(true);
}

/* ---- vectors, foreign calls ---- */

static jvm_slot vector_max_lane_count(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_int(-1); /* no vector instructions: the Java implementation is used */
}

static jvm_slot native_entry_refused(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_throw(t, "java/lang/UnsupportedOperationException", "NativeEntryPoint.%s: the foreign linker is not supported",
              m->name->text);
    return jvm_nothing();
}

const jvm_inner_native jvm_natives_misc[] = {
    { "java/lang/Throwable", "fillInStackTrace", "(I)Ljava/lang/Throwable;", throwable_fill_in_stack_trace, JVM_NATIVE_PURE },
#define PERF(name, fn, kind) { "jdk/internal/perf/Perf", name, NULL, fn, JVM_NATIVE_##kind },
    PERF("registerNatives", jvm_native_nothing, PURE)
    PERF("createLong", perf_create_long, PURE)
    PERF("createByteArray", perf_create_byte_array, PURE)
    PERF("attach", perf_attach, PURE)
    PERF("detach", jvm_native_nothing, PURE)
    PERF("highResCounter", perf_high_res_counter, WORLD)
    PERF("highResFrequency", perf_high_res_frequency, PURE)
    { "jdk/internal/misc/ScopedMemoryAccess", "registerNatives", NULL, jvm_native_nothing, JVM_NATIVE_PURE },
    { "jdk/internal/misc/ScopedMemoryAccess", "closeScope0", NULL, scoped_close_scope, JVM_NATIVE_PURE },
    { "jdk/internal/vm/vector/VectorSupport", "registerNatives", NULL, jvm_native_nothing, JVM_NATIVE_PURE },
    { "jdk/internal/vm/vector/VectorSupport", "getMaxLaneCount", NULL, vector_max_lane_count, JVM_NATIVE_PURE },
    { "jdk/internal/invoke/NativeEntryPoint", "registerNatives", NULL, jvm_native_nothing, JVM_NATIVE_PURE },
    { "jdk/internal/invoke/NativeEntryPoint", "vmStorageToVMReg", NULL, native_entry_refused, JVM_NATIVE_PURE },
    { NULL },
};
