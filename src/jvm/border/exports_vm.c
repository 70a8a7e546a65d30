/* exports_vm.c - the life of the machine as the launcher sees it: JNI_CreateJavaVM, the invocation
 * table, and the JVM_* functions about the machine as a whole (memory, time, halting, properties). */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include <sched.h>

#include "base/buf.h"
#include "base/text.h"
#include "jvm/agent/agent.h"
#include "jvm/border/exports.h"
#include "jvm/engine/frame.h"
#include "jvm/engine/invoke.h"
#include "jvm/explore/capture.h"
#include "jvm/explore/explore.h"
#include "jvm/flow/told.h"
#include "jvm/heap/jstring.h"
#include "jvm/record/outside.h"
#include "jvm/record/launcher.h"

/* ---- creation ---- */

/* The operating system's thread that created the machine; only it runs Java, others can't attach.  (A
 * pthread_t, not a thread id: it stays the same in a fork.) */
static pthread_t home;

static bool is_foreign_thread(void) { return !pthread_equal(pthread_self(), home); }

/* Version 1.1's struct is asked for the stack size of the main thread only; 0 leaves it to the launcher. */
JVM_EXPORT(jint, JNI_GetDefaultJavaVMInitArgs, void *args)
{
    const JavaVMInitArgs *init = args;
    return init->version >= JNI_VERSION_1_2 && init->version <= JNI_VERSION_10 ? JNI_OK : JNI_ERR;
}

JVM_EXPORT(jint, JNI_GetCreatedJavaVMs, JavaVM **vms, jsize max, jsize *n)
{
    *n = jvm.java_vm != NULL;
    if (*n > 0 && max > 0)
        vms[0] = &jvm.java_vm;
    return JNI_OK;
}

/* HotSpot tells of most bad options on stderr and leaves the rest to the launcher; what it finds out later ends the
 * process, and is told on stdout. */
static jint creation_failed(const ebb_error *err)
{
    if (err->status == EBB_UNAVAILABLE) {
        printf("Error occurred during initialization of VM\n%s\n", err->text);
        fflush(stdout);
        _exit(1);
    }
    fprintf(err->status == EBB_UNSUPPORTED ? stdout : stderr, "%s\n", err->text);
    jvm.java_vm = NULL;
    return JNI_ERR;
}

JVM_EXPORT(jint, JNI_CreateJavaVM, JavaVM **vm, void **env, void *args)
{
    static bool created;
    if (created)
        return JNI_EEXIST;
    created = true;
    home = pthread_self();
    jvm_agent_init();
    ebb_error err = { 0 };
    if (!jvm_find_home(&err) || jvm_record_start(&err) != EBB_OK)
        return creation_failed(&err);
    if (jvm_options_read(&jvm.options, args, &err) != EBB_OK)
        return creation_failed(&err);
    if (jvm_record_begin(&err) != EBB_OK)
        return creation_failed(&err);
    jvm_explore_init();
    jvm_capture_init();
    jvm.java_vm = &jvm_invoke_table;
    jvm_threads_init();
    jvm_thread *main = jvm_thread_new(true);
    jvm_self = main;
    jvm_record_enter_launcher(main, __builtin_frame_address(0));
    if (!jvm_boot(main, &err))
        return creation_failed(&err);
    if (jvm_agent_on)
        jvm_agent_started();
    else if (jvm_is_replaying())
        jvm_agent_replays();
    if (jvm_is_replaying())
        jvm_replay_launcher(jvm_self);
    jvm_record_leave_to_launcher(main);
    *vm = &jvm.java_vm;
    *env = main;
    return JNI_OK;
}

/* ---- the invocation table ---- */

/* A Thread object for C code that came in from outside: "DestroyJavaVM", or what the caller named. */
static bool make_thread_object(jvm_thread *t, const char *name, jobject group, bool daemon)
{
    jvm_obj *thread = jvm_new_object(t, jvm.classes.Thread);
    if (thread == NULL)
        return false;
    t->object = thread;
    t->daemon = daemon;
    jvm_put_i64(thread, jvm.fields.Thread_eetop, (int64_t)(intptr_t)t);
    jvm_put_i32(thread, jvm.fields.Thread_priority, 5);
    jvm_put_u8(thread, jvm.fields.Thread_daemon, daemon);
    jvm_callv(t, jvm.methods.Thread_init, thread, jvm_deref(group), jvm_string_new(t, name));
    jvm_put_i32(thread, jvm.fields.Thread_threadStatus, JVM_THREAD_RUNNABLE);
    return !jvm_pending(t);
}

