/* jni_array.c - JNI: arrays, one set of functions per primitive type made from one body. */
#include <string.h>

#include "jvm/border/jni_impl.h"

/* ---- shared with the other files of the border ---- */

bool jvm_check_not_null(jvm_thread *t, const void *p)
{
    if (p == NULL)
        jvm_throw(t, JVM_NPE, NULL);
    return p != NULL;
}

bool jvm_check_index(jvm_thread *t, const jvm_obj *array, int32_t index)
{
    if (index >= 0 && index < array->length)
        return true;
    jvm_throw(t, "java/lang/ArrayIndexOutOfBoundsException", "Index %d out of bounds for length %d", index,
              array->length);
    return false;
}

bool jvm_check_region(jvm_thread *t, const jvm_obj *array, int32_t start, int32_t count)
{
    if (start >= 0 && count >= 0 && start <= array->length - count)
        return true;
    jvm_throw(t, "java/lang/ArrayIndexOutOfBoundsException",
              "Array region %d..%lld out of bounds for length %d", start, (long long)start + count, array->length);
    return false;
}

jvm_obj *jvm_new_byte_array(jvm_thread *t, jvm_span bytes)
{
    if (bytes.bytes == NULL)
        return NULL;
    jvm_obj *array = jvm_new_prim_array(t, 'B', (int32_t)bytes.nbytes);
    if (array != NULL)
        jvm_array_store_bytes(array, 0, bytes.bytes, bytes.nbytes);
    return array;
}

jvm_obj *jvm_new_ref_array(jvm_thread *t, jvm_class *element, int32_t length)
{
    jvm_class *cls = jvm_array_class(t, element);
    return cls == NULL ? NULL : jvm_new_array(t, cls, length);
}

/* ---- any array ---- */

static size_t array_nbytes(const jvm_obj *array)
{
    return (size_t)array->length * java_type_size(array->cls->element_type);
}

jsize jvm_jni_GetArrayLength(JNIEnv *env, jarray array)
{
    return jvm_deref(array)->length;
}

/* ---- object arrays ---- */

jobjectArray jvm_jni_NewObjectArray(JNIEnv *env, jsize length, jclass element, jobject initial)
{
    jvm_thread *t = jvm_env_thread(env);
    if (length < 0) {
        jvm_throw(t, "java/lang/NegativeArraySizeException", "%d", (int)length);
        return NULL;
    }
    if (!jvm_gc_reserve(t, (uint64_t)length * 8))
        return NULL;
    jvm_obj *array = jvm_new_ref_array(t, jvm_handle_class(element), length);
    jvm_obj *value = jvm_deref(initial);
    if (array != NULL && value != NULL)
        for (jsize i = 0; i < length; i++)
            jvm_elem_put_ref(array, i, value);
    return jvm_local(t, array);
}

jobject jvm_jni_GetObjectArrayElement(JNIEnv *env, jobjectArray array, jsize index)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_obj *a = jvm_deref(array);
    return jvm_check_index(t, a, index) ? jvm_local(t, jvm_elem_ref(a, index)) : NULL;
}

void jvm_jni_SetObjectArrayElement(JNIEnv *env, jobjectArray array, jsize index, jobject value)
{
    jvm_thread *t = jvm_env_thread(env);
    jvm_obj *a = jvm_deref(array), *v = jvm_deref(value);
    if (!jvm_check_index(t, a, index))
        return;
    if (v != NULL && !jvm_instance_of(v, a->cls->component)) {
        char *name = jvm_class_external_name(v->cls), *element = jvm_class_external_name(a->cls->component);
        jvm_throw(t, "java/lang/ArrayStoreException", "type mismatch: can not store %s to %s[%d]", name, element,
                  (int)index);
        free(name);
        free(element);
        return;
    }
    jvm_elem_put_ref(a, index, v);
}

/* ---- primitive arrays ---- */

