/* Class initialisation, JVMS 5.5. */
#include "jvm/classes/loader.h"

#include "base/log.h"
#include "base/mem.h"
#include "jvm/heap/handles.h"
#include "jvm/heap/heap.h"
#include "jvm/engine/invoke.h"
#include "jvm/heap/jstring.h"
#include "jvm/threads/monitor.h"
#include "jvm/classes/resolve.h"
#include "jvm/engine/throw.h"
#include "jvm/undo/undo.h"
#include "jvm/jvm.h"

static bool lock_init(jvm_thread *t, jvm_class *cls)
{
    jvm_undo_keep(&cls->init_lock, sizeof cls->init_lock);
    if (cls->init_lock == NULL)
        cls->init_lock = jvm_new_prim_array(t, 'I', 0);
    if (cls->init_lock == NULL)
        return false;
    jvm_monitor_enter(t, cls->init_lock);
    return true;
}

static void finish(jvm_thread *t, jvm_class *cls, enum jvm_class_state state)
{
    jvm_obj *saved = t->exception;
    size_t mark = jvm_handles_mark(t);
    jvm_local(t, saved);
    t->exception = NULL;
    jvm_monitor_enter(t, cls->init_lock);
    jvm_undo_cut("the initialisation of a class"); /* the lock may have let others run */
    cls->state = (uint8_t)state;
    cls->initializer = NULL;
    jvm_monitor_notify(t, cls->init_lock, true);
    jvm_monitor_exit(t, cls->init_lock);
    t->exception = saved;
    jvm_handles_release(t, mark);
}

static bool set_constants(jvm_thread *t, jvm_class *cls)
{
    for (uint16_t i = 0; i < cls->nfields; i++) {
        const jvm_field *f = &cls->fields[i];
        if (f->constant == 0 || !(f->access & JVM_ACC_STATIC))
            continue;
        jvm_slot value = {.raw = 0};
        char type;
        if (!jvm_resolve_constant(t, cls, f->constant, &value, &type))
            return false;
        jvm_put(cls->mirror, f->offset, f->type, value);
    }
    return true;
}

/* Why it failed is kept as an ExceptionInInitializerError that copies message and trace of the first
 * error, so that the error itself isn't kept alive. */
static void remember_error(jvm_thread *t, jvm_class *cls)
{
    jvm_obj *thrown = jvm_exception_take(t);
    size_t mark = jvm_handles_mark(t);
    jvm_local(t, thrown);
    jvm_obj *first = jvm_get_ref(thrown, jvm.fields.Throwable_cause);
    if (!jvm_sym_is(thrown->cls->name, "java/lang/ExceptionInInitializerError") || first == NULL)
        first = thrown;
    char *kind = jvm_class_external_name(first->cls);
    char *message = jvm_string_utf8(jvm_get_ref(first, jvm.fields.Throwable_detailMessage));
    char *thread = jvm_string_utf8(t->object ? jvm_get_ref(t->object, jvm.fields.Thread_name) : NULL);
    jvm_throw(t, "java/lang/ExceptionInInitializerError", "Exception %s%s%s [in thread \"%s\"]", kind, *message ? ": " : "",
              message, thread);
    free(kind);
    free(message);
    free(thread);
    jvm_obj *kept = jvm_exception_take(t);
    if (kept != NULL && kept->cls == jvm.classes.ExceptionInInitializerError) {
        jvm_put_ref(kept, jvm.fields.Throwable_backtrace, jvm_get_ref(first, jvm.fields.Throwable_backtrace));
        jvm_put_i32(kept, jvm.fields.Throwable_depth, jvm_get_i32(first, jvm.fields.Throwable_depth));
        cls->init_error = kept;
    }
    t->exception = thrown;
    jvm_handles_release(t, mark);
}

