/* code.h - conditions as machines execute them: code of a small stack machine.
 *
 * Values are 64-bit words.  A session makes such code of an expression, where it can, and gives it to a machine together
 * with a point (machine.h, point_condition); the machine executes it wherever that is cheapest.  Native code and Java have
 * the numbers in common; beyond them each machine has steps of its own.
 *
 * CD1  code leaves exactly one value, and at no step more than the machine's depth;
 * CD2  jumps go forward only, so that all code ends;
 * CD3  code has no effect.  Where it can't be executed to its end (there is no such memory, an object is null), its value
 *      counts as true.
 *
 * Java.  The stack holds what expr/java.h's evaluator has: integers and booleans extended to 64 bits, a float as the double of
 * the same value, a reference as the object's address.  Code made for one place is right there only: it names the slots of
 * that method's variables.  A step that needs an object and finds none, or one of another kind, has no answer (CD3).
 *
 * CD4  what a step takes for a reference was one when it came onto the stack: LOCAL of an object, FIELD_REF, STATIC_REF, ELEMENT of
 *      objects, NIL, or one of them passed on.  Numbers are never looked at as addresses. */
#ifndef EBB_MACHINE_CODE_H
#define EBB_MACHINE_CODE_H

#include <stdint.h>

/* name, values that it takes, values that it leaves, what it does with its operand */
#define MACHINE_CODE_OPS(X)                                                                        \
    X(PUSH, 0, 1)     /* the operand */                                                            \
    X(REG, 0, 1)      /* the general register whose machine index is the operand */                \
    X(LOAD, 1, 1)     /* from that address, 1, 2, 4 or 8 bytes, extended with zeros */             \
    X(SIGN, 1, 1)     /* its lowest 1, 2 or 4 bytes, extended with their sign */                   \
    X(ZERO, 1, 1)     /* its lowest 1, 2 or 4 bytes, extended with zeros */                        \
    X(NEGATE, 1, 1)                                                                                \
    X(COMPLEMENT, 1, 1)                                                                            \
    X(IS_ZERO, 1, 1)  /* 1 or 0 */                                                                 \
    X(IS_TRUE, 1, 1)  /* 1 or 0 */                                                                 \
    X(SHL, 1, 1)      /* by the operand, 0 to 63 */                                                \
    X(SHR, 1, 1)                                                                                   \
    X(SAR, 1, 1)                                                                                   \
    X(ADD, 2, 1)                                                                                   \
    X(SUB, 2, 1)                                                                                   \
    X(MUL, 2, 1)                                                                                   \
    X(AND, 2, 1)                                                                                   \
    X(OR, 2, 1)                                                                                    \
    X(XOR, 2, 1)                                                                                   \
    X(EQ, 2, 1)       /* comparisons: 1 or 0 */                                                    \
    X(NE, 2, 1)                                                                                    \
    X(LT, 2, 1)       /* with signs */                                                             \
    X(LE, 2, 1)                                                                                    \
    X(BELOW, 2, 1)    /* without */                                                                \
    X(BELOW_EQ, 2, 1)                                                                              \
    X(AND_THEN, 1, 0) /* is it 0, goes to the step whose number is the operand, and leaves it there */ \
    X(OR_ELSE, 1, 0)  /* the same if it isn't 0 */

