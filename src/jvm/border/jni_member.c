/* jni_member.c - JNI: finding methods and fields, reading and writing fields. */
#include "jvm/border/jni_impl.h"

/* ---- identifiers ---- */

static jvm_class *initialized(jvm_thread *t, jclass handle)
{
    jvm_class *cls = jvm_handle_class(handle);
    if (cls->kind == JVM_KIND_INSTANCE && !jvm_ensure_init(t, cls))
        return NULL;
    return cls;
}

/* <init> and <clinit> are never inherited. */
static jvm_method *find_method(const jvm_class *cls, const char *name, const char *sig)
{
    if (cls->kind == JVM_KIND_PRIMITIVE)
        return NULL;
    if (name[0] == '<') {
        const jvm_sym *n = jvm_sym_findn(name, strlen(name)), *s = jvm_sym_findn(sig, strlen(sig));
        return n == NULL || s == NULL ? NULL : jvm_class_own_method(cls, n, s);
    }
    return jvm_class_find_method_text(cls, name, sig);
}

static jmethodID method_id(JNIEnv *env, jclass handle, const char *name, const char *sig, bool is_static)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_class *cls = initialized(t, handle);
    if (cls == NULL)
        return NULL;
    jvm_method *m = find_method(cls, name, sig);
    if (m != NULL && jvm_method_is_static(m) == is_static)
        return (jmethodID)m;
    bool bare = cls->kind != JVM_KIND_INSTANCE; /* arrays are named as they are, classes as L...; */
    jvm_throw(t, "java/lang/NoSuchMethodError", "%s%s%s%s.%s%s", is_static ? "static " : "", bare ? "" : "L",
              cls->name->text, bare ? "" : ";", name, sig);
    return NULL;
}

jmethodID jvm_jni_GetMethodID(JNIEnv *env, jclass cls, const char *name, const char *sig)
{
    return method_id(env, cls, name, sig, false);
}

jmethodID jvm_jni_GetStaticMethodID(JNIEnv *env, jclass cls, const char *name, const char *sig)
{
    return method_id(env, cls, name, sig, true);
}

static jfieldID field_id(JNIEnv *env, jclass handle, const char *name, const char *sig, bool is_static)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_class *cls = initialized(t, handle);
    if (cls == NULL)
        return NULL;
    const jvm_sym *n = jvm_sym_findn(name, strlen(name)), *s = jvm_sym_findn(sig, strlen(sig));
    jvm_field *f = n == NULL || s == NULL ? NULL : jvm_class_find_field(cls, n, s);
    if (f != NULL && ((f->access & JVM_ACC_STATIC) != 0) == is_static && !(f->flags & JVM_FIELD_INJECTED))
        return (jfieldID)f;
    char *class_name = jvm_class_external_name(cls);
    if (is_static)
        jvm_throw(t, "java/lang/NoSuchFieldError", "%s", name);
    else
        jvm_throw(t, "java/lang/NoSuchFieldError", "%s.%s %s", class_name, name, sig);
    free(class_name);
    return NULL;
}

jfieldID jvm_jni_GetFieldID(JNIEnv *env, jclass cls, const char *name, const char *sig)
{
    return field_id(env, cls, name, sig, false);
}

jfieldID jvm_jni_GetStaticFieldID(JNIEnv *env, jclass cls, const char *name, const char *sig)
{
    return field_id(env, cls, name, sig, true);
}

/* ---- fields ---- */

static uint32_t field_offset(jfieldID field) { return ((jvm_field *)field)->offset; }
static jvm_obj *static_base(jfieldID field) { return ((jvm_field *)field)->cls->mirror; }

jobject jvm_jni_GetObjectField(JNIEnv *env, jobject object, jfieldID field)
{
    return jvm_local(jvm_env_thread(env), jvm_get_ref(jvm_deref(object), field_offset(field)));
}

void jvm_jni_SetObjectField(JNIEnv *env, jobject object, jfieldID field, jobject value)
{
    jvm_put_ref(jvm_deref(object), field_offset(field), jvm_deref(value));
}

jobject jvm_jni_GetStaticObjectField(JNIEnv *env, jclass cls, jfieldID field)
{
    return jvm_local(jvm_env_thread(env), jvm_get_ref(static_base(field), field_offset(field)));
}

void jvm_jni_SetStaticObjectField(JNIEnv *env, jclass cls, jfieldID field, jobject value)
{
    jvm_put_ref(static_base(field), field_offset(field), jvm_deref(value));
}

#define FIELD_FUNCTIONS(T, ctype, letter, jv, slot)                                                \
    ctype jvm_jni_Get##T##Field(JNIEnv *env, jobject object, jfieldID field)                       \
    {                                                                                              \
        return (ctype)jvm_get(jvm_deref(object), field_offset(field), letter).slot;                \
    }                                                                                              \
    void jvm_jni_Set##T##Field(JNIEnv *env, jobject object, jfieldID field, ctype value)           \
    {                                                                                              \
        jvm_put(jvm_deref(object), field_offset(field), letter, (jvm_slot){ .slot = value });      \
    }                                                                                              \
    ctype jvm_jni_GetStatic##T##Field(JNIEnv *env, jclass cls, jfieldID field)                     \
    {                                                                                              \
        return (ctype)jvm_get(static_base(field), field_offset(field), letter).slot;               \
    }                                                                                              \
    void jvm_jni_SetStatic##T##Field(JNIEnv *env, jclass cls, jfieldID field, ctype value)         \
    {                                                                                              \
        jvm_put(static_base(field), field_offset(field), letter, (jvm_slot){ .slot = value });     \
    }
JNI_PRIMITIVES(FIELD_FUNCTIONS)
