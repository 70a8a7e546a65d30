/* reach.h - which instructions of a method may have written what another one finds in a slot.
 *
 * The depth of the operand stack before each instruction is known from the code alone, so an instruction writes the same slots whenever it
 * executes.  Backward from where the slot is looked at, over every path, the first instruction that writes it is one of its writers.
 *
 * RH1  of the writers of a slot, the one that its frame executed last before that moment wrote what is there: had an earlier one, the later one
 *      would have overwritten it;
 * RH2  stack shufflers and casts are writers, too: they copy from another slot, or onto the same one. */
#ifndef EBB_JVM_ENGINE_REACH_H
#define EBB_JVM_ENGINE_REACH_H

#include "base/mem.h"
#include "jvm/classes/class.h"

typedef struct jvm_writer {
    uint32_t bci;
    bool is_handler; /* what is there is the exception that was caught: at the moment before this instruction, which begins a handler */
} jvm_writer;
typedef EBB_VEC(jvm_writer) jvm_writers;

/* Calls `to` for each instruction that may come next in the same frame.  Exceptions are not looked at. */
void jvm_each_successor(const jvm_method *m, uint32_t bci, void (*to)(void *self, int64_t bci), void *self);

/* Slots on the operand stack before each instruction, by bci; -1: it is never reached.  NULL: the code is older than the rules that make this
 * one number (subroutines).  Caller frees. */
int32_t *jvm_stack_depths(const jvm_method *m);

/* The writers of a slot of the operand stack, numbered from the bottom, as the instruction finds it.  False: nobody knows (subroutines). */
bool jvm_stack_writers(const jvm_method *m, uint32_t bci, uint32_t slot, jvm_writers *out);
/* All that write a local variable's slot, wherever they are. */
void jvm_local_writers(const jvm_method *m, uint32_t slot, jvm_writers *out);

/* The local variable that a load, store or iinc names; -1: it is none of these. */
int32_t jvm_named_local(const jvm_method *m, uint32_t bci);

#endif
