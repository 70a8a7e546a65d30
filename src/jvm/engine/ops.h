/* ops.h - the instruction set as data, made from ops.def. */
#ifndef EBB_JVM_ENGINE_OPS_H
#define EBB_JVM_ENGINE_OPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "jvm/classes/class.h"

enum jvm_op {
#define JVM_OP(code, name, operands, pops, pushes, undo, throws) JVM_OP_##name = code,
#include "jvm/engine/ops.def"
#undef JVM_OP
    JVM_NOPS
};

enum jvm_undo {
    JVM_UNDO_NONE, JVM_UNDO_LOCAL, JVM_UNDO_ARRAY, JVM_UNDO_FIELD, JVM_UNDO_STATIC, JVM_UNDO_FRAME, JVM_UNDO_MONITOR,
    JVM_UNDO_ALLOC,
};

enum {
    JVM_THROWS_NPE = 1 << 0, JVM_THROWS_BOUNDS = 1 << 1, JVM_THROWS_STORE = 1 << 2, JVM_THROWS_ARITH = 1 << 3,
    JVM_THROWS_CAST = 1 << 4, JVM_THROWS_SIZE = 1 << 5, JVM_THROWS_MONITOR = 1 << 6, JVM_THROWS_THROW = 1 << 7,
    JVM_THROWS_LINK = 1 << 8, JVM_THROWS_INIT = 1 << 9, JVM_THROWS_CALL = 1 << 10, JVM_THROWS_ALLOC = 1 << 11,
};

typedef struct jvm_op_info {
    const char *name, *operands, *pops, *pushes; /* letters: see ops.def */
    uint8_t undo;
    uint16_t throws;
} jvm_op_info;
extern const jvm_op_info jvm_ops[JVM_NOPS];

/* Bytes of an operand, by its letter; not of switches and wide forms. */
uint32_t jvm_operand_length(char letter);
/* Bytes of the instruction at `bci`, its operands included; 0 when it is unknown or cut off. */
uint32_t jvm_op_length(const uint8_t *code, uint32_t ncode, uint32_t bci);

/* What the instruction at `bci` of checked code does to the stack: slots popped, and the type letter of
 * what it pushes (0: nothing).  Not for the stack shufflers, whose rows of ops.def say it all. */
void jvm_op_effect(const jvm_method *m, uint32_t bci, int *pops, char *pushes);
static inline bool jvm_op_is_shuffler(uint8_t op) { return op >= JVM_OP_pop && op <= JVM_OP_swap; }

/* One line as javap shows it: "12: invokevirtual #7 // Method java/io/PrintStream.println:(I)V". */
void jvm_disassemble(const jvm_method *m, uint32_t bci, ebb_buf *out);

/* Big-endian operands. */
static inline uint16_t jvm_u2(const uint8_t *p) { return (uint16_t)(p[0] << 8 | p[1]); }
static inline int16_t jvm_s2(const uint8_t *p) { return (int16_t)jvm_u2(p); }
static inline uint32_t jvm_u4(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}
static inline int32_t jvm_s4(const uint8_t *p) { return (int32_t)jvm_u4(p); }

#endif
