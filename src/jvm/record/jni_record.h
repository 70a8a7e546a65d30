/* jni_record.h - where the functions of JNI and the recording of them meet (jni.c). */
#ifndef EBB_JVM_RECORD_JNI_RECORD_H
#define EBB_JVM_RECORD_JNI_RECORD_H

#include "jvm/engine/invoke.h"
#include "jvm/heap/offheap.h"
#include <jni.h>

enum jvm_jni_call { JVM_JNI_CALL_VIRTUAL, JVM_JNI_CALL_EXACT, JVM_JNI_CALL_STATIC };

/* Done by JNI's functions and again by replay (border/jni_call.c, border/exports_class.c). */
jvm_slot jvm_jni_invoke(jvm_thread *t, enum jvm_jni_call kind, jvm_method *m, jvm_slot *slots);
jobject jvm_jni_alloc(jvm_thread *t, jvm_class *cls);
jclass jvm_find_boot_local(jvm_thread *t, const char *name);

/* Log, when a recorded native or the launcher is what called. */
void jvm_record_jni_call(jvm_thread *t, int kind, const jvm_method *m, const jvm_slot *slots);
void jvm_record_jni_alloc(jvm_thread *t, const jvm_class *cls);
void jvm_record_jni_local(jvm_thread *t, const jvm_obj *o);
bool jvm_record_find_boot(jvm_thread *t, const char *name); /* true: it was */
void jvm_record_throw(jvm_thread *t, const char *class_name, const char *message);
void jvm_record_write(const jvm_obj *o, size_t offset, const void *bytes, size_t nbytes);

#endif
