/* jni_call.c - JNI: the Call<Type>Method families and constructors.
 *
 * 90 functions, one way through: arguments come as a va_list or an array of jvalue, become the slots of
 * a frame, and the result's slot becomes the C type. */
#include <stdarg.h>

#include "jvm/engine/invoke.h"
#include "jvm/border/jni_impl.h"
#include "jvm/record/jni_record.h"
#include "jvm/record/launcher.h"
#include "jvm/record/memory.h"

enum { MAX_ARG_SLOTS = 256 }; /* JVMS 4.3.3 allows 255 */

/* ---- arguments ---- */

static jvm_slot slot_of_jvalue(char type, jvalue v)
{
    switch (type) {
#define CASE(T, ctype, letter, jv, slot) case letter: return (jvm_slot){ .slot = v.jv };
        JNI_PRIMITIVES(CASE)
#undef CASE
    default: return (jvm_slot){ .a = jvm_deref(v.l) };
    }
}

/* C promotes the small types to int and float to double. */
static jvm_slot slot_of_vararg(char type, va_list *va)
{
    switch (type) {
    case 'Z': return (jvm_slot){ .i = va_arg(*va, int) & 1 };
    case 'B': return (jvm_slot){ .i = (jbyte)va_arg(*va, int) };
    case 'C': return (jvm_slot){ .i = (jchar)va_arg(*va, int) };
    case 'S': return (jvm_slot){ .i = (jshort)va_arg(*va, int) };
    case 'I': return (jvm_slot){ .i = va_arg(*va, int) };
    case 'J': return (jvm_slot){ .j = va_arg(*va, int64_t) };
    case 'F': return (jvm_slot){ .f = (float)va_arg(*va, double) };
    case 'D': return (jvm_slot){ .d = va_arg(*va, double) };
    default: return (jvm_slot){ .a = jvm_deref(va_arg(*va, jobject)) };
    }
}

typedef struct arguments { /* one of the two */
    const jvalue *values;
    va_list *va;
} arguments;

static void fill_arguments(jvm_slot *slots, const jvm_method *m, arguments from)
{
    const char *type;
    size_t nbytes, i = 0;
    jvm_sig_iter it = jvm_sig_start(m->sig);
    for (char letter; (letter = jvm_sig_next(&it, &type, &nbytes)) != 0; i++) {
        *slots = from.values != NULL ? slot_of_jvalue(letter, from.values[i]) : slot_of_vararg(letter, from.va);
        slots += jvm_type_slots(letter);
    }
}

static jvm_slot invoke(jvm_thread *t, enum jvm_jni_call kind, jvm_method *m, jvm_slot *slots)
{
    if (kind == JVM_JNI_CALL_STATIC)
        return jvm_call(t, m, slots);
    if (!jvm_check_not_null(t, slots[0].a))
        return (jvm_slot){ .raw = 0 };
    bool exact = kind == JVM_JNI_CALL_EXACT || jvm_method_is_init(m) || (m->access & JVM_ACC_PRIVATE) != 0;
    return exact ? jvm_call(t, m, slots) : jvm_call_virtual(t, m, slots);
}

jvm_slot jvm_jni_invoke(jvm_thread *t, enum jvm_jni_call kind, jvm_method *m, jvm_slot *slots)
{
    jvm_border border = jvm_border_leave(t, __builtin_frame_address(0));
    jvm_slot result = invoke(t, kind, m, slots);
    jvm_border_return(t, border);
    return result;
}

static jobject result_handle(jvm_thread *t, jvm_obj *o)
{
    if (jvm_pending(t))
        return NULL;
    jvm_record_jni_local(t, o);
    return jvm_local(t, o);
}

static jvm_slot call(JNIEnv *env, jobject receiver, jmethodID id, enum jvm_jni_call kind, arguments from)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_method *m = (jvm_method *)id;
    jvm_slot slots[MAX_ARG_SLOTS];
    slots[0] = (jvm_slot){ .a = jvm_deref(receiver) };
    fill_arguments(slots + (kind != JVM_JNI_CALL_STATIC), m, from);
    jvm_record_jni_call(t, kind, m, slots);
    jvm_slot result = jvm_jni_invoke(t, kind, m, slots);
    if (jvm_in_recorded_native(t))
        jvm_windows_enter(t);
    return result;
}

static jvm_slot call_va(JNIEnv *env, jobject receiver, jmethodID id, enum jvm_jni_call kind, va_list va)
{
    va_list copy;
    va_copy(copy, va);
    jvm_slot result = call(env, receiver, id, kind, (arguments){ .va = &copy });
    va_end(copy);
    return result;
}