/* The group of the main thread, which attached threads join unless they name another. */
static jobject main_group;

jint jvm_attach_current(const char *name, jvm_obj *group, bool daemon)
{
    jvm_thread *t = jvm_thread_new(true);
    jvm_self = t;
    jvm_record_enter_launcher(t, __builtin_frame_address(0));
    bool ok = make_thread_object(t, name, (jobject)&group, daemon);
    jvm_record_leave_to_launcher(t);
    return ok ? JNI_OK : JNI_ERR;
}

static jint attach(void **env, JavaVMAttachArgs *args, const char *default_name, bool daemon)
{
    jint result = JNI_OK;
    if (jvm_self == NULL) {
        const char *name = args != NULL && args->name != NULL ? args->name : default_name;
        jvm_obj *group = jvm_deref(args != NULL && args->group != NULL ? args->group : main_group);
        jvm_record_life(JVM_EVENT_ATTACH, name, group, daemon);
        result = jvm_attach_current(name, group, daemon);
        if (jvm_is_replaying())
            jvm_replay_launcher(jvm_self);
    }
    *env = jvm_self;
    return result;
}

static jint refuse_foreign(void)
{
    static bool told;
    if (!told)
        fprintf(stderr, "ebb VM warning: a native library's own thread may not run Java here: AttachCurrentThread gives JNI_ERR\n");
    told = true;
    return JNI_ERR;
}

static jint JNICALL invoke_attach(JavaVM *vm, void **env, void *args)
{
    return is_foreign_thread() ? refuse_foreign() : attach(env, args, "Thread-attached", false);
}

static jint JNICALL invoke_attach_as_daemon(JavaVM *vm, void **env, void *args)
{
    return is_foreign_thread() ? refuse_foreign() : attach(env, args, "Thread-attached", true);
}

static void remember_main_group(const jvm_thread *t)
{
    jvm_obj *group = jvm_get_ref(t->object, jvm.fields.Thread_group);
    if (main_group == NULL && group != NULL)
        main_group = jvm_global_new(group);
}

/* Ends the Java life of the calling thread: what it threw goes to its handler, those who join wake up. */
jint jvm_detach_current(void)
{
    jvm_thread *t = jvm_self;
    if (t == NULL)
        return JNI_OK;
    if (jvm_top_frame(t) != NULL)
        return JNI_ERR; /* Java code is still running below */
    (void)jvm_border_leave(t, __builtin_frame_address(0));
    remember_main_group(t);
    jvm_thread_exit(t);
    jvm_thread_free(t);
    jvm_self = NULL;
    return JNI_OK;
}

/* The launcher ends with 1 if main threw: its thread detaches with that, then destroys the machine. */
static _Thread_local int launcher_status;

static jint JNICALL invoke_detach(JavaVM *vm)
{
    launcher_status = jvm_self != NULL && jvm_pending(jvm_self);
    jvm_record_life(JVM_EVENT_DETACH, NULL, NULL, false);
    jint result = jvm_detach_current();
    if (jvm_is_replaying())
        jvm_replay_launcher(jvm_self);
    return result;
}

void jvm_destroy_here(void)
{
    jvm_border border = jvm_border_leave(jvm_self, __builtin_frame_address(0));
    jvm_destroy(jvm_self);
    jvm_border_return(jvm_self, border);
}

static jint JNICALL invoke_destroy(JavaVM *vm)
{
    void *env;
    if (attach(&env, NULL, "DestroyJavaVM", false) != JNI_OK)
        return JNI_ERR;
    jvm_record_life(JVM_EVENT_DESTROY, NULL, NULL, false);
    jvm_destroy_here();
    if (jvm_explore_on)
        jvm_explore_exits(0);
    if (jvm_agent_on)
        jvm_agent_exits();
    jvm_record_exit(launcher_status);
    return JNI_OK;
}

_Noreturn void jvm_finish_as_launcher(void)
{
    int status = jvm_self != NULL && jvm_pending(jvm_self);
    (void)invoke_detach(&jvm.java_vm);
    (void)invoke_destroy(&jvm.java_vm);
    exit(status);
}

static jint JNICALL invoke_get_env(JavaVM *vm, void **env, jint version)
{
    *env = NULL;
    if (jvm_self == NULL || is_foreign_thread())
        return JNI_EDETACHED;
    bool known = version == JNI_VERSION_1_1 || version == JNI_VERSION_1_2 || version == JNI_VERSION_1_4 ||
                 version == JNI_VERSION_1_6 || version == JNI_VERSION_1_8 || version == JNI_VERSION_9 ||
                 version == JNI_VERSION_10;
    if (!known)
        return JNI_EVERSION; /* JVMTI and JMM interfaces among them */
    *env = jvm_self;
    return JNI_OK;
}

