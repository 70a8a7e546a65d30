/* resolve.h - constant pool entries become classes, members, strings and handles (JVMS 5.4.3).
 *
 * RS1  results are remembered in the pool; a failure is remembered too and thrown again;
 * RS2  a failure is NULL with the right LinkageError pending;
 * RS3  all are GC points. */
#ifndef EBB_JVM_CLASSES_RESOLVE_H
#define EBB_JVM_CLASSES_RESOLVE_H

#include "jvm/classes/class.h"
#include "jvm/threads/thread.h"

jvm_class *jvm_resolve_class(jvm_thread *t, jvm_class *from, uint16_t index);
jvm_field *jvm_resolve_field(jvm_thread *t, jvm_class *from, uint16_t index, bool is_static, bool is_put,
                             const jvm_method *in);
enum jvm_invoke_kind { JVM_INVOKE_VIRTUAL, JVM_INVOKE_SPECIAL, JVM_INVOKE_STATIC, JVM_INVOKE_INTERFACE };
jvm_method *jvm_resolve_method(jvm_thread *t, jvm_class *from, uint16_t index, enum jvm_invoke_kind kind);
jvm_obj *jvm_resolve_string(jvm_thread *t, jvm_class *from, uint16_t index);
/* ldc of anything; *type gets the letter of the value (L for objects). */
bool jvm_resolve_constant(jvm_thread *t, jvm_class *from, uint16_t index, jvm_slot *value, char *type);

/* Access (JVMS 5.4.4).  false: not allowed, nothing pending. */
bool jvm_can_access_class(const jvm_class *from, const jvm_class *to);
bool jvm_can_access_member(jvm_thread *t, jvm_class *from, const jvm_class *holder, const jvm_class *named,
                           uint16_t access);

#endif
