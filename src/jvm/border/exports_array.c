/* exports_array.c - JVM_* functions that serve java.lang.reflect.Array and System.arraycopy. */
#include "jvm/border/exports.h"
#include "jvm/engine/invoke.h"
#include "jvm/natives/natives.h"

/* The array, checked as reflect.Array wants it; NULL: exception pending. */
static jvm_obj *array_of(jvm_thread *t, jobject handle, bool primitive_only)
{
    jvm_obj *array = jvm_deref(handle);
    if (!jvm_check_not_null(t, array))
        return NULL;
    if (!jvm_class_is_array(array->cls)) {
        jvm_throw(t, JVM_IAE, primitive_only ? "Argument is not an array of primitive type" : "Argument is not an array");
        return NULL;
    }
    if (primitive_only && array->cls->kind != JVM_KIND_PRIM_ARRAY) {
        jvm_throw(t, JVM_IAE, "Argument is not an array of primitive type");
        return NULL;
    }
    return array;
}

static bool index_ok(jvm_thread *t, const jvm_obj *array, jint index)
{
    if (index >= 0 && index < array->length)
        return true;
    jvm_throw(t, "java/lang/ArrayIndexOutOfBoundsException", NULL);
    return false;
}

static size_t element_offset(const jvm_obj *array, jint index)
{
    return JVM_ARRAY_BASE + (size_t)index * java_type_size(array->cls->element_type);
}

static bool type_mismatch(jvm_thread *t)
{
    jvm_throw(t, JVM_IAE, "argument type mismatch");
    return false;
}

/* ---- making ---- */

static bool check_element_type(jvm_thread *t, jclass element)
{
    if (!jvm_check_not_null(t, jvm_deref(element)))
        return false;
    if (jvm_handle_class(element)->element_type == 'V' && jvm_handle_class(element)->kind == JVM_KIND_PRIMITIVE) {
        jvm_throw(t, JVM_IAE, NULL);
        return false;
    }
    return true;
}

JVM_EXPORT(jobject, JVM_NewArray, JNIEnv *env, jclass element, jint length)
{
    jvm_thread *t = jvm_env_thread(env);
    if (!check_element_type(t, element))
        return NULL;
    if (length < 0) {
        jvm_throw(t, "java/lang/NegativeArraySizeException", "%d", (int)length);
        return NULL;
    }
    if (!jvm_gc_reserve(t, (uint64_t)length * 8))
        return NULL;
    return jvm_local(t, jvm_new_ref_array(t, jvm_handle_class(element), length));
}

/* Arrays of arrays are filled depth first; `cls` is the class of the outermost array. */
static jvm_obj *new_multi(jvm_thread *t, jvm_class *cls, const int32_t *lengths, int ndims)
{
    if (!jvm_gc_reserve(t, (uint64_t)lengths[0] * 8))
        return NULL;
    jvm_obj *array = jvm_new_array(t, cls, lengths[0]);
    size_t mark = jvm_handles_mark(t);
    jvm_local(t, array);
    for (int32_t i = 0; array != NULL && ndims > 1 && i < lengths[0]; i++) {
        jvm_obj *inner = new_multi(t, cls->component, lengths + 1, ndims - 1);
        if (inner == NULL)
            array = NULL;
        else
            jvm_elem_put_ref(array, i, inner);
    }
    jvm_handles_release(t, mark);
    return array;
}

JVM_EXPORT(jobject, JVM_NewMultiArray, JNIEnv *env, jclass element, jintArray dimensions)
{
    enum { MAX_DIMS = 255 };
    jvm_thread *t = jvm_env_thread(env);
    jvm_obj *dims = jvm_deref(dimensions);
    if (!jvm_check_not_null(t, dims) || !check_element_type(t, element))
        return NULL;
    jvm_class *cls = jvm_handle_class(element);
    int ndims = dims->length, inside = 0;
    for (const jvm_class *c = cls; jvm_class_is_array(c); c = c->component)
        inside++;
    if (ndims == 0 || ndims + inside > MAX_DIMS) {
        jvm_throw(t, JVM_IAE, NULL);
        return NULL;
    }
    int32_t lengths[MAX_DIMS];
    memcpy(lengths, jvm_array_data(dims), (size_t)ndims * sizeof *lengths);
    for (int i = 0; i < ndims; i++)
        if (lengths[i] < 0) {
            jvm_throw(t, "java/lang/NegativeArraySizeException", "%d", lengths[i]);
            return NULL;
        }
    for (int i = 0; cls != NULL && i < ndims; i++)
        cls = jvm_array_class(t, cls);
    return cls == NULL ? NULL : jvm_local(t, new_multi(t, cls, lengths, ndims));
}

/* ---- elements ---- */

