/* stack.h - what the instructions of a method do to a frame of the verifier, piece by piece: code.c puts it together. */
#ifndef EBB_JVM_VERIFY_STACK_H
#define EBB_JVM_VERIFY_STACK_H

#include "jvm/engine/ops.h"
#include "jvm/verify/frame.h"

#define JVM_VTYPE_INT ((jvm_vtype){JVM_V_INT, 0, NULL})
#define JVM_VTYPE_TOP ((jvm_vtype){JVM_V_TOP, 0, NULL})
#define JVM_VTYPE_NULL ((jvm_vtype){JVM_V_NULL, 0, NULL})

static inline const uint8_t *jvm_verify_insn(const jvm_verifier *v) { return v->m->bytes + v->bci; }
static inline bool jvm_vtype_is_wide(jvm_vtype t) { return t.tag == JVM_V_LONG || t.tag == JVM_V_DOUBLE; }
static inline bool jvm_vtype_is_reference(jvm_vtype t) { return t.tag == JVM_V_NULL || t.tag == JVM_V_OBJECT; }
static inline bool jvm_vtype_is_second_half(jvm_vtype t) { return t.tag == JVM_V_LONG2 || t.tag == JVM_V_DOUBLE2; }
static inline jvm_vtype jvm_vtype_named(const jvm_sym *name) { return (jvm_vtype){JVM_V_OBJECT, 0, name}; }

/* ---- stack.c: a failure is the verifier's (jvm_verify_fail), and is found out at the end of the step ---- */

void jvm_verify_push_slot(jvm_verifier *v, jvm_vtype t);
jvm_vtype jvm_verify_pop_slot(jvm_verifier *v);
void jvm_verify_push(jvm_verifier *v, jvm_vtype t); /* both slots of a long or double */
jvm_vtype jvm_verify_pop(jvm_verifier *v, jvm_vtype want);
jvm_vtype jvm_verify_pop_reference(jvm_verifier *v, bool uninit_too);
jvm_vtype jvm_verify_letter_type(char letter); /* of the letters in engine/ops.def */
void jvm_verify_shuffle(jvm_verifier *v, uint8_t op); /* dup, swap and the like */

bool jvm_verify_check_local(jvm_verifier *v, uint32_t local, bool wide);
void jvm_verify_load_local(jvm_verifier *v, uint16_t local, char letter);
void jvm_verify_set_local(jvm_verifier *v, uint16_t local, jvm_vtype t);
void jvm_verify_store_local(jvm_verifier *v, uint16_t local, char letter);

/* ---- member.c: what names constants and members ---- */

bool jvm_verify_check_tag(jvm_verifier *v, uint16_t index, unsigned tags); /* tags: a set of bits */
const jvm_sym *jvm_verify_class_operand(jvm_verifier *v); /* NULL: refused */
void jvm_verify_load_constant(jvm_verifier *v, uint16_t index, bool wide);
void jvm_verify_field_access(jvm_verifier *v, uint8_t op);
void jvm_verify_invoke(jvm_verifier *v, uint8_t op);
void jvm_verify_invoke_dynamic(jvm_verifier *v);

enum { /* sets of tags: what ldc and ldc2_w load */
    JVM_NARROW_CONSTANTS = 1 << JVM_CP_INTEGER | 1 << JVM_CP_FLOAT | 1 << JVM_CP_STRING | 1 << JVM_CP_CLASS | 1 << JVM_CP_METHOD_HANDLE |
                       1 << JVM_CP_METHOD_TYPE | 1 << JVM_CP_DYNAMIC,
    JVM_WIDE_CONSTANTS = 1 << JVM_CP_LONG | 1 << JVM_CP_DOUBLE | 1 << JVM_CP_DYNAMIC,
};

#endif