static jarray new_prim(JNIEnv *env, char type, jsize length)
{
    jvm_thread *t = jvm_env_thread(env);
    if (length < 0) {
        jvm_throw(t, "java/lang/NegativeArraySizeException", "%d", (int)length);
        return NULL;
    }
    if (!jvm_gc_reserve(t, (uint64_t)length * java_type_size(type)))
        return NULL;
    return jvm_local(t, jvm_new_prim_array(t, type, length));
}

static void *copy_out(jarray array, jboolean *is_copy)
{
    const jvm_obj *a = jvm_deref(array);
    size_t nbytes = array_nbytes(a);
    void *copy = ebb_alloc(nbytes + 1);
    memcpy(copy, jvm_array_data(a), nbytes);
    if (is_copy != NULL)
        *is_copy = JNI_TRUE;
    return copy;
}

static void copy_back(jarray array, void *copy, jint mode)
{
    jvm_obj *a = jvm_deref(array);
    if (mode != JNI_ABORT)
        jvm_array_store_bytes(a, 0, copy, array_nbytes(a));
    if (mode != JNI_COMMIT)
        free(copy);
}

static void get_region(JNIEnv *env, jarray array, jsize start, jsize count, void *out)
{
    const jvm_obj *a = jvm_deref(array);
    size_t size = java_type_size(a->cls->element_type);
    if (jvm_check_region(jvm_env_thread(env), a, start, count) && count > 0)
        memcpy(out, (char *)jvm_array_data(a) + (size_t)start * size, (size_t)count * size);
}

static void set_region(JNIEnv *env, jarray array, jsize start, jsize count, const void *in)
{
    jvm_obj *a = jvm_deref(array);
    size_t size = java_type_size(a->cls->element_type);
    if (jvm_check_region(jvm_env_thread(env), a, start, count) && count > 0)
        jvm_array_store_bytes(a, (size_t)start * size, in, (size_t)count * size);
}

#define ARRAY_FUNCTIONS(T, ctype, letter, jv, slot)                                                \
    ctype##Array jvm_jni_New##T##Array(JNIEnv *env, jsize length)                \
    {                                                                                              \
        return new_prim(env, letter, length);                                                      \
    }                                                                                              \
    ctype *jvm_jni_Get##T##ArrayElements(JNIEnv *env, ctype##Array array, jboolean *is_copy) \
    {                                                                                              \
        return copy_out(array, is_copy);                                                           \
    }                                                                                              \
    void jvm_jni_Release##T##ArrayElements(JNIEnv *env, ctype##Array array, ctype *elements, \
                                                             jint mode)                            \
    {                                                                                              \
        copy_back(array, elements, mode);                                                          \
    }                                                                                              \
    void jvm_jni_Get##T##ArrayRegion(JNIEnv *env, ctype##Array array, jsize start, jsize count, \
                                                       ctype *out)                                 \
    {                                                                                              \
        get_region(env, array, start, count, out);                                                 \
    }                                                                                              \
    void jvm_jni_Set##T##ArrayRegion(JNIEnv *env, ctype##Array array, jsize start, jsize count, \
                                                       const ctype *in)                            \
    {                                                                                              \
        set_region(env, array, start, count, in);                                                  \
    }
JNI_PRIMITIVES(ARRAY_FUNCTIONS)

/* Objects don't move and one thread runs, so critical sections get the elements themselves (J3). */
void *jvm_jni_GetPrimitiveArrayCritical(JNIEnv *env, jarray array, jboolean *is_copy)
{
    jvm_obj *a = jvm_deref(array);
    jvm_before_write_(a, jvm_array_data(a), array_nbytes(a));
    jvm_env_thread(env)->in_native_critical = true;
    if (is_copy != NULL)
        *is_copy = JNI_FALSE;
    return jvm_array_data(a);
}

void jvm_jni_ReleasePrimitiveArrayCritical(JNIEnv *env, jarray array, void *elements, jint mode)
{
    jvm_env_thread(env)->in_native_critical = false;
}
