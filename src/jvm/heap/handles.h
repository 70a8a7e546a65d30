/* handles.h - references that C code may keep: JNI's jobject.
 *
 * A handle is the address of a cell that holds the object and that the collector visits.  Local
 * handles live on a stack of the thread and go away when the native call that made them returns;
 * global ones until they are deleted.  A weak global handle has its lowest bit set and reads as NULL
 * once the object died.  The arguments of a native method are handles to the cells of its own frame.
 *
 *     size_t mark = jvm_handles_mark(t);
 *     jobject kept = jvm_local(t, o);       survives GC points
 *     ...
 *     jvm_handles_release(t, mark);
 *
 * HN1  NULL is the handle of null, in both directions;
 * HN2  what is between a mark and its release belongs to the function that took the mark. */
#ifndef EBB_JVM_HEAP_HANDLES_H
#define EBB_JVM_HEAP_HANDLES_H

#include "jvm/heap/object.h"
#include <jni.h>

jobject jvm_local(jvm_thread *t, jvm_obj *o);
size_t jvm_handles_mark(jvm_thread *t);
void jvm_handles_release(jvm_thread *t, size_t mark);
void jvm_local_delete(jvm_thread *t, jobject local); /* its cell may be given out again */

jobject jvm_global_new(jvm_obj *o);
void jvm_global_delete(jobject global);
jweak jvm_weak_new(jvm_obj *o);
void jvm_weak_delete(jweak weak);
jobjectRefType jvm_handle_kind(jvm_thread *t, jobject handle);

static inline jvm_obj *jvm_deref(jobject handle)
{
    if (handle == NULL)
        return NULL;
    return *(jvm_obj **)((uintptr_t)handle & ~(uintptr_t)1);
}

/* Numbers of handles that are the same in replay, for the recording.  Weak ones are numbered apart. */
size_t jvm_local_index(const jvm_thread *t, jobject local);   /* SIZE_MAX: an argument's cell */
jobject jvm_local_at(const jvm_thread *t, uint64_t index);    /* NULL: there is none */
size_t jvm_global_index(jobject global_or_weak);              /* SIZE_MAX: none of ours */
jobject jvm_global_at(uint64_t index, bool weak);             /* NULL: there is none */

/* For heap.c. */
void jvm_handles_visit_globals(void (*visit)(jvm_obj **slot, void *arg), void *arg);
void jvm_handles_clear_dead_weak(bool (*is_live)(const jvm_obj *o));

#endif