const struct JNIInvokeInterface_ jvm_invoke_table = {
    .DestroyJavaVM = invoke_destroy,
    .AttachCurrentThread = invoke_attach,
    .DetachCurrentThread = invoke_detach,
    .GetEnv = invoke_get_env,
    .AttachCurrentThreadAsDaemon = invoke_attach_as_daemon,
};

JVM_EXPORT(jboolean, JVM_IsSupportedJNIVersion, jint version)
{
    return version == JNI_VERSION_1_1 || version == JNI_VERSION_1_2 || version == JNI_VERSION_1_4 ||
           version == JNI_VERSION_1_6 || version == JNI_VERSION_1_8 || version == JNI_VERSION_9 ||
           version == JNI_VERSION_10;
}

/* ---- halting ---- */

JVM_EXPORT(void, JVM_BeforeHalt, void) {}

JVM_EXPORT(void, JVM_Halt, jint status) { jvm_halt(status); }

/* ---- memory ---- */

JVM_EXPORT(void, JVM_GC, void)
{
    if (!jvm.options.explicit_gc_off)
        jvm_gc(jvm_self);
    jvm_flow_collect();
}

JVM_EXPORT(jlong, JVM_MaxMemory, void) { return (jlong)jvm_heap_get_stats().max; }

JVM_EXPORT(jlong, JVM_TotalMemory, void) { return (jlong)jvm_heap_get_stats().committed; }

JVM_EXPORT(jlong, JVM_FreeMemory, void)
{
    jvm_heap_stats stats = jvm_heap_get_stats();
    return stats.committed > stats.used ? (jlong)(stats.committed - stats.used) : 0;
}

/* The value is a promise that no object went uninspected for longer: we collect when asked only. */
JVM_EXPORT(jlong, JVM_MaxObjectInspectionAge, void) { return 0; }

/* ---- processors and time ---- */

static long count_processors(void)
{
    if (jvm.options.processors > 0)
        return (jint)jvm.options.processors;
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n;
}

JVM_EXPORT(jint, JVM_ActiveProcessorCount, void)
{
    return (jint)JVM_OUTSIDE(PROCESSORS, count_processors());
}

JVM_EXPORT(jboolean, JVM_IsUseContainerSupport, void) { return JNI_FALSE; }

JVM_EXPORT(jlong, JVM_CurrentTimeMillis, JNIEnv *env, jclass unused) { return jvm_now_wall_ns() / 1000000; }

JVM_EXPORT(jlong, JVM_NanoTime, JNIEnv *env, jclass unused) { return jvm_now_monotonic_ns(); }

/* Nanoseconds since `offset_seconds`, or -1 when that is too far from now to fit. */
JVM_EXPORT(jlong, JVM_GetNanoTimeAdjustment, JNIEnv *env, jclass unused, jlong offset_seconds)
{
    const jlong reach = INT64_C(1) << 32;
    int64_t now = jvm_now_wall_ns(), seconds = now / 1000000000;
    int64_t diff = (int64_t)((uint64_t)seconds - (uint64_t)offset_seconds);
    if (diff < -reach || diff > reach)
        return -1;
    return diff * 1000000000 + now % 1000000000;
}

/* ---- properties ---- */

/* Rows that the machine adds unless the user gave them. */
typedef struct default_property {
    const char *key, *value; /* value NULL: computed by the function */
    char *(*compute)(void);  /* caller frees */
} default_property;

/* In replay the class library may lie elsewhere than it did; the program is told where it was. */
static const char *shown_home(void) { return jvm_is_replaying() ? jvm_recipe_now.home : jvm.home; }

static char *boot_library_path(void) { return ebb_asprintf("%s/lib", shown_home()); }
static char *java_home(void) { return ebb_strdup(shown_home()); }

/* LD_LIBRARY_PATH first, then where Debian keeps native halves of Java packages. */
static char *library_path(void)
{
    char *env = jvm_outside_getenv("LD_LIBRARY_PATH");
    char *path = ebb_asprintf("%s%s/usr/java/packages/lib:/usr/lib/x86_64-linux-gnu/jni:/lib/x86_64-linux-gnu:"
                        "/usr/lib/x86_64-linux-gnu:/usr/lib/jni:/lib:/usr/lib",
                              env == NULL ? "" : env, env == NULL || *env == '\0' ? "" : ":");
    free(env);
    return path;
}