/* The Java machine's own; it has no REG and no LOAD. */
#define MACHINE_CODE_JAVA_OPS(X)                                                                   \
    X(LOCAL, 0, 1)    /* a local variable of the frame: slot | letter of its descriptor << 16 */   \
    X(IS_AT, 0, 1)    /* 1 or 0: whether the frame stands at that place */                         \
    X(NIL, 0, 1)      /* null */                                                                   \
    X(FIELD, 1, 1)    /* of that object, no reference: the field's id (jvm/remote/remote.h) */     \
    X(FIELD_REF, 1, 1) /* the same of a reference */                                               \
    X(STATIC, 0, 1)   /* the field's id; no answer before its class is initialised */              \
    X(STATIC_REF, 0, 1)                                                                            \
    X(LENGTH, 1, 1)   /* of that array */                                                          \
    X(ELEMENT, 2, 1)  /* array, index: the letter of its elements */                               \
    X(INSTANCE, 1, 1) /* 1 or 0: whether it is one of the class with that number; null is none */  \
    X(CAST, 1, 1)     /* the same object; no answer if it is neither null nor one of that class */ \
    X(NEED, 1, 1)     /* the same; no answer if it is 0 */                                         \
    X(DOUBT, 1, 1)    /* the same; no answer if it isn't 0 */                                      \
    X(DIVIDE, 2, 1)   /* with signs; no answer for 0 */                                            \
    X(REMAINDER, 2, 1)                                                                             \
    X(SHL_BY, 2, 1)   /* by what is on top, of which the operand's bits count: 31 or 63 */         \
    X(SHR_BY, 2, 1)                                                                                \
    X(SAR_BY, 2, 1)                                                                                \
    X(TO_REAL, 1, 1)  /* from an integer to a double */                                            \
    X(TO_FLOAT, 1, 1) /* from an integer to a float */                                             \
    X(ROUND, 1, 1)    /* from a double to a float */                                               \
    X(TO_INT, 1, 1)   /* from a double, to the nearest that there is; NaN is 0 */                  \
    X(TO_LONG, 1, 1)                                                                               \
    X(REAL_NEGATE, 1, 1)                                                                           \
    X(REAL_ADD, 2, 1)                                                                              \
    X(REAL_SUB, 2, 1)                                                                              \
    X(REAL_MUL, 2, 1)                                                                              \
    X(REAL_DIV, 2, 1)                                                                              \
    X(REAL_MOD, 2, 1)                                                                              \
    X(REAL_EQ, 2, 1)  /* 1 or 0; comparisons with NaN are 0 */                                     \
    X(REAL_LT, 2, 1)                                                                               \
    X(REAL_LE, 2, 1)                                                                               \
    X(REAL_GT, 2, 1)                                                                               \
    X(REAL_GE, 2, 1)                                                                               \
    X(UNITS, 1, 1)    /* how many UTF-16 units that String has */                                  \
    X(UNIT, 2, 1)     /* String, index */                                                          \
    X(SAME_TEXT, 2, 1) /* 1 or 0: String.equals; the second may be anything */                     \
    X(IS_TEXT, 1, 1)  /* 1 or 0: whether it is a String of the operand's many units, which are in the DATA that follow */ \
    X(DATA, 0, 0)     /* four UTF-16 units, the first one lowest; does nothing by itself */        \
    X(UNLESS, 1, 0)   /* is it 0, goes to the step whose number is the operand, without it */      \
    X(JUMP, 0, 0)     /* goes to that step */

/* Native code's own, beside REG and LOAD.  Of Java's it has DIVIDE, REMAINDER and those of reals (a float is on the stack as the double of the
 * same value, as in Java), and DATA; for points of data IS_AT, NEED, UNLESS and JUMP as well. */
#define MACHINE_CODE_NATIVE_OPS(X)                                                                 \
    X(DIVIDE_U, 2, 1)    /* without signs; no answer for 0 */                                      \
    X(REMAINDER_U, 2, 1)                                                                           \
    X(WIDEN, 1, 1)       /* from the bits of a float to a double */                                \
    X(IS_BYTES, 1, 1)    /* 1 or 0: whether the operand's many bytes at that address are those of the DATA that follow, eight each */ \
    X(THREAD, 0, 1)      /* the number that the system gave the thread */

typedef enum machine_code_op {
#define X(name, takes, leaves) MACHINE_CODE_##name,
    MACHINE_CODE_OPS(X) MACHINE_CODE_JAVA_OPS(X) MACHINE_CODE_NATIVE_OPS(X)
#undef X
    MACHINE_CODE_N_OPS
} machine_code_op;

enum {
    MACHINE_CODE_MAX_DEPTH = 8, MACHINE_CODE_MAX_STEPS = 64, /* of native code, whose stack is in registers */
    MACHINE_CODE_DATA_STEPS = 1024, /* the same for points of data, whose code is executed step by step */
    MACHINE_CODE_JAVA_DEPTH = 64, MACHINE_CODE_JAVA_STEPS = 1024,
};

typedef struct machine_code {
    uint32_t op; /* a machine_code_op */
    uint32_t reserved;
    int64_t operand;
} machine_code;

#endif
