/* copies.h - the copies that a compiler makes of the block of a `finally` (CX3 of control.h). */
#ifndef EBB_JVM_ENGINE_COPIES_H
#define EBB_JVM_ENGINE_COPIES_H

#include "jvm/engine/ways.h"

typedef EBB_VEC(uint32_t) jvm_bci_list;

/* The instruction itself first, then those that stand for it on other ways into its block: the same instructions of the same line, of which some are
 * reached from a handler of any exception and others are not. */
void jvm_copies_of(const jvm_ways *w, uint32_t bci, jvm_bci_list *out);

#endif
