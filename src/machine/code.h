/* code.h - conditions as machines execute them: code of a small stack machine.
 *
 * Values are 64-bit words.  A session makes such code of an expression, where it can, and gives it to a machine together
 * with a point (machine.h, point_condition); the machine executes it wherever that is cheapest.
 *
 * CD1  code leaves exactly one value, and at no step more than MACHINE_CODE_MAX_DEPTH;
 * CD2  jumps go forward only, so that all code ends;
 * CD3  code has no effect.  Where it can't be executed to its end (there is no such memory), its value counts as true. */
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

typedef enum machine_code_op {
#define X(name, takes, leaves) MACHINE_CODE_##name,
    MACHINE_CODE_OPS(X)
#undef X
} machine_code_op;

enum { MACHINE_CODE_MAX_DEPTH = 8, MACHINE_CODE_MAX_STEPS = 64 };

typedef struct machine_code {
    uint32_t op; /* a machine_code_op */
    uint32_t reserved;
    int64_t operand;
} machine_code;

#endif
