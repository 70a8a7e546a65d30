/* natives/object.c - java.lang.Object, System.arraycopy and clocks, String.intern. */
#include "jvm/engine/invoke.h"
#include "jvm/heap/jstring.h"
#include "jvm/threads/monitor.h"
#include "jvm/natives/natives.h"

/* ---- Object ---- */

static jvm_slot object_get_class(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_ref(args[0].a->cls->mirror);
}

static jvm_slot object_hash_code(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_int(jvm_identity_hash(args[0].a));
}

jvm_obj *jvm_object_clone(jvm_thread *t, jvm_obj *o)
{
    const jvm_class *cls = o->cls;
    bool may = jvm_class_is_array(cls) || ((cls->flags & JVM_CLASS_CLONEABLE) && cls->ref_kind == JVM_REF_NONE);
    if (!may) {
        char *name = jvm_class_external_name(cls);
        jvm_throw(t, "java/lang/CloneNotSupportedException", "%s", name);
        free(name);
        return NULL;
    }
    if (!jvm_gc_reserve(t, jvm_obj_size(o)))
        return NULL;
    jvm_obj *copy = jvm_clone(t, o);
    if (copy == NULL || !(cls->flags & JVM_CLASS_HAS_FINALIZER))
        return copy;
    size_t mark = jvm_handles_mark(t);
    jvm_local(t, copy);
    jvm_callv(t, jvm.methods.Finalizer_register, copy);
    jvm_handles_release(t, mark);
    return jvm_pending(t) ? NULL : copy;
}

static jvm_slot object_clone(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_ref(jvm_object_clone(t, args[0].a));
}

static jvm_slot object_wait(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    if (args[1].j < 0)
        jvm_throw(t, JVM_IAE, "timeout value is negative");
    else
        jvm_monitor_wait(t, args[0].a, args[1].j);
    return jvm_nothing();
}

static jvm_slot object_notify(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_monitor_notify(t, args[0].a, false);
    return jvm_nothing();
}

static jvm_slot object_notify_all(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_monitor_notify(t, args[0].a, true);
    return jvm_nothing();
}

/* ---- arraycopy ---- */

/* "int[" or "object array[" as HotSpot's messages name an array; the caller adds length and bracket. */
static const char *array_kind_name(const jvm_obj *array)
{
    return array->cls->kind == JVM_KIND_PRIM_ARRAY ? array->cls->component->name->text : "object array";
}

static bool bad_index(jvm_thread *t, const char *what, int64_t index, const jvm_obj *array)
{
    jvm_throw(t, "java/lang/ArrayIndexOutOfBoundsException", "arraycopy: %s index %lld out of bounds for %s[%d]", what,
              (long long)index, array_kind_name(array), array->length);
    return false;
}

static bool check_copy_range(jvm_thread *t, const jvm_obj *src, int32_t src_at, const jvm_obj *dst, int32_t dst_at,
                             int32_t n)
{
    if (src_at < 0)
        return bad_index(t, "source", src_at, src);
    if (dst_at < 0)
        return bad_index(t, "destination", dst_at, dst);
    if (n < 0) {
        jvm_throw(t, "java/lang/ArrayIndexOutOfBoundsException", "arraycopy: length %d is negative", n);
        return false;
    }
    if ((int64_t)src_at + n > src->length)
        return bad_index(t, "last source", (uint32_t)src_at + (uint32_t)n, src);
    if ((int64_t)dst_at + n > dst->length)
        return bad_index(t, "last destination", (uint32_t)dst_at + (uint32_t)n, dst);
    return true;
}

static bool not_an_array(jvm_thread *t, const char *which, const jvm_obj *o)
{
    char *name = jvm_class_external_name(o->cls);
    jvm_throw(t, "java/lang/ArrayStoreException", "arraycopy: %s type %s is not an array", which, name);
    free(name);
    return false;
}

static bool check_copy_types(jvm_thread *t, const jvm_obj *src, const jvm_obj *dst)
{
    if (!jvm_class_is_array(src->cls))
        return not_an_array(t, "source", src);
    if (!jvm_class_is_array(dst->cls))
        return not_an_array(t, "destination", dst);
    bool refs = src->cls->kind == JVM_KIND_OBJECT_ARRAY && dst->cls->kind == JVM_KIND_OBJECT_ARRAY;
    if (refs || src->cls == dst->cls)
        return true;
    jvm_throw(t, "java/lang/ArrayStoreException", "arraycopy: type mismatch: can not copy %s[] into %s[]",
              array_kind_name(src), array_kind_name(dst));
    return false;
}

