/* own.h - the memory that belongs to the runtime, so that the guest can't take it away and ebb can give it back.
 *
 * To the guest these ranges are not there.  What a system call answers about them is what the kernel would answer if
 * nothing were mapped; only a mapping at a fixed address, which would then succeed, has to be refused.
 *
 * OW1  every page that ebb or the runtime mapped is in the table. */
#ifndef EBB_X86_INSIDE_OWN_H
#define EBB_X86_INSIDE_OWN_H

#include "x86/shared.h"

#include <stdbool.h>

extern x86_own x86_own_ranges;

void x86_own_add(uint64_t lo, uint64_t hi);
bool x86_own_hit(uint64_t lo, uint64_t hi);
/* The first part of [lo, hi) that is not ours; false if there is none. */
bool x86_own_gap(uint64_t *lo, uint64_t hi, uint64_t *end);

#endif
