/* throw.h - raising Java exceptions from C.
 *
 * A throw leaves the exception pending on the thread (threads/thread.h, TH3); the caller returns its sentinel.
 * Making the exception runs its constructor: a GC point. */
#ifndef EBB_JVM_ENGINE_THROW_H
#define EBB_JVM_ENGINE_THROW_H

#include "jvm/classes/class.h"
#include "jvm/threads/thread.h"

/* By internal class name (boot loader), with a message or NULL. */
void jvm_throw(jvm_thread *t, const char *class_name, const char *format, ...) __attribute__((format(printf, 3, 4)));
void jvm_throw_class(jvm_thread *t, jvm_class *cls, const char *message);
void jvm_throw_object(jvm_thread *t, jvm_obj *throwable);    /* NULL: NullPointerException */
void jvm_throw_oom(jvm_thread *t, const char *message);      /* a preallocated one when memory is short */
void jvm_throw_stack_overflow(jvm_thread *t);
/* Wraps the pending exception as the cause of a new one of the given class. */
void jvm_throw_wrapped(jvm_thread *t, const char *class_name, const char *message);

static inline bool jvm_pending(const jvm_thread *t) { return t->exception != NULL; }
jvm_obj *jvm_exception_take(jvm_thread *t);                  /* and clears it; hold it by a handle */

#define JVM_OOME "java/lang/OutOfMemoryError"
#define JVM_NPE "java/lang/NullPointerException"
#define JVM_IAE "java/lang/IllegalArgumentException"
#define JVM_INTERNAL_ERROR "java/lang/InternalError"

/* Stack traces (trace.c).  The backtrace is a long[] of (method token, bci) pairs kept in Throwable.backtrace. */
void jvm_fill_in_stack_trace(jvm_thread *t, jvm_obj *throwable);
/* Fills StackTraceElement[] `elements` from the backtrace of `throwable`. */
bool jvm_stack_trace_elements(jvm_thread *t, jvm_obj *elements, jvm_obj *throwable);
bool jvm_stack_trace_element(jvm_thread *t, jvm_obj *element, const jvm_method *m, int bci);
jvm_obj *jvm_npe_message(jvm_thread *t, jvm_obj *npe);       /* helpful message or NULL */

/* Prints to stderr for people: the pending exception with its trace, when Java can't do it itself. */
void jvm_print_exception(jvm_thread *t, jvm_obj *throwable);

#endif
