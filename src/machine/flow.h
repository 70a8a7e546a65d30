/* flow.h - where one instruction takes a value from: what `origin` asks of a machine of machine code.
 *
 * A *datum* is up to sixteen bytes in memory or in a register.  A thread stands before an instruction; the question is what that
 * instruction is going to do to a datum, if anything.
 *
 * MF1  COPY: the bytes of `from`, before the instruction, are those of `wanted` after it; those that `wanted` has more are zeros, or the sign if
 *      `has_sign`;
 * MF2  an instruction may write a part of the datum only: `wanted` becomes that part, and the rest of the answer is about it;
 * MF3  what is not understood is an OPERATION or UNKNOWN, never a COPY;
 * MF4  a register may be asked about, and is told, by the name of a larger one that begins with it. */
#ifndef EBB_MACHINE_FLOW_H
#define EBB_MACHINE_FLOW_H

#include "machine/types.h"

#include <stdbool.h>
#include <stddef.h>

enum { MACHINE_DATUM_MAX = 16, MACHINE_FLOW_MAX_OPERANDS = 4 };

typedef struct machine_datum {
    bool is_register;
    machine_addr addr; /* in memory */
    unsigned reg;      /* in a register, by its index: from that byte on */
    unsigned offset;
    unsigned nbytes;
} machine_datum;

typedef enum machine_flow_kind {
    MACHINE_FLOW_NONE,      /* it does not write it */
    MACHINE_FLOW_COPY,      /* from `from` (MF1) */
    MACHINE_FLOW_CONSTANT,  /* the instruction itself says what it is */
    MACHINE_FLOW_OPERATION, /* it computes it, from `operands` as far as they are told */
    MACHINE_FLOW_KERNEL,    /* it is a system call */
    MACHINE_FLOW_CPU,       /* the CPU tells it: a clock, a number, what it can do */
    MACHINE_FLOW_CALL,      /* it is a return address that a call leaves */
    MACHINE_FLOW_UNKNOWN,
} machine_flow_kind;

typedef struct machine_flow {
    machine_flow_kind kind;
    machine_datum wanted; /* MF2 */
    machine_datum from;
    bool has_sign;
    bool repeats; /* this is one repetition of a string instruction */
    machine_datum operands[MACHINE_FLOW_MAX_OPERANDS];
    size_t n_operands;
} machine_flow;

/* A system call that is in the recording. */
typedef struct machine_call {
    uint64_t time; /* the thread stands before it at that timestamp */
    uint64_t number;
    int64_t result;
} machine_call;

#endif
