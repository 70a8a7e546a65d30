/* invoke.h - calling Java methods from C.
 *
 * Arguments are slots laid out as in a frame: receiver first, long and double taking two.  All these
 * are GC points; arguments are copied to the Java stack first, so plain pointers may be passed.  When an
 * exception is pending after the call the result is zero. */
#ifndef EBB_JVM_ENGINE_INVOKE_H
#define EBB_JVM_ENGINE_INVOKE_H

#include "jvm/classes/class.h"
#include "jvm/threads/thread.h"

jvm_slot jvm_call(jvm_thread *t, jvm_method *m, const jvm_slot *args);          /* exactly m */
jvm_slot jvm_call_virtual(jvm_thread *t, jvm_method *m, const jvm_slot *args);  /* selects by args[0] */

/* Arguments as C varargs after the descriptor of m: int, int64_t, double (also for F), jvm_obj *.
 * The receiver of an instance method comes first. */
jvm_slot jvm_callv(jvm_thread *t, jvm_method *m, ...);

/* Walks a method descriptor: "(ILjava/lang/String;[J)V". */
typedef struct jvm_sig_iter {
    const char *at;
} jvm_sig_iter;
jvm_sig_iter jvm_sig_start(const jvm_sym *descriptor);
char jvm_sig_next(jvm_sig_iter *it, const char **type, size_t *nbytes); /* letter, or 0 at ')' */
const char *jvm_sig_return(const jvm_sym *descriptor);

/* Boxing as reflection wants it.  jvm_box allocates a java.lang.Integer etc. (not from the caches). */
jvm_obj *jvm_box(jvm_thread *t, char type, jvm_slot value);   /* L and [ pass through; V gives NULL */
bool jvm_unbox(jvm_obj *box, char *type, jvm_slot *value);    /* false: not a box */
bool jvm_widen(char from, char to, jvm_slot *value);          /* primitive widening; false if not allowed */

#endif