static char *boot_append(void) { return ebb_strdup(jvm.options.boot_append == NULL ? "" : jvm.options.boot_append); }

static const default_property defaults[] = {
    { "java.vm.specification.name", "Java Virtual Machine Specification" },
    { "java.vm.specification.vendor", "Oracle Corporation" },
    { "java.vm.specification.version", "17" },
    { "java.vm.name", "ebb VM" },
    { "java.vm.vendor", "ebb" },
    { "java.vm.version", EBB_VERSION },
    { "java.vm.info", "interpreted mode" },
    { "jdk.debug", "release" },
    { "java.home", .compute = java_home },
    { "sun.boot.library.path", .compute = boot_library_path },
    { "java.library.path", .compute = library_path },
    { "java.class.path", "" },
    { "jdk.boot.class.path.append", .compute = boot_append },
};

enum { NDEFAULTS = sizeof defaults / sizeof *defaults };

static void put_property(jvm_thread *t, jvm_obj *array, int32_t *at, const char *key, const char *value)
{
    jvm_elem_put_ref(array, (*at)++, jvm_string_new(t, key));
    jvm_elem_put_ref(array, (*at)++, jvm_string_new(t, value == NULL ? "" : value));
}

/* {key, value, key, value, ...}; null pairs at the end are allowed. */
JVM_EXPORT(jobjectArray, JVM_GetProperties, JNIEnv *env)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    int32_t npairs = (int32_t)(NDEFAULTS + jvm.options.properties.n), at = 0;
    jvm_obj *array = jvm_new_ref_array(t, jvm.classes.String, 2 * npairs);
    for (int i = 0; array != NULL && i < NDEFAULTS; i++) {
        if (jvm_property_get(defaults[i].key) != NULL)
            continue;
        char *value = defaults[i].compute != NULL ? defaults[i].compute() : ebb_strdup(defaults[i].value);
        put_property(t, array, &at, defaults[i].key, value);
        free(value);
    }
    for (size_t i = 0; array != NULL && i < jvm.options.properties.n; i++)
        put_property(t, array, &at, jvm.options.properties.items[i].key, jvm.options.properties.items[i].value);
    return jvm_local(t, array);
}

bool jvm_is_launchers_argument(const char *arg)
{
    return ebb_text_starts(arg, "-Djava.class.path=") || ebb_text_starts(arg, "-Dsun.java.command=") ||
           ebb_text_starts(arg, "-Dsun.java.launcher=") || ebb_text_starts(arg, "-Djdk.module.main");
}

JVM_EXPORT(jobjectArray, JVM_GetVmArguments, JNIEnv *env)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    EBB_VEC(const char *) given = { 0 };
    for (size_t i = 0; i < jvm.options.vm_args.n; i++)
        if (!jvm_is_launchers_argument(jvm.options.vm_args.items[i]))
            ebb_vec_push(&given, jvm.options.vm_args.items[i]);
    jvm_obj *array = jvm_new_ref_array(t, jvm.classes.String, (int32_t)given.n);
    for (size_t i = 0; array != NULL && i < given.n; i++)
        jvm_elem_put_ref(array, (int32_t)i, jvm_string_new(t, given.items[i]));
    ebb_vec_fini(&given);
    return jvm_local(t, array);
}

static void put_agent_property(jvm_thread *t, jobject properties, const char *key, const char *value)
{
    jvm_method *put = jvm_class_find_method_text(jvm_deref(properties)->cls, "put",
                                                 "(Ljava/lang/Object;Ljava/lang/Object;)Ljava/lang/Object;");
    if (put != NULL && !jvm_pending(t))
        jvm_callv(t, put, jvm_deref(properties), jvm_string_new(t, key), jvm_string_new(t, value));
}

/* What tools that attach to a JVM see. */
JVM_EXPORT(jobject, JVM_InitAgentProperties, JNIEnv *env, jobject properties)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    const char *command = jvm_property_get("sun.java.command");
    ebb_buf args = { 0 };
    for (size_t i = 0; i < jvm.options.vm_args.n; i++)
        ebb_buf_addf(&args, "%s%s", i == 0 ? "" : " ", jvm.options.vm_args.items[i]);
    put_agent_property(t, properties, "sun.java.command", command == NULL ? "" : command);
    put_agent_property(t, properties, "sun.jvm.flags", "");
    put_agent_property(t, properties, "sun.jvm.args", ebb_buf_text(&args));
    ebb_buf_fini(&args);
    return properties;
}

JVM_EXPORT(jstring, JVM_GetTemporaryDirectory, JNIEnv *env)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    return jvm_local(t, jvm_string_new(t, "/tmp"));
}
