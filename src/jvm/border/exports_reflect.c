/* exports_reflect.c - JVM_* functions that serve java.lang.reflect and the caller-sensitive parts of it. */
#include "jvm/border/exports.h"
#include "jvm/engine/frame.h"
#include "jvm/classes/reflect.h"

/* ---- declared members ---- */

static bool is_reflected_method(const jvm_method *m)
{
    return m->name->text[0] != '<' && !(m->flags & JVM_METHOD_OVERPASS);
}

typedef bool method_filter(const jvm_method *m);

static jobjectArray declared_methods(JNIEnv *env, jclass handle, bool public_only, method_filter *wanted,
                                     jvm_class *element)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    jvm_class *cls = jvm_handle_class(handle);
    bool has_members = cls->kind == JVM_KIND_INSTANCE;
    if (has_members && !jvm_link_class(t, cls))
        return NULL;
    int32_t n = 0, at = 0;
    for (int i = 0; has_members && i < cls->nmethods; i++)
        n += wanted(&cls->methods[i]) && (!public_only || (cls->methods[i].access & JVM_ACC_PUBLIC));
    jobjectArray array = jvm_local(t, jvm_new_ref_array(t, element, n));
    for (int i = 0; array != NULL && has_members && i < cls->nmethods; i++) {
        const jvm_method *m = &cls->methods[i];
        if (!wanted(m) || (public_only && !(m->access & JVM_ACC_PUBLIC)))
            continue;
        jvm_obj *o = jvm_reflect_method(t, m);
        if (o == NULL)
            return NULL;
        jvm_elem_put_ref(jvm_deref(array), at++, o);
    }
    return array;
}

JVM_EXPORT(jobjectArray, JVM_GetClassDeclaredMethods, JNIEnv *env, jclass cls, jboolean public_only)
{
    return declared_methods(env, cls, public_only, is_reflected_method, jvm.classes.Method);
}

JVM_EXPORT(jobjectArray, JVM_GetClassDeclaredConstructors, JNIEnv *env, jclass cls, jboolean public_only)
{
    return declared_methods(env, cls, public_only, jvm_method_is_init, jvm.classes.Constructor);
}

static bool is_reflected_field(const jvm_field *f, bool public_only)
{
    return !(f->flags & JVM_FIELD_INJECTED) && (!public_only || (f->access & JVM_ACC_PUBLIC));
}

JVM_EXPORT(jobjectArray, JVM_GetClassDeclaredFields, JNIEnv *env, jclass handle, jboolean public_only)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    jvm_class *cls = jvm_handle_class(handle);
    bool has_members = cls->kind == JVM_KIND_INSTANCE;
    if (has_members && !jvm_link_class(t, cls))
        return NULL;
    int32_t n = 0, at = 0;
    for (int i = 0; has_members && i < cls->nfields; i++)
        n += is_reflected_field(&cls->fields[i], public_only);
    jobjectArray array = jvm_local(t, jvm_new_ref_array(t, jvm.classes.Field, n));
    for (int i = 0; array != NULL && has_members && i < cls->nfields; i++) {
        if (!is_reflected_field(&cls->fields[i], public_only))
            continue;
        jvm_obj *o = jvm_reflect_field(t, &cls->fields[i]);
        if (o == NULL)
            return NULL;
        jvm_elem_put_ref(jvm_deref(array), at++, o);
    }
    return array;
}

JVM_EXPORT(jobjectArray, JVM_GetRecordComponents, JNIEnv *env, jclass handle)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    jvm_class *cls = jvm_handle_class(handle);
    if (!(cls->flags & JVM_CLASS_RECORD))
        return NULL;
    jobjectArray array = jvm_local(t, jvm_new_ref_array(t, jvm.classes.RecordComponent, cls->nrecord));
    for (int i = 0; array != NULL && i < cls->nrecord; i++) {
        jvm_obj *o = jvm_reflect_record_component(t, cls, &cls->record[i]);
        if (o == NULL)
            return NULL;
        jvm_elem_put_ref(jvm_deref(array), i, o);
    }
    return array;
}

/* ---- one member ---- */

JVM_EXPORT(jobjectArray, JVM_GetMethodParameters, JNIEnv *env, jobject executable)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    return jvm_local(t, jvm_reflect_parameters(t, jvm_deref(executable)));
}

JVM_EXPORT(jbyteArray, JVM_GetFieldTypeAnnotations, JNIEnv *env, jobject field)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    return jvm_local(t, jvm_new_byte_array(t, jvm_reflected_field(jvm_deref(field))->type_annotations));
}

JVM_EXPORT(jbyteArray, JVM_GetMethodTypeAnnotations, JNIEnv *env, jobject executable)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    return jvm_local(t, jvm_new_byte_array(t, jvm_reflected_method(jvm_deref(executable))->type_annotations));
}

JVM_EXPORT(jobject, JVM_InvokeMethod, JNIEnv *env, jobject method, jobject receiver, jobjectArray args)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    return jvm_local(t, jvm_reflect_invoke(t, jvm_reflected_method(jvm_deref(method)), jvm_deref(receiver),
                                           jvm_deref(args)));
}

JVM_EXPORT(jobject, JVM_NewInstanceFromConstructor, JNIEnv *env, jobject constructor, jobjectArray args)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    return jvm_local(t, jvm_reflect_new_instance(t, jvm_reflected_method(jvm_deref(constructor)), jvm_deref(args)));
}
