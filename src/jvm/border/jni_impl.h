/* jni_impl.h - what the files of the JNI function table share.
 *
 * The functions of the table are called jvm_jni_NAME.  Their prototypes are not written here: they are
 * the types of the fields of jni.h's own struct, so a wrong parameter can't compile.
 *
 * J1  a function that allocates is a GC point at its entry and only there (heap/heap.h, H2);
 * J2  handles come in, handles go out; plain objects live inside one function;
 * J3  memory of the heap is written only through heap/object.h, except between Get- and
 *     ReleasePrimitiveArrayCritical, whose whole array is announced to the write hook first. */
#ifndef EBB_JVM_BORDER_JNI_IMPL_H
#define EBB_JVM_BORDER_JNI_IMPL_H

#include "jvm/heap/handles.h"
#include "jvm/heap/heap.h"
#include "jvm/engine/throw.h"
#include "jvm/jvm.h"

#define JNI_FN(name, how, arguments) extern __typeof__(*((struct JNINativeInterface_ *)0)->name) jvm_jni_##name;
#include "jvm/border/jni_functions.def"

/* Declares and defines a visible function: what libraries of the JDK import. */
#define JVM_EXPORT(type, name, ...)                                                                \
    JNIEXPORT type JNICALL name(__VA_ARGS__);                                                      \
    JNIEXPORT type JNICALL name(__VA_ARGS__)

static inline jvm_class *jvm_handle_class(jclass handle) { return jvm_mirror_class(jvm_deref(handle)); }
static inline jclass jvm_local_class(jvm_thread *t, const jvm_class *cls)
{
    return cls == NULL ? NULL : jvm_local(t, cls->mirror);
}

/* NULL from C text or a jstring passes through. */
jvm_obj *jvm_new_byte_array(jvm_thread *t, jvm_span bytes);      /* NULL for an absent span */
jvm_obj *jvm_new_ref_array(jvm_thread *t, jvm_class *element, int32_t length);

/* Index and length checks with the messages of the class library; false: exception pending. */
bool jvm_check_index(jvm_thread *t, const jvm_obj *array, int32_t index);
bool jvm_check_region(jvm_thread *t, const jvm_obj *array, int32_t start, int32_t count);
bool jvm_check_not_null(jvm_thread *t, const void *p);

/* An instance of a class of java.base made by the constructor of that descriptor; arguments as jvm_callv. */
jvm_obj *jvm_new_instance(jvm_thread *t, jvm_class *cls, const char *sig, ...);

#endif