JVM_EXPORT(jint, JVM_GetArrayLength, JNIEnv *env, jobject handle)
{
    const jvm_obj *array = array_of(jvm_env_thread(env), handle, false);
    return array == NULL ? 0 : array->length;
}

JVM_EXPORT(jobject, JVM_GetArrayElement, JNIEnv *env, jobject handle, jint index)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_gc_point(t);
    jvm_obj *array = array_of(t, handle, false);
    if (array == NULL || !index_ok(t, array, index))
        return NULL;
    char type = array->cls->element_type;
    return jvm_local(t, jvm_box(t, type, jvm_get(array, element_offset(array, index), type)));
}

static jvalue to_jvalue(char type, jvm_slot slot)
{
    jvalue v = { .j = 0 };
    switch (type) {
#define CASE(T, ctype, letter, jv, member) case letter: v.jv = (ctype)slot.member; break;
        JNI_PRIMITIVES(CASE)
#undef CASE
    default: break;
    }
    return v;
}

static jvm_slot from_jvalue(char type, jvalue v)
{
    switch (type) {
#define CASE(T, ctype, letter, jv, member) case letter: return (jvm_slot){ .member = v.jv };
        JNI_PRIMITIVES(CASE)
#undef CASE
    default: return (jvm_slot){ .raw = 0 };
    }
}

enum { BASIC_BOOLEAN = 4 }; /* libjava numbers types like newarray: 4 Z, 5 C, 6 F, 7 D, 8 B, 9 S, 10 I, 11 J */
static char basic_type_letter(int code)
{
    static const char letters[] = "ZCFDBSIJ";
    return code < BASIC_BOOLEAN || code > 11 ? 'V' : letters[code - BASIC_BOOLEAN];
}

JVM_EXPORT(jvalue, JVM_GetPrimitiveArrayElement, JNIEnv *env, jobject handle, jint index, jint want_code)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_obj *array = array_of(t, handle, true);
    jvalue none = { .j = 0 };
    if (array == NULL || !index_ok(t, array, index))
        return none;
    char have = array->cls->element_type, want = basic_type_letter(want_code);
    jvm_slot value = jvm_get(array, element_offset(array, index), have);
    if (want != 'V' && want != have && !jvm_widen(have, want, &value)) {
        type_mismatch(t);
        return none;
    }
    return to_jvalue(want == 'V' ? have : want, value);
}

JVM_EXPORT(void, JVM_SetPrimitiveArrayElement, JNIEnv *env, jobject handle, jint index, jvalue v, unsigned char code)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_obj *array = array_of(t, handle, true);
    if (array == NULL || !index_ok(t, array, index))
        return;
    char have = basic_type_letter(code), want = array->cls->element_type;
    jvm_slot value = from_jvalue(have, v);
    if (have != want && !jvm_widen(have, want, &value))
        type_mismatch(t);
    else
        jvm_put(array, element_offset(array, index), want, value);
}

static void set_primitive(jvm_thread *t, jvm_obj *array, jint index, jvm_obj *box)
{
    char from, to = array->cls->element_type;
    jvm_slot value;
    if (box == NULL)
        jvm_throw(t, JVM_IAE, NULL);
    else if (!jvm_unbox(box, &from, &value) || !jvm_widen(from, to, &value))
        type_mismatch(t);
    else
        jvm_put(array, element_offset(array, index), to, value);
}

JVM_EXPORT(void, JVM_SetArrayElement, JNIEnv *env, jobject handle, jint index, jobject value)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_obj *array = array_of(t, handle, false), *v = jvm_deref(value);
    if (array == NULL)
        return;
    if (array->cls->kind == JVM_KIND_PRIM_ARRAY) {
        char from;
        jvm_slot ignored;
        if (v != NULL && !jvm_unbox(v, &from, &ignored))
            type_mismatch(t);
        else if (v == NULL || index_ok(t, array, index))
            set_primitive(t, array, index, v);
        return;
    }
    if (v != NULL && !jvm_instance_of(v, array->cls->component))
        jvm_throw(t, JVM_IAE, "array element type mismatch");
    else if (index_ok(t, array, index))
        jvm_elem_put_ref(array, index, v);
}

JVM_EXPORT(void, JVM_ArrayCopy, JNIEnv *env, jclass unused, jobject src, jint src_at, jobject dst, jint dst_at, jint n)
{
    jvm_arraycopy(jvm_env_thread(env), jvm_deref(src), src_at, jvm_deref(dst), dst_at, n);
}

JVM_EXPORT(jobject, JVM_Clone, JNIEnv *env, jobject object)
{
    jvm_thread *t = jvm_env_thread(env);
    return jvm_local(t, jvm_object_clone(t, jvm_deref(object)));
}