static void copy_elements(jvm_obj *src, int32_t src_at, jvm_obj *dst, int32_t dst_at, int32_t n)
{
    size_t size = java_type_size(src->cls->element_type);
    char *to = (char *)jvm_array_data(dst) + (size_t)dst_at * size;
    jvm_before_copy_(dst, to, (size_t)n * size);
    jvm_flow_copied(to, (char *)jvm_array_data(src) + (size_t)src_at * size, (size_t)n * size, size);
    memmove(to, (char *)jvm_array_data(src) + (size_t)src_at * size, (size_t)n * size);
}

/* Elements up to the first that doesn't fit are copied, as Java demands. */
static bool copy_checked(jvm_thread *t, jvm_obj *src, int32_t src_at, jvm_obj *dst, int32_t dst_at, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        jvm_obj *o = jvm_elem_ref(src, src_at + i);
        if (o != NULL && !jvm_instance_of(o, dst->cls->component)) {
            char *from = jvm_class_external_name(src->cls->component);
            char *to = jvm_class_external_name(dst->cls->component);
            jvm_throw(t, "java/lang/ArrayStoreException",
                      "arraycopy: element type mismatch: can not cast one of the elements of %s[] to the type of the "
                      "destination array, %s", from, to);
            free(from);
            free(to);
            return false;
        }
        jvm_elem_put_ref(dst, dst_at + i, o);
    }
    return true;
}

bool jvm_arraycopy(jvm_thread *t, jvm_obj *src, int32_t src_at, jvm_obj *dst, int32_t dst_at, int32_t n)
{
    if (!jvm_check_not_null(t, src) || !jvm_check_not_null(t, dst) || !check_copy_types(t, src, dst) ||
        !check_copy_range(t, src, src_at, dst, dst_at, n))
        return false;
    if (n == 0)
        return true;
    if (src->cls != dst->cls && !jvm_is_subclass(src->cls->component, dst->cls->component))
        return copy_checked(t, src, src_at, dst, dst_at, n);
    copy_elements(src, src_at, dst, dst_at, n);
    return true;
}

/* ---- System, String ---- */

static jvm_slot system_arraycopy(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_arraycopy(t, args[0].a, args[1].i, args[2].a, args[3].i, args[4].i);
    return jvm_nothing();
}

static jvm_slot system_nano_time(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_long(jvm_now_monotonic_ns());
}

static jvm_slot system_current_time_millis(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    return jvm_long(jvm_now_wall_ns() / 1000000);
}

static jvm_slot string_intern(jvm_thread *t, jvm_method *m, jvm_slot *args)
{
    jvm_gc_point(t);
    return jvm_ref(jvm_string_intern(t, args[0].a));
}

const jvm_inner_native jvm_natives_object[] = {
    { "java/lang/Object", "getClass", "()Ljava/lang/Class;", object_get_class, JVM_NATIVE_PURE },
    { "java/lang/Object", "hashCode", "()I", object_hash_code, JVM_NATIVE_PURE },
    { "java/lang/Object", "clone", "()Ljava/lang/Object;", object_clone, JVM_NATIVE_PURE },
    { "java/lang/Object", "wait", "(J)V", object_wait, JVM_NATIVE_BLOCKS },
    { "java/lang/Object", "notify", "()V", object_notify, JVM_NATIVE_PURE },
    { "java/lang/Object", "notifyAll", "()V", object_notify_all, JVM_NATIVE_PURE },
    { "java/lang/System", "arraycopy", NULL, system_arraycopy, JVM_NATIVE_PURE },
    { "java/lang/System", "identityHashCode", NULL, object_hash_code, JVM_NATIVE_PURE },
    { "java/lang/System", "nanoTime", "()J", system_nano_time, JVM_NATIVE_WORLD },
    { "java/lang/System", "currentTimeMillis", "()J", system_current_time_millis, JVM_NATIVE_WORLD },
    { "java/lang/String", "intern", NULL, string_intern, JVM_NATIVE_PURE },
    { NULL },
};