static jvm_slot call_values(JNIEnv *env, jobject receiver, jmethodID id, enum jvm_jni_call kind, const jvalue *values)
{
    static const jvalue none;
    return call(env, receiver, id, kind, (arguments){ .values = values != NULL ? values : &none });
}

/* ---- the families ---- */

/* The three spellings of one call: variadic, va_list, array.  PARAMS is what stands between env and
 * the arguments, LAST its last parameter, RESULT turns the slot `r` into the C type. */
#define SPELLINGS(ctype, name, LAST, kind, receiver, RESULT, ...)                                  \
    ctype jvm_jni_##name(JNIEnv *env, __VA_ARGS__, ...)                                            \
    {                                                                                              \
        va_list va;                                                                                \
        va_start(va, LAST);                                                                        \
        jvm_slot r = call_va(env, receiver, LAST, kind, va);                                       \
        va_end(va);                                                                                \
        RESULT                                                                                     \
    }                                                                                              \
    ctype jvm_jni_##name##V(JNIEnv *env, __VA_ARGS__, va_list va)                                  \
    {                                                                                              \
        jvm_slot r = call_va(env, receiver, LAST, kind, va);                                       \
        RESULT                                                                                     \
    }                                                                                              \
    ctype jvm_jni_##name##A(JNIEnv *env, __VA_ARGS__, const jvalue *values)                        \
    {                                                                                              \
        jvm_slot r = call_values(env, receiver, LAST, kind, values);                               \
        RESULT                                                                                     \
    }

#define FAMILY(ctype, T, RESULT)                                                                   \
    SPELLINGS(ctype, Call##T##Method, id, JVM_JNI_CALL_VIRTUAL, object, RESULT, jobject object, jmethodID id) \
    SPELLINGS(ctype, CallNonvirtual##T##Method, id, JVM_JNI_CALL_EXACT, object, RESULT, jobject object, jclass cls, jmethodID id) \
    SPELLINGS(ctype, CallStatic##T##Method, id, JVM_JNI_CALL_STATIC, NULL, RESULT, jclass cls, jmethodID id)

#define PRIMITIVE_FAMILY(T, ctype, letter, jv, slot) FAMILY(ctype, T, return (ctype)r.slot;)
JNI_PRIMITIVES(PRIMITIVE_FAMILY)
FAMILY(jobject, Object, return result_handle(jvm_env_thread(env), r.a);)
FAMILY(void, Void, (void)r;)

/* ---- objects ---- */

static bool check_instantiable(jvm_thread *t, const jvm_class *cls)
{
    if (cls->kind == JVM_KIND_INSTANCE && !(cls->access & (JVM_ACC_INTERFACE | JVM_ACC_ABSTRACT)) &&
        cls != jvm.classes.Class)
        return true;
    char *name = jvm_class_external_name(cls);
    jvm_throw(t, "java/lang/InstantiationException", "%s", name);
    free(name);
    return false;
}

static jobject alloc(jvm_thread *t, jvm_class *cls)
{
    if (!check_instantiable(t, cls) || !jvm_ensure_init(t, cls))
        return NULL;
    jvm_gc_point(t);
    return jvm_local(t, jvm_new_object(t, cls));
}

jobject jvm_jni_alloc(jvm_thread *t, jvm_class *cls)
{
    jvm_border border = jvm_border_leave(t, __builtin_frame_address(0));
    jobject object = alloc(t, cls);
    jvm_border_return(t, border);
    return object;
}

static jobject alloc_object(JNIEnv *env, jclass handle)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_class *cls = jvm_handle_class(handle);
    jvm_record_jni_alloc(t, cls);
    return jvm_jni_alloc(t, cls);
}

jobject jvm_jni_AllocObject(JNIEnv *env, jclass cls) { return alloc_object(env, cls); }

jobject jvm_jni_NewObjectV(JNIEnv *env, jclass cls, jmethodID id, va_list va)
{
    jobject object = alloc_object(env, cls);
    if (object != NULL)
        call_va(env, object, id, JVM_JNI_CALL_EXACT, va);
    return jvm_pending(jvm_env_thread(env)) ? NULL : object;
}

jobject jvm_jni_NewObjectA(JNIEnv *env, jclass cls, jmethodID id, const jvalue *values)
{
    jobject object = alloc_object(env, cls);
    if (object != NULL)
        call_values(env, object, id, JVM_JNI_CALL_EXACT, values);
    return jvm_pending(jvm_env_thread(env)) ? NULL : object;
}

jobject jvm_jni_NewObject(JNIEnv *env, jclass cls, jmethodID id, ...)
{
    va_list va;
    va_start(va, id);
    jobject object = jvm_jni_NewObjectV(env, cls, id, va);
    va_end(va);
    return object;
}
