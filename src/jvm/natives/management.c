/* natives/management.c - java.lang.management: what the beans of sun.management ask of a JVM.
 *
 * HotSpot answers libmanagement through a table of C functions that changes with its versions.  Here
 * the natives of the beans are inner ones, and the table only lets the library load. */
#include <malloc.h>
#include <time.h>
#include <unistd.h>

#include "jvm/border/exports.h"
#include "jvm/engine/invoke.h"
#include "jvm/heap/jstring.h"
#include "jvm/natives/natives.h"
#include "jvm/record/outside.h"
#include "jvm/threads/scheduler.h"
#include "jvm/threads/thread_dump.h"
#include "jvm/classes/unload.h"

/* ---- the table that libmanagement wants ---- */

enum { TABLE_SLOTS = 64, SLOT_GET_VERSION = 2 };
static jint asked_version;

static jint table_version(JNIEnv *env) { return asked_version; }

/* By way of the caller's own table: what a recorded native does to Java is in the recording then. */
static jlong table_refused(JNIEnv *env)
{
    jclass cls = (*env)->FindClass(env, "java/lang/UnsupportedOperationException");
    if (cls != NULL)
        (*env)->ThrowNew(env, cls, "this management function");
    return 0;
}

JVM_EXPORT(void *, JVM_GetManagement, jint version)
{
    static void *table[TABLE_SLOTS];
    asked_version = version;
    for (int i = 0; i < TABLE_SLOTS; i++)
        table[i] = (void *)(uintptr_t)table_refused;
    table[SLOT_GET_VERSION] = (void *)(uintptr_t)table_version;
    return table;
}

/* ---- numbers ---- */

static jvm_slot zero(jvm_thread *t, jvm_method *m, jvm_slot *args) { return jvm_nothing(); }
static jvm_slot one(jvm_thread *t, jvm_method *m, jvm_slot *args) { return jvm_int(1); }

static void count_class(jvm_class *cls, void *n) { ++*(int64_t *)n; }

/* Those that were there at any time. */
static jvm_slot total_class_count(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    int64_t n = (int64_t)jvm_unloaded_count();
    jvm_each_class(count_class, &n);
    return jvm_long(n);
}

static jvm_slot unloaded_class_count(jvm_thread *t, jvm_method *m, jvm_slot *args) { return jvm_long((int64_t)jvm_unloaded_count()); }

static jvm_slot process_id(jvm_thread *t, jvm_method *m, jvm_slot *args) { return jvm_int((int32_t)JVM_OUTSIDE(PROCESS_ID, getpid())); }

/* Taken when the first bean asks, by how long ago the machine was begun. */
static int64_t start_wall_ns, start_ns, begun_ns;

