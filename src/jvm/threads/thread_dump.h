/* thread_dump.h - what every thread is doing and waiting for, and who waits for each other. */
#ifndef EBB_JVM_THREADS_THREAD_DUMP_H
#define EBB_JVM_THREADS_THREAD_DUMP_H

#include "base/buf.h"
#include "base/mem.h"
#include "jvm/engine/frame.h"
#include "jvm/threads/thread.h"

/* What a thread waits for: a monitor's object, or what it parks on.  *owner gets the Thread that has it,
 * NULL when nobody does or nobody knows.  NULL: it waits for no object. */
jvm_obj *jvm_thread_awaits(const jvm_thread *x, jvm_obj **owner);

/* It waits, directly or through others, for itself; `monitors_only`: java.util.concurrent's locks don't count. */
bool jvm_thread_is_deadlocked(const jvm_thread *x, bool monitors_only);

/* ---- locked.c: what a thread holds ---- */

typedef EBB_VEC(jvm_obj *) jvm_obj_list;

/* The monitors that the frame entered and still holds, the newest first: those of synchronized blocks, then that of a synchronized method. */
void jvm_frame_monitors(const jvm_thread *x, const jvm_frame *f, jvm_obj_list *found);
/* The locks of java.util.concurrent that it has for itself, by a walk over the heap. */
void jvm_thread_synchronizers(const jvm_thread *x, jvm_obj_list *found);

/* ---- thread_dump.c ---- */

/* Its state for somebody who looks on: one that can go on, since it has got what it waited for, does not wait any more. */
uint32_t jvm_thread_shown_state(const jvm_thread *x);
const char *jvm_thread_state_text(uint32_t state); /* "TIMED_WAITING (sleeping)" */
/* Text for people.  `synchronizers`: with the locks of java.util.concurrent that each thread has. */
void jvm_thread_dump(ebb_buf *out, bool synchronizers);

#endif
