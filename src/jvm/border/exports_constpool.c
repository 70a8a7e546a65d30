/* exports_constpool.c - jdk.internal.reflect.ConstantPool, which annotations are parsed with.
 *
 * Its field constantPoolOop is the mirror of the class whose pool it stands for; libjava passes us the
 * ConstantPool and that field's value. */
#include "jvm/border/exports.h"
#include "jvm/heap/jstring.h"
#include "jvm/classes/reflect.h"
#include "jvm/classes/resolve.h"

static jvm_class *pool_class(jobject mirror) { return jvm_handle_class(mirror); }

/* The class when the entry exists and has one of the tags; else NULL, IllegalArgumentException pending. */
static jvm_class *entry(jvm_thread *t, jobject pool, jint index, const char *tags)
{
    jvm_class *cls = pool_class(pool);
    if (index <= 0 || index >= cls->pool.n) {
        jvm_throw(t, JVM_IAE, "Constant pool index out of bounds");
        return NULL;
    }
    uint8_t tag = cls->pool.tags[index];
    if (tags != NULL && (tag == 0 || strchr(tags, tag) == NULL)) {
        jvm_throw(t, JVM_IAE, "Wrong type at constant pool index");
        return NULL;
    }
    return cls;
}

#define TAGS_CLASS "\7"
#define TAGS_FIELD "\11"
#define TAGS_METHOD "\12\13"
#define TAGS_MEMBER "\11\12\13"
#define TAGS_NAMED "\11\12\13\21\22" /* also dynamic ones */

JVM_EXPORT(jint, JVM_ConstantPoolGetSize, JNIEnv *env, jobject unused, jobject pool) { return pool_class(pool)->pool.n; }

JVM_EXPORT(jbyte, JVM_ConstantPoolGetTagAt, JNIEnv *env, jobject unused, jobject pool, jint index)
{
    const jvm_class *cls = entry(jvm_env_thread(env), pool, index, NULL);
    return cls == NULL ? 0 : (jbyte)cls->pool.tags[index];
}

/* ---- values ---- */

#define VALUE_AT(Name, ctype, tag, member)                                                         \
    JVM_EXPORT(ctype, JVM_ConstantPoolGet##Name##At, JNIEnv *env, jobject unused, jobject pool, jint index) \
    {                                                                                              \
        const jvm_class *cls = entry(jvm_env_thread(env), pool, index, tag);                       \
        return cls == NULL ? 0 : cls->pool.values[index].member;                                   \
    }
VALUE_AT(Int, jint, "\3", i)
VALUE_AT(Float, jfloat, "\4", f)
VALUE_AT(Long, jlong, "\5", j)
VALUE_AT(Double, jdouble, "\6", d)

JVM_EXPORT(jstring, JVM_ConstantPoolGetUTF8At, JNIEnv *env, jobject unused, jobject pool, jint index)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    const jvm_class *cls = entry(t, pool, index, "\1");
    return cls == NULL ? NULL : jvm_local(t, jvm_string_of_sym(t, jvm_cp_utf8(cls, (uint16_t)index)));
}

JVM_EXPORT(jstring, JVM_ConstantPoolGetStringAt, JNIEnv *env, jobject unused, jobject pool, jint index)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    jvm_class *cls = entry(t, pool, index, "\10");
    return cls == NULL ? NULL : jvm_local(t, jvm_resolve_string(t, cls, (uint16_t)index));
}

/* ---- classes and members ---- */

static jvm_class *loaded_class(const jvm_class *cls, uint16_t index)
{
    jvm_class *resolved = cls->pool.resolved[index].cls;
    return resolved != NULL ? resolved : jvm_find_loaded(cls->loader, jvm_cp_class_name(cls, index));
}

static jclass class_at(JNIEnv *env, jobject pool, jint index, bool load)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    jvm_class *cls = entry(t, pool, index, TAGS_CLASS);
    if (cls == NULL)
        return NULL;
    return jvm_local_class(t, load ? jvm_resolve_class(t, cls, (uint16_t)index) : loaded_class(cls, (uint16_t)index));
}

JVM_EXPORT(jclass, JVM_ConstantPoolGetClassAt, JNIEnv *env, jobject unused, jobject pool, jint index)
{
    return class_at(env, pool, index, true);
}

JVM_EXPORT(jclass, JVM_ConstantPoolGetClassAtIfLoaded, JNIEnv *env, jobject unused, jobject pool, jint index)
{
    return class_at(env, pool, index, false);
}