static int64_t read_clock(clockid_t clock)
{
    struct timespec ts;
    clock_gettime(clock, &ts);
    return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

void jvm_uptime_begin(void) { begun_ns = read_clock(CLOCK_MONOTONIC); }

static void note_start(void)
{
    if (start_ns != 0)
        return;
    jvm_undo_keep(&start_ns, sizeof start_ns);
    jvm_undo_keep(&start_wall_ns, sizeof start_wall_ns);
    int64_t ago = JVM_OUTSIDE(MONOTONIC_CLOCK, read_clock(CLOCK_MONOTONIC) - begun_ns);
    start_ns = jvm_now_monotonic_ns() - ago;
    start_wall_ns = jvm_now_wall_ns() - ago;
}

static jvm_slot startup_time(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    note_start();
    return jvm_long(start_wall_ns / 1000000);
}

int64_t jvm_uptime_ms(void)
{
    note_start();
    return (jvm_now_monotonic_ns() - start_ns) / 1000000 + 1;
}

static jvm_slot uptime(jvm_thread *t, jvm_method *m, jvm_slot *args) { return jvm_long(jvm_uptime_ms()); }

static jvm_slot available_processors(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    int64_t n = JVM_OUTSIDE(PROCESSORS, sysconf(_SC_NPROCESSORS_ONLN));
    return jvm_int(n < 1 ? 1 : (int32_t)n);
}

static jvm_slot live_thread_count(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_int((int32_t)jvm_threads_count(true));
}

static jvm_slot daemon_thread_count(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_int((int32_t)(jvm_threads_count(true) - jvm_threads_count(false)));
}

static jvm_slot total_thread_count(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_long(jvm_threads_started());
}

static jvm_slot peak_thread_count(jvm_thread *t, jvm_method *m, jvm_slot *args) { return jvm_int((int32_t)jvm_threads_peak()); }

static jvm_slot reset_peak_thread_count(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_threads_reset_peak();
    return jvm_nothing();
}

static jvm_slot verbose_class(jvm_thread *t, jvm_method *m, jvm_slot *args) { return jvm_int(jvm.options.verbose_class); }
static jvm_slot verbose_gc(jvm_thread *t, jvm_method *m, jvm_slot *args) { return jvm_int(jvm.options.verbose_gc); }

static jvm_slot set_verbose_class(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_undo_keep(&jvm.options.verbose_class, sizeof jvm.options.verbose_class);
    jvm.options.verbose_class = args[0].i != 0;
    return jvm_nothing();
}

static jvm_slot set_verbose_gc(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_undo_keep(&jvm.options.verbose_gc, sizeof jvm.options.verbose_gc);
    jvm.options.verbose_gc = args[1].i != 0;
    return jvm_nothing();
}

static jvm_slot collection_count(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_long((int64_t)jvm_heap_get_stats().ncollections);
}

static const jvm_thread *thread_by_tid(int64_t tid);

/* What is told of one thread, or of several: (long id), where 0 is who asks, or (long[] ids, long[] answers).  Nobody's answer is -1. */
static int64_t of_thread(const jvm_thread *x, int64_t (*answer)(const jvm_thread *x)) { return x == NULL ? -1 : answer(x); }

static jvm_slot of_threads(jvm_slot *args, int64_t (*answer)(const jvm_thread *x))
{
    for (int32_t i = 0; i < args[0].a->length && i < args[1].a->length; i++) {
        const jvm_thread *x = thread_by_tid(((int64_t *)jvm_array_data(args[0].a))[i]);
        jvm_put_i64(args[1].a, JVM_ARRAY_BASE + sizeof(int64_t) * (size_t)i, of_thread(x, answer));
    }
    return jvm_nothing();
}

/* Threads share one CPU clock, the machine's: each has a part of it, by the timestamps of its turns. */
static int64_t cpu_ns(const jvm_thread *x)
{
    int64_t all = JVM_OUTSIDE(CPU_CLOCK, read_clock(CLOCK_THREAD_CPUTIME_ID));
    return (int64_t)((double)all * (double)jvm_thread_ticks(x) / (double)(jvm_time() + 1));
}

static int64_t allocated_bytes(const jvm_thread *x) { return (int64_t)jvm_thread_allocated(x); }

static jvm_slot cpu_time(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_long(of_thread(args[0].j == 0 ? t : thread_by_tid(args[0].j), cpu_ns));
}

static jvm_slot cpu_times(jvm_thread *t, jvm_method *m, jvm_slot *args) { return of_threads(args, cpu_ns); }

static jvm_slot allocated(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_long(of_thread(args[0].j == 0 ? t : thread_by_tid(args[0].j), allocated_bytes));
}

static jvm_slot allocated_by(jvm_thread *t, jvm_method *m, jvm_slot *args) { return of_threads(args, allocated_bytes); }

static jvm_slot allocated_total(jvm_thread *t, jvm_method *m, jvm_slot *args) { return jvm_long((int64_t)jvm_heap_get_stats().allocated_total); }

static jvm_slot contention_timed(jvm_thread *t, jvm_method *m, jvm_slot *args) { return jvm_int(jvm_contention_timed); }

static jvm_slot set_contention_timed(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_undo_keep(&jvm_contention_timed, sizeof jvm_contention_timed);
    jvm_contention_timed = args[0].i != 0;
    return jvm_nothing();
}

/* resetContentionTimes0(long id): 0 is every thread. */
static jvm_slot reset_contention_times(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    for (jvm_thread *x = jvm_threads_first(); x != NULL; x = x->next_all)
        if (args[0].j == 0 || x == thread_by_tid(args[0].j)) {
            jvm_thread_keep(x);
            x->ns_blocked = x->ns_waited = 0;
        }
    return jvm_nothing();
}

static void switch_on(const jvm_class *cls, const char *field)
{
    const jvm_field *f = jvm_class_own_field(cls, jvm_sym_get(field), NULL);
    if (f != NULL)
        jvm_put_u8(cls->mirror, f->offset, true);
}

static jvm_slot init_optional_support(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    switch_on(m->cls, "threadContentionMonitoringSupport");
    switch_on(m->cls, "threadAllocatedMemorySupport");
    switch_on(m->cls, "currentThreadCpuTimeSupport");
    switch_on(m->cls, "otherThreadCpuTimeSupport");
    switch_on(m->cls, "objectMonitorUsageSupport");
    switch_on(m->cls, "synchronizerUsageSupport");
    switch_on(m->cls, "remoteDiagnosticCommandsSupport");
    return jvm_nothing();
}

static jvm_slot version(jvm_thread *t, jvm_method *m, jvm_slot *args) { return jvm_ref(jvm_string_new(t, "3.0")); }

static jvm_slot vm_arguments(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_ref(jvm_deref(JVM_GetVmArguments((JNIEnv *)t)));
}

/* ---- memory ---- */

static jvm_slot new_usage(jvm_thread *t, int64_t used, int64_t committed, int64_t max)
{
    jvm_class *cls = jvm_load_boot(t, "java/lang/management/MemoryUsage");
    return jvm_ref(cls == NULL ? NULL : jvm_new_instance(t, cls, "(JJJJ)V", (int64_t)0, used, committed, max));
}

static jvm_slot heap_usage(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_heap_stats stats = jvm_heap_get_stats();
    uint64_t committed = stats.committed > stats.used ? stats.committed : stats.used;
    return new_usage(t, (int64_t)stats.used, (int64_t)committed, (int64_t)stats.max);
}

/* getMemoryUsage0(boolean heap) */
static jvm_slot memory_usage(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    int64_t native = args[1].i ? 0 : JVM_OUTSIDE(MEMORY, mallinfo2().uordblks); /* classes and what belongs to them, mostly */
    return args[1].i ? heap_usage(t, m, args) : new_usage(t, native, native, -1);
}

/* A bean made by a static method of the class library, once; a global handle afterwards. */
static jobject heap_pool, collector;

static jobject make_bean(jvm_thread *t, const char *class_name, const char *method, const char *sig, const jvm_slot *args)
{
    jvm_class *cls = jvm_load_boot(t, class_name);
    jvm_method *m = cls == NULL || !jvm_ensure_init(t, cls) ? NULL : jvm_class_find_method_text(cls, method, sig);
    jvm_obj *bean = m == NULL ? NULL : jvm_call(t, m, args).a;
    return jvm_pending(t) ? NULL : jvm_global_new(bean);
}

static jvm_slot array_of_one(jvm_thread *t, const char *element, jobject bean)
{
    jvm_class *cls = bean == NULL ? NULL : jvm_load_boot(t, element);
    jvm_obj *array = cls == NULL ? NULL : jvm_new_ref_array(t, cls, 1);
    if (array != NULL)
        jvm_elem_put_ref(array, 0, jvm_deref(bean));
    return jvm_ref(array);
}

static jvm_slot memory_pools(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    if (heap_pool == NULL) {
        jvm_undo_keep(&heap_pool, sizeof heap_pool);
        jvm_slot a[] = { jvm_ref(jvm_string_new(t, "heap")), jvm_int(true), /* no thresholds: two longs */
                         jvm_long(-1), jvm_nothing(), jvm_long(-1), jvm_nothing() };
        heap_pool = make_bean(t, "sun/management/ManagementFactoryHelper", "createMemoryPool",
                              "(Ljava/lang/String;ZJJ)Ljava/lang/management/MemoryPoolMXBean;", a);
    }
    return array_of_one(t, "java/lang/management/MemoryPoolMXBean", heap_pool);
}

static jvm_slot memory_managers(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    if (collector == NULL) {
        jvm_undo_keep(&collector, sizeof collector);
        jvm_slot a[] = { jvm_ref(jvm_string_new(t, "mark-sweep")), jvm_ref(NULL) };
        const char *sig = "(Ljava/lang/String;Ljava/lang/String;)Ljava/lang/management/GarbageCollectorMXBean;";
        const char *maker = "com/sun/management/internal/GarbageCollectorExtImpl"; /* in module jdk.management */
        if (jvm_find_boot(t, jvm_sym_get(maker)) == NULL)
            maker = "sun/management/ManagementFactoryHelper";
        collector = make_bean(t, maker, "createGarbageCollector", sig, a);
    }
    return array_of_one(t, "java/lang/management/MemoryManagerMXBean", collector);
}

/* ---- threads ---- */

static const jvm_thread *thread_by_tid(int64_t tid)
{
    for (const jvm_thread *x = jvm_threads_first(); x != NULL; x = x->next_all)
        if (x->object != NULL && jvm_get_i64(x->object, jvm.fields.Thread_tid) == tid)
            return x;
    return NULL;
}

/* What is asked about a thread. */
typedef struct info_wishes {
    int32_t max_depth;
    bool monitors, synchronizers;
} info_wishes;

static jobject new_object_array(jvm_thread *t, const jvm_obj_list *objects)
{
    jvm_obj *array = jvm_new_ref_array(t, jvm.classes.Object, (int32_t)objects->n);
    for (size_t i = 0; array != NULL && i < objects->n; i++)
        jvm_elem_put_ref(array, (int32_t)i, objects->items[i]);
    return jvm_local(t, array);
}

/* Object[], and an int[] of as many: in which frame of the trace each was locked. */
static jobject locked_monitors(jvm_thread *t, const jvm_thread *x, int32_t max_depth, jobject *depths)
{
    jvm_obj_list held = { 0 };
    EBB_VEC(int32_t) at = { 0 };
    int32_t depth = 0;
    for (const jvm_frame *f = jvm_top_frame(x); f != NULL && depth < max_depth; f = jvm_caller_frame(f), depth++) {
        jvm_frame_monitors(x, f, &held);
        while (at.n < held.n)
            ebb_vec_push(&at, depth);
    }
    jobject objects = new_object_array(t, &held);
    jvm_obj *numbers = jvm_new_prim_array(t, 'I', (int32_t)at.n);
    for (size_t i = 0; numbers != NULL && i < at.n; i++)
        ((int32_t *)jvm_array_data(numbers))[i] = at.items[i];
    *depths = jvm_local(t, numbers);
    ebb_vec_fini(&held);
    ebb_vec_fini(&at);
    return objects;
}

static jobject locked_synchronizers(jvm_thread *t, const jvm_thread *x)
{
    jvm_obj_list held = { 0 };
    jvm_thread_synchronizers(x, &held);
    jobject objects = new_object_array(t, &held);
    ebb_vec_fini(&held);
    return objects;
}

#define INFO_SIG                                                                                                   \
    "(Ljava/lang/Thread;ILjava/lang/Object;Ljava/lang/Thread;JJJJ[Ljava/lang/StackTraceElement;[Ljava/lang/Object;" \
    "[I[Ljava/lang/Object;)V"

static jvm_obj *new_thread_info(jvm_thread *t, const jvm_thread *x, info_wishes wishes)
{
    jvm_class *cls = jvm_load_boot(t, "java/lang/management/ThreadInfo");
    jobject trace = cls == NULL ? NULL : jvm_thread_stack(t, x, wishes.max_depth);
    if (trace == NULL)
        return NULL;
    jobject depths = NULL, monitors = wishes.monitors ? locked_monitors(t, x, wishes.max_depth, &depths) : NULL;
    jobject synchronizers = wishes.synchronizers ? locked_synchronizers(t, x) : NULL;
    if (jvm_pending(t))
        return NULL;
    jvm_obj *owner, *awaited = jvm_thread_awaits(x, &owner);
    int64_t blocked = x->n_blocked, waited = x->n_waited, ms_blocked = -1, ms_waited = -1;
    if (jvm_contention_timed) {
        ms_blocked = x->ns_blocked / 1000000;
        ms_waited = x->ns_waited / 1000000;
    }
    return jvm_new_instance(t, cls, INFO_SIG, x->object, (int)x->state, awaited, owner, blocked, ms_blocked, waited, ms_waited,
                            jvm_deref(trace), jvm_deref(monitors), jvm_deref(depths), jvm_deref(synchronizers));
}

/* getThreadInfo1(long[] ids, int maxDepth, ThreadInfo[] result): maxDepth -1 is everything. */
static jvm_slot get_thread_info(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_obj *ids = args[0].a, *result = args[2].a;
    info_wishes wishes = { .max_depth = args[1].i < 0 ? INT32_MAX : args[1].i };
    size_t mark = jvm_handles_mark(t);
    for (int32_t i = 0; i < ids->length && i < result->length && !jvm_pending(t); i++) {
        const jvm_thread *x = thread_by_tid(((int64_t *)jvm_array_data(ids))[i]);
        jvm_obj *info = x == NULL ? NULL : new_thread_info(t, x, wishes);
        jvm_elem_put_ref(result, i, info);
    }
    jvm_handles_release(t, mark);
    return jvm_nothing();
}

/* dumpThreads0(long[] ids or null, boolean monitors, boolean synchronizers, int maxDepth) */
static jvm_slot dump_threads(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_class *cls = jvm_load_boot(t, "java/lang/management/ThreadInfo");
    int32_t n = args[0].a != NULL ? args[0].a->length : (int32_t)jvm_threads_count(true), at = 0;
    size_t mark = jvm_handles_mark(t);
    jobject all = cls == NULL ? NULL : jvm_local(t, jvm_new_ref_array(t, cls, n));
    const jvm_thread *next = jvm_threads_first();
    info_wishes wishes = { args[3].i < 0 ? INT32_MAX : args[3].i, args[1].i != 0, args[2].i != 0 };
    for (; all != NULL && at < n && !jvm_pending(t); at++) {
        const jvm_thread *x = args[0].a != NULL ? thread_by_tid(((int64_t *)jvm_array_data(args[0].a))[at]) : next;
        next = next == NULL ? NULL : next->next_all;
        if (x != NULL && x->object != NULL)
            jvm_elem_put_ref(jvm_deref(all), at, new_thread_info(t, x, wishes));
    }
    jvm_obj *result = jvm_deref(all);
    jvm_handles_release(t, mark);
    return jvm_ref(jvm_pending(t) ? NULL : result);
}

static jvm_slot get_threads(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_gc_point(t);
    EBB_VEC(jvm_obj *) found = { 0 };
    for (const jvm_thread *x = jvm_threads_first(); x != NULL; x = x->next_all)
        if (x->object != NULL)
            ebb_vec_push(&found, x->object);
    jvm_obj *array = jvm_new_ref_array(t, jvm.classes.Thread, (int32_t)found.n);
    for (size_t i = 0; array != NULL && i < found.n; i++)
        jvm_elem_put_ref(array, (int32_t)i, found.items[i]);
    ebb_vec_fini(&found);
    return jvm_ref(array);
}

static jvm_slot find_deadlocked(jvm_thread *t, bool monitors_only)
{
    jvm_gc_point(t);
    EBB_VEC(jvm_obj *) found = { 0 };
    for (const jvm_thread *x = jvm_threads_first(); x != NULL; x = x->next_all)
        if (jvm_thread_is_deadlocked(x, monitors_only))
            ebb_vec_push(&found, x->object);
    jvm_obj *array = found.n == 0 ? NULL : jvm_new_ref_array(t, jvm.classes.Thread, (int32_t)found.n);
    for (size_t i = 0; array != NULL && i < found.n; i++)
        jvm_elem_put_ref(array, (int32_t)i, found.items[i]);
    ebb_vec_fini(&found);
    return jvm_ref(array);
}

static jvm_slot find_monitor_deadlocked(jvm_thread *t, jvm_method *m, jvm_slot *args) { return find_deadlocked(t, true); }
static jvm_slot find_any_deadlocked(jvm_thread *t, jvm_method *m, jvm_slot *args) { return find_deadlocked(t, false); }

const jvm_inner_native jvm_natives_management[] = {
#define VM(name, fn, kind) { "sun/management/VMManagementImpl", name, NULL, fn, JVM_NATIVE_##kind },
    VM("getVersion0", version, PURE) VM("initOptionalSupportFields", init_optional_support, PURE)
    VM("isThreadContentionMonitoringEnabled", contention_timed, PURE) VM("isThreadCpuTimeEnabled", one, PURE)
    VM("isThreadAllocatedMemoryEnabled", one, PURE)
    VM("getTotalClassCount", total_class_count, PURE) VM("getUnloadedClassCount", unloaded_class_count, PURE)
    VM("getVerboseClass", verbose_class, PURE) VM("getVerboseGC", verbose_gc, PURE)
    VM("getProcessId", process_id, WORLD) VM("getVmArguments0", vm_arguments, PURE)
    VM("getStartupTime", startup_time, WORLD) VM("getUptime0", uptime, WORLD)
    VM("getAvailableProcessors", available_processors, WORLD) VM("getTotalCompileTime", zero, PURE)
    VM("getTotalThreadCount", total_thread_count, PURE) VM("getLiveThreadCount", live_thread_count, PURE)
    VM("getPeakThreadCount", peak_thread_count, PURE) VM("getDaemonThreadCount", daemon_thread_count, PURE)
    VM("getSafepointCount", zero, PURE) VM("getTotalSafepointTime", zero, PURE) VM("getSafepointSyncTime", zero, PURE)
    VM("getTotalApplicationNonStoppedTime", zero, PURE) VM("getLoadedClassSize", zero, PURE)
    VM("getUnloadedClassSize", zero, PURE) VM("getClassLoadingTime", zero, PURE) VM("getMethodDataSize", zero, PURE)
    VM("getInitializedClassCount", total_class_count, PURE) VM("getClassInitializationTime", zero, PURE)
    VM("getClassVerificationTime", zero, PURE)
    { "sun/management/ClassLoadingImpl", "setVerboseClass", NULL, set_verbose_class, JVM_NATIVE_PURE },
#define MEMORY(name, fn) { "sun/management/MemoryImpl", name, NULL, fn, JVM_NATIVE_PURE },
    MEMORY("getMemoryPools0", memory_pools) MEMORY("getMemoryManagers0", memory_managers)
    MEMORY("setVerboseGC", set_verbose_gc)
    { "sun/management/MemoryImpl", "getMemoryUsage0", NULL, memory_usage, JVM_NATIVE_WORLD },
#define POOL(name, fn) { "sun/management/MemoryPoolImpl", name, NULL, fn, JVM_NATIVE_PURE },
    POOL("getUsage0", heap_usage) POOL("getPeakUsage0", heap_usage) POOL("getCollectionUsage0", zero)
    POOL("resetPeakUsage0", zero) POOL("getMemoryManagers0", memory_managers)
    { "sun/management/MemoryManagerImpl", "getMemoryPools0", NULL, memory_pools, JVM_NATIVE_PURE },
    { "sun/management/GarbageCollectorImpl", "getCollectionCount", NULL, collection_count, JVM_NATIVE_PURE },
    { "sun/management/GarbageCollectorImpl", "getCollectionTime", NULL, zero, JVM_NATIVE_PURE },
    { "com/sun/management/internal/GarbageCollectorExtImpl", "setNotificationEnabled", NULL, zero, JVM_NATIVE_PURE },
#define THREAD(name, fn) { "sun/management/ThreadImpl", name, NULL, fn, JVM_NATIVE_PURE },
    THREAD("getThreads", get_threads) THREAD("getThreadInfo1", get_thread_info) THREAD("dumpThreads0", dump_threads)
    THREAD("findMonitorDeadlockedThreads0", find_monitor_deadlocked) THREAD("findDeadlockedThreads0", find_any_deadlocked)
    THREAD("getThreadAllocatedMemory0", allocated) THREAD("getThreadAllocatedMemory1", allocated_by)
    THREAD("getTotalThreadAllocatedMemory", allocated_total) THREAD("setThreadAllocatedMemoryEnabled0", zero)
    THREAD("setThreadContentionMonitoringEnabled0", set_contention_timed) THREAD("resetContentionTimes0", reset_contention_times)
    THREAD("resetPeakThreadCount0", reset_peak_thread_count) THREAD("setThreadCpuTimeEnabled0", zero)
    { "sun/management/ThreadImpl", "getThreadTotalCpuTime0", NULL, cpu_time, JVM_NATIVE_WORLD },
    { "sun/management/ThreadImpl", "getThreadUserCpuTime0", NULL, cpu_time, JVM_NATIVE_WORLD },
    { "sun/management/ThreadImpl", "getThreadTotalCpuTime1", NULL, cpu_times, JVM_NATIVE_WORLD },
    { "sun/management/ThreadImpl", "getThreadUserCpuTime1", NULL, cpu_times, JVM_NATIVE_WORLD },
    { NULL },
};
