/* control.h - which branches of a method decide whether an instruction is executed: control dependence.
 *
 * An instruction depends on a branch if one way out of the branch leads to it for certain and another one may lead past it.  "For certain" leaves
 * exceptions aside that nobody can foresee: only what the code itself chooses counts, which a throw of its own does (WN1 of ways.h).
 *
 * A handler is entered by an exception, which is a choice, too: what is executed for certain once a handler is entered depends on that, unless it would
 * have been executed anyway from where the exception was thrown.  So a handler decides or not depending on what threw.
 *
 * CX1  of the deciders of an instruction, the one that its frame executed last decided that it was executed; a frame that executed none of them
 *      was to execute it from the moment it was called;
 * CX2  the next time around a loop is another time: what skips the rest of this one (continue, break) decides about it, although it may be executed
 *      in the next.  So it is asked what leads to the instruction without going around the loops that it is in, then what leads to it once around the innermost
 *      of these, once around the next, and so on;
 * CX3  a compiler writes the block of a `finally` once for each way into it.  These copies are one instruction here: whichever is executed, the block is. */
#ifndef EBB_JVM_ENGINE_CONTROL_H
#define EBB_JVM_ENGINE_CONTROL_H

#include "jvm/engine/ways.h"

typedef struct jvm_decider {
    uint32_t bci;
    bool is_handler;
    uint32_t way; /* where it goes on if it decides for the instruction; of a handler, the instruction that threw: one of these for each such way */
} jvm_decider;
typedef EBB_VEC(jvm_decider) jvm_decider_list;

/* The branches and switches, and the first instructions of handlers (is_handler), that decide about the instruction.  False: nobody knows
 * (subroutines). */
bool jvm_deciders(const jvm_method *m, uint32_t bci, jvm_decider_list *out);

#endif