/* The class that a member entry names; NULL: not loaded, or exception pending. */
static jvm_class *member_holder(jvm_thread *t, jvm_class *cls, jint index, bool load)
{
    uint16_t class_index = cls->pool.values[index].a;
    return load ? jvm_resolve_class(t, cls, class_index) : loaded_class(cls, class_index);
}

static jvm_obj *method_of(jvm_thread *t, jvm_class *holder, const jvm_sym *name, const jvm_sym *sig)
{
    const jvm_method *m = jvm_class_find_method(holder, name, sig);
    return m == NULL ? NULL : jvm_reflect_method(t, m);
}

static jvm_obj *field_of(jvm_thread *t, jvm_class *holder, const jvm_sym *name, const jvm_sym *sig)
{
    const jvm_field *f = jvm_class_find_field(holder, name, sig);
    return f == NULL ? NULL : jvm_reflect_field(t, f);
}

static const struct member_kind {
    const char *tags, *missing;
    jvm_obj *(*find)(jvm_thread *t, jvm_class *holder, const jvm_sym *name, const jvm_sym *sig);
} methods = {TAGS_METHOD, "Unable to look up method in target class", method_of},
  fields = {TAGS_FIELD, "Unable to look up field in target class", field_of};

static jobject member_at(JNIEnv *env, const struct member_kind *kind, jobject pool, jint index, bool load)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    jvm_class *cls = entry(t, pool, index, kind->tags);
    jvm_class *holder = cls == NULL ? NULL : member_holder(t, cls, index, load);
    if (holder == NULL)
        return NULL;
    const jvm_sym *class_name, *name, *sig;
    jvm_cp_member(cls, (uint16_t)index, &class_name, &name, &sig);
    jvm_obj *member = kind->find(t, holder, name, sig);
    if (member == NULL && !jvm_pending(t))
        jvm_throw(t, "java/lang/RuntimeException", kind->missing);
    return jvm_local(t, member);
}

#define MEMBER_AT(Name, kind, load)                                                                \
    JVM_EXPORT(jobject, JVM_ConstantPoolGet##Name, JNIEnv *env, jobject unused, jobject pool, jint index) \
    {                                                                                              \
        return member_at(env, &kind, pool, index, load);                                           \
    }
MEMBER_AT(MethodAt, methods, true)
MEMBER_AT(MethodAtIfLoaded, methods, false)
MEMBER_AT(FieldAt, fields, true)
MEMBER_AT(FieldAtIfLoaded, fields, false)

/* ---- indexes and names ---- */

JVM_EXPORT(jint, JVM_ConstantPoolGetClassRefIndexAt, JNIEnv *env, jobject unused, jobject pool, jint index)
{
    const jvm_class *cls = entry(jvm_env_thread(env), pool, index, TAGS_MEMBER);
    return cls == NULL ? 0 : cls->pool.values[index].a;
}

JVM_EXPORT(jint, JVM_ConstantPoolGetNameAndTypeRefIndexAt, JNIEnv *env, jobject unused, jobject pool, jint index)
{
    const jvm_class *cls = entry(jvm_env_thread(env), pool, index, TAGS_NAMED);
    return cls == NULL ? 0 : cls->pool.values[index].b;
}

static jobjectArray strings(jvm_thread *t, const jvm_sym *const *syms, int32_t n)
{
    jvm_obj *array = jvm_new_ref_array(t, jvm.classes.String, n);
    for (int32_t i = 0; array != NULL && i < n; i++)
        jvm_elem_put_ref(array, i, jvm_string_of_sym(t, syms[i]));
    return jvm_local(t, array);
}

JVM_EXPORT(jobjectArray, JVM_ConstantPoolGetMemberRefInfoAt, JNIEnv *env, jobject unused, jobject pool, jint index)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    const jvm_class *cls = entry(t, pool, index, TAGS_MEMBER);
    if (cls == NULL)
        return NULL;
    const jvm_sym *syms[3];
    jvm_cp_member(cls, (uint16_t)index, &syms[0], &syms[1], &syms[2]);
    return strings(t, syms, 3);
}

JVM_EXPORT(jobjectArray, JVM_ConstantPoolGetNameAndTypeRefInfoAt, JNIEnv *env, jobject unused, jobject pool, jint index)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    const jvm_class *cls = entry(t, pool, index, "\14");
    if (cls == NULL)
        return NULL;
    const jvm_sym *syms[2];
    jvm_cp_name_type(cls, (uint16_t)index, &syms[0], &syms[1]);
    return strings(t, syms, 2);
}
