/* From nothing to a machine that can run main: the order is the class library's (jvm.h). */
#include "jvm/flow/flow.h"
#include "jvm/undo/undo.h"
#include "jvm/jvm.h"

#include "base/log.h"
#include "jvm/heap/handles.h"
#include "jvm/heap/heap.h"
#include "jvm/engine/interp.h"
#include "jvm/engine/invoke.h"
#include "jvm/heap/jstring.h"
#include "jvm/classes/module.h"
#include "jvm/border/native.h"
#include "jvm/threads/scheduler.h"
#include "jvm/engine/throw.h"
#include "jvm/engine/throw_init.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

jvm_machine jvm;

/* The launcher's libjli lies in its lib/. */
bool jvm_find_home(ebb_error *err)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(path, '/');
        if (slash != NULL)
            *slash = '\0';
    }
    char *modules = ebb_asprintf("%s/lib/modules", path);
    bool found = access(modules, R_OK) == 0;
    free(modules);
    if (found)
        jvm.home = ebb_strdup(path);
    else
        ebb_fail(err, EBB_NOT_FOUND, "cannot find lib/modules beside the java launcher");
    return found;
}

static jvm_class *early(jvm_thread *t, jvm_class **slot, const char *name)
{
    *slot = jvm_load_boot(t, name);
    if (*slot == NULL || !jvm_link_class(t, *slot))
        return NULL;
    jvm_known_fields_of(*slot);
    return *slot;
}

/* Object, Class and String have to exist before mirrors and strings can. */
static bool make_core(jvm_thread *t)
{
    if (!early(t, &jvm.classes.Object, "java/lang/Object") || !early(t, &jvm.classes.Class, "java/lang/Class") ||
        !early(t, &jvm.classes.String, "java/lang/String"))
        return false;
    if (!jvm_make_missing_mirrors(t))
        return false;
    for (const char *p = "ZBCSIJFDV"; *p != '\0'; p++)
        if (jvm_prim_class(*p) == NULL)
            return false;
    jvm_known_fields_of(jvm.classes.String); /* its static now has a place */
    return jvm_known_load(t);
}

static bool init(jvm_thread *t, const char *name)
{
    jvm_class *cls = jvm_load_boot(t, name);
    return cls != NULL && jvm_init_class(t, cls);
}

static bool init_all(jvm_thread *t, const char *const *names)
{
    for (; *names != NULL; names++)
        if (!init(t, *names))
            return false;
    return true;
}

static jvm_obj *new_group(jvm_thread *t, jvm_obj *parent, const char *name)
{
    jvm_obj *group = jvm_new_object(t, jvm.classes.ThreadGroup);
    jvm_local(t, group);
    if (parent == NULL)
        jvm_callv(t, jvm.methods.ThreadGroup_init, group);
    else
        jvm_callv(t, jvm.methods.ThreadGroup_init_named, group, parent, jvm_string_new(t, name));
    return jvm_pending(t) ? NULL : group;
}

/* The Thread object must look alive before its constructor runs: that asks for the current thread. */
static bool make_main_thread(jvm_thread *t)
{
    jvm_obj *system = new_group(t, NULL, NULL);
    jvm_obj *group = system ? new_group(t, system, "main") : NULL;
    if (group == NULL || !init(t, "java/lang/Thread"))
        return false;
    t->object = jvm_new_object(t, jvm.classes.Thread);
    jvm_put_i64(t->object, jvm.fields.Thread_eetop, (int64_t)(uintptr_t)t);
    jvm_put_i32(t->object, jvm.fields.Thread_priority, 5);
    jvm_callv(t, jvm.methods.Thread_init, t->object, group, jvm_string_new(t, "main"));
    jvm_put_i32(t->object, jvm.fields.Thread_threadStatus, JVM_THREAD_RUNNABLE);
    return !jvm_pending(t);
}

static bool set_unsafe_constants(jvm_thread *t)
{
    if (!init(t, "jdk/internal/misc/UnsafeConstants"))
        return false;
    jvm_obj *mirror = jvm.classes.UnsafeConstants->mirror;
    jvm_put_i32(mirror, jvm.fields.UnsafeConstants_ADDRESS_SIZE0, 8);
    jvm_put_i32(mirror, jvm.fields.UnsafeConstants_PAGE_SIZE, 4096);
    jvm_put_u8(mirror, jvm.fields.UnsafeConstants_UNALIGNED_ACCESS, 1);
    return true;
}

static bool run_phases(jvm_thread *t, ebb_error *err)
{
    static const char *const errors[] = {"java/lang/OutOfMemoryError", "java/lang/NullPointerException",
        "java/lang/ClassCastException", "java/lang/ArrayStoreException", "java/lang/ArithmeticException",
        "java/lang/StackOverflowError", "java/lang/IllegalMonitorStateException", "java/lang/IllegalArgumentException", NULL};
    static const char *const handles[] = {"java/lang/invoke/MethodHandle", "java/lang/invoke/ResolvedMethodName",
        "java/lang/invoke/MemberName", "java/lang/invoke/MethodHandleNatives", NULL};
    jvm_callv(t, jvm.methods.System_initPhase1);
    if (jvm_pending(t) || !init_all(t, errors) || !init_all(t, handles))
        return false;
    int32_t result = jvm_callv(t, jvm.methods.System_initPhase2, 0, 0).i;
    if (jvm_pending(t))
        return false;
    if (result != 0)
        jvm_halt(1); /* the class library has said why */
    jvm.modules_ready = true;
    jvm_callv(t, jvm.methods.System_initPhase3);
    return !jvm_pending(t);
}

static bool run_java(jvm_thread *t, ebb_error *err)
{
    static const char *const first[] = {"java/lang/String", "java/lang/System", "java/lang/Class", "java/lang/ThreadGroup", NULL};
    static const char *const second[] = {"java/lang/Module", NULL};
    static const char *const third[] = {"java/lang/reflect/Method", "java/lang/ref/Finalizer", NULL};
    if (!init_all(t, first))
        return false;
    jvm_put_u8(jvm.classes.String->mirror, jvm.fields.String_COMPACT_STRINGS, 1);
    return make_main_thread(t) && init_all(t, second) && set_unsafe_constants(t) && init_all(t, third) && run_phases(t, err);
}

bool jvm_boot(jvm_thread *t, ebb_error *err)
{
    err->text[0] = '\0';
    jvm_sched_start_quantum(t);
    jvm_heap_init(jvm.options.heap_max);
    jvm_interpret_init();
    jvm_loader_init(jvm.home, jvm.options.boot_append);
    jvm_module_init();
    jvm_natives_init();
    bool ok = make_core(t);
    if (ok)
        jvm_throw_init(t);
    ok = ok && jvm_boot_library("java") != NULL && run_java(t, err);
    jvm_handles_release(t, 0);
    if (!ok) {
        if (err->text[0] == '\0')
            ebb_fail(err, EBB_UNSUPPORTED, "Error occurred during initialization of VM");
        if (t->exception != NULL)
            jvm_print_exception(t, t->exception);
        return false;
    }
    jvm.booted = true;
    jvm_undo_init();
    jvm_flow_init();
    return true;
}
