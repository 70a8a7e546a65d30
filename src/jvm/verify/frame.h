/* frame.h - types and frames as the verifier sees them (JVMS 4.10.1.2).
 *
 * long and double take two slots: the second has the tag of the second half, so indexes are those of
 * the bytecode.  Classes are names: a class is loaded only when two different names must be compared.
 *
 * The effect of one instruction on a frame (code.c) is shared by both verifiers: the one that
 * checks against a StackMapTable (map.c) and the one that infers (infer.c). */
#ifndef EBB_JVM_VERIFY_FRAME_H
#define EBB_JVM_VERIFY_FRAME_H

#include "base/arena.h"
#include "base/mem.h"
#include "jvm/classes/class.h"

enum jvm_vtag {
    JVM_V_TOP, JVM_V_INT, JVM_V_FLOAT, JVM_V_LONG, JVM_V_LONG2, JVM_V_DOUBLE, JVM_V_DOUBLE2, JVM_V_NULL,
    JVM_V_UNINIT_THIS, JVM_V_UNINIT, JVM_V_OBJECT,
    JVM_V_RETURN /* address left by jsr: old class files only */,
};

typedef struct jvm_vtype {
    uint8_t tag;
    uint16_t bci;         /* UNINIT: of the `new`; RETURN: of the subroutine */
    const jvm_sym *name;  /* OBJECT: java/lang/String or [I */
} jvm_vtype;

typedef struct jvm_vframe {
    bool reached;
    bool this_uninit;     /* in a constructor before this() or super() */
    uint16_t depth;       /* slots of the stack in use */
    jvm_vtype slots[];    /* max_locals locals, then max_stack of stack */
} jvm_vframe;

typedef struct jvm_verifier {
    jvm_thread *t;
    jvm_class *cls;
    jvm_method *m;
    uint32_t nslots;      /* max_locals + max_stack */
    uint8_t *starts;      /* by bci: 1 where an instruction starts */
    jvm_vframe *now;      /* before, then after the instruction at bci */
    uint32_t bci;
    ebb_arena arena;
    bool failed;          /* an exception is pending */
    bool allow_subroutines;
    /* Control flows from here (with `now`) to bci. */
    void (*flow)(struct jvm_verifier *v, int64_t bci);
    void *engine;         /* the verifier's own */
} jvm_verifier;

jvm_vframe *jvm_vframe_new(jvm_verifier *v);
void jvm_vframe_copy(const jvm_verifier *v, jvm_vframe *to, const jvm_vframe *from);
void jvm_vframe_start(jvm_verifier *v, jvm_vframe *f); /* arguments of the method */

jvm_vtype jvm_vtype_of(const char *descriptor, size_t nbytes); /* of a field type; sub-int types are INT */
jvm_vtype jvm_vtype_object(const char *name);
bool jvm_vtype_same(jvm_vtype a, jvm_vtype b);
bool jvm_vtype_assignable(jvm_verifier *v, jvm_vtype from, jvm_vtype to); /* may load classes */
jvm_vtype jvm_vtype_merge(jvm_verifier *v, jvm_vtype a, jvm_vtype b);     /* least common type (inference) */
bool jvm_vframe_assignable(jvm_verifier *v, const jvm_vframe *from, const jvm_vframe *to);

/* A table of the method is broken: ClassFormatError. */
void jvm_verify_fail_format(jvm_verifier *v, const char *format, ...) __attribute__((format(printf, 2, 3)));
void jvm_verify_fail(jvm_verifier *v, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The effect of the instruction at v->bci on v->now, calling v->flow for each jump.  Returns false when
 * control does not fall through to the next one. */
bool jvm_verify_step(jvm_verifier *v);
/* Every instruction starts where the one before ends; fills v->starts. */
bool jvm_verify_layout(jvm_verifier *v);
/* Locals, constants and targets that instructions name, reached or not: inference sees only those that are reached. */
bool jvm_verify_operands(jvm_verifier *v);

void jvm_verify_by_map(jvm_verifier *v);
void jvm_verify_by_inference(jvm_verifier *v);

static inline jvm_vtype *jvm_vstack(const jvm_verifier *v, jvm_vframe *f) { return f->slots + v->m->max_locals; }

#endif
