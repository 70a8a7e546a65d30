/* bare.h - which instructions need not leave a cell (flow/cells.h) beside the value that they put on the operand stack, and which calls need not know where
 * their result came from.
 *
 * Where a value came from is asked by instructions that pass it on: stores, calls, returns, throws, and copies on the stack that one of these takes.  Arithmetic, comparisons,
 * jumps and addresses ask nothing, and what they consume is most of what is ever on an operand stack.  So an instruction whose values only the latter
 * take is *bare*: the interpreter of object flow executes it as the plain one does.
 *
 * BA1  a bare instruction writes the operand stack only, and each of its values is consumed in the same block by something that does not look at cells;
 * BA2  who looks at the operand stack of a frame that stands still asks jvm_stack_is_bare first: beside such a slot lies what is stale;
 *      A null that was read or returned has a cell in any case, since an exception may come of it;
 * BA3  a superinstruction is bare if all of its parts are whose values it leaves on the stack. */
#ifndef EBB_JVM_ENGINE_BARE_H
#define EBB_JVM_ENGINE_BARE_H

#include "jvm/engine/prepare.h"

void jvm_bare_mark(const jvm_method *m); /* which has code: sets jvm_insn.bare of each instruction */

/* BA3, after one was put in place at `in`. */
bool jvm_fusion_is_bare(const jvm_insn *in);

/* What is known all the same of a slot that has no cell. */
typedef struct jvm_bare {
    int32_t local;         /* it has the value of this local variable, whose cell tells; -1: of none */
    bool is_known_if_null; /* a reference: if it is null, there is a cell */
} jvm_bare;

/* Before the instruction at index: whether no cell lies beside that slot of the operand stack, counted from the bottom. */
bool jvm_stack_is_bare(const jvm_method *m, uint32_t index, uint32_t slot, jvm_bare *out);

#endif