static void throw_erroneous(jvm_thread *t, jvm_class *cls)
{
    char *name = jvm_class_external_name(cls);
    char *text = ebb_asprintf("Could not initialize class %s", name);
    if (cls->init_error != NULL) {
        t->exception = cls->init_error;
        jvm_throw_wrapped(t, "java/lang/NoClassDefFoundError", text);
    } else {
        jvm_throw(t, "java/lang/NoClassDefFoundError", "%s", text);
    }
    free(name);
    free(text);
}

/* Only interfaces with default methods are initialised together with an implementing class. */
static bool has_defaults(const jvm_class *iface)
{
    for (uint16_t i = 0; i < iface->nmethods; i++)
        if (!(iface->methods[i].access & (JVM_ACC_STATIC | JVM_ACC_ABSTRACT | JVM_ACC_PRIVATE)))
            return true;
    return false;
}

static bool init_interfaces(jvm_thread *t, jvm_class *cls)
{
    for (uint16_t i = 0; i < cls->ninterfaces; i++) {
        jvm_class *iface = cls->interfaces[i];
        if (!init_interfaces(t, iface) || (has_defaults(iface) && !jvm_ensure_init(t, iface)))
            return false;
    }
    return true;
}

/* An exception that isn't an Error leaves as ExceptionInInitializerError. */
static void wrap_exception(jvm_thread *t)
{
    if (jvm_instance_of(t->exception, jvm.classes.Error))
        return;
    size_t mark = jvm_handles_mark(t);
    jvm_obj *cause = jvm_exception_take(t);
    jvm_local(t, cause);
    jvm_class *cls = jvm_load_boot(t, "java/lang/ExceptionInInitializerError");
    jvm_method *init = cls ? jvm_class_find_method_text(cls, "<init>", "(Ljava/lang/Throwable;)V") : NULL;
    if (init != NULL && jvm_ensure_init(t, cls)) {
        jvm_obj *error = jvm_new_object(t, cls);
        if (error != NULL) {
            jvm_local(t, error);
            jvm_callv(t, init, error, cause);
            if (!jvm_pending(t))
                t->exception = error;
        }
    }
    jvm_handles_release(t, mark);
}

static bool run_initializer(jvm_thread *t, jvm_class *cls)
{
    if (!set_constants(t, cls))
        return false;
    if (!jvm_class_is_interface(cls)) {
        if (cls->super != NULL && !jvm_ensure_init(t, cls->super))
            return false;
        if (!init_interfaces(t, cls))
            return false;
    }
    if (cls->clinit == NULL)
        return true;
    ebb_log("%s", cls->name->text);
    jvm_call(t, cls->clinit, NULL);
    if (!jvm_pending(t))
        return true;
    wrap_exception(t);
    return false;
}

bool jvm_init_class(jvm_thread *t, jvm_class *cls)
{
    if (cls->state == JVM_CLASS_INITIALIZED || (cls->state == JVM_CLASS_INITIALIZING && cls->initializer == t))
        return true;
    if (!jvm_link_class(t, cls) || !lock_init(t, cls))
        return false;
    uint64_t before = jvm_undo_enter_context(t); /* callers may own memory that they free */
    while (cls->state == JVM_CLASS_INITIALIZING && cls->initializer != t) {
        jvm_monitor_wait(t, cls->init_lock, 0);
        t->exception = NULL; /* an interrupt doesn't end this wait */
    }
    jvm_undo_leave_context(t, before);
    if (cls->state >= JVM_CLASS_INITIALIZED) {
        bool ok = cls->state == JVM_CLASS_INITIALIZED;
        jvm_monitor_exit(t, cls->init_lock);
        if (!ok)
            throw_erroneous(t, cls);
        return ok;
    }
    jvm_undo_cut("the initialisation of a class"); /* code is quickened by it, and stays so */
    cls->state = JVM_CLASS_INITIALIZING;
    cls->initializer = t;
    jvm_monitor_exit(t, cls->init_lock);
    bool ok = run_initializer(t, cls);
    if (!ok)
        remember_error(t, cls);
    finish(t, cls, ok ? JVM_CLASS_INITIALIZED : JVM_CLASS_ERROR);
    return ok;
}
