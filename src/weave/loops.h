/* loops.h - which loops of a method can count in a local variable, and where that count must be handed in.
 *
 * A tick in memory costs a small loop more than its body, and hinders the JIT compiler of the JVM from unrolling it.  In a loop
 * that calls nothing nobody else can see the counter, so it counts in a local variable, for which the compiler finds a
 * closed form.  What has been counted so is *pending*; it is handed in before the method calls, ticks in memory or ends.
 *
 * WL1  an instruction that may be executed while something is pending is marked so: this is reachability from the
 *      jumps that count locally, over exceptions too, up to what hands in;
 * WL2  a method with subroutines (jsr), or with loops before the call of another constructor, counts in memory only. */
#ifndef EBB_WEAVE_LOOPS_H
#define EBB_WEAVE_LOOPS_H

#include "weave/code.h"

typedef struct weave_loops {
    bool any;          /* some jump counts locally */
    uint8_t *marks;    /* by bci */
} weave_loops;

/* With `in_memory` no loop counts locally. */
void weave_loops_find(weave_loops *loops, weave_code *code, bool in_memory);
/* Of an instruction that was read. */
bool weave_loops_is_local(const weave_loops *loops, const weave_insn *insn);
bool weave_loops_is_pending(const weave_loops *loops, const weave_insn *insn);
/* It ticks in memory: a return, a handler, a jump back that is not local. */
bool weave_ticks_before(const weave_loops *loops, const weave_insn *insn);

#endif
