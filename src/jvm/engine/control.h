/* control.h - which branches of a method decide whether an instruction is executed: control dependence, over post-dominators.
 *
 * An instruction depends on a branch if one way out of the branch leads to it for certain and another one may lead past it.  "For certain" leaves
 * exceptions aside: only what the code itself chooses counts.  A handler is entered by an exception, which is a choice, too: what is executed for
 * certain once a handler is entered depends on that.
 *
 * CX1  of the deciders of an instruction, the one that its frame executed last decided that it was executed; a frame that executed none of them
 *      was to execute it from the moment it was called. */
#ifndef EBB_JVM_ENGINE_CONTROL_H
#define EBB_JVM_ENGINE_CONTROL_H

#include "jvm/engine/reach.h"

typedef struct jvm_decider {
    uint32_t bci;
    bool is_handler;
    uint32_t way; /* where it goes on if it decides for the instruction: one of these for each such way */
} jvm_decider;
typedef EBB_VEC(jvm_decider) jvm_decider_list;

/* The branches and switches, and the first instructions of handlers (is_handler), that decide about the instruction.  False: nobody knows
 * (subroutines). */
bool jvm_deciders(const jvm_method *m, uint32_t bci, jvm_decider_list *out);

#endif
