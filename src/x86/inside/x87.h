/* x87.h - the x87 unit remembers the address of its last instruction, which some instructions store.
 *
 * In translated code that is a host address.  Before it is stored, by one of these instructions or by a fork whose child runs
 * natively, and before the code at that address is dropped, it is made the guest's; ebb does the same for a thread that it parks (vm/vectors.c).  The address outlives its block,
 * but not a flush for want of room: a thread that waits for its turn meanwhile is told a wrong one. */
#ifndef EBB_X86_INSIDE_X87_H
#define EBB_X86_INSIDE_X87_H

#include "x86/inside/cache.h"

void x86_x87_tell_guest_address(const x86_cache *cache);
bool x86_x87_points_somewhere(void); /* it has an address of a last instruction or operand, even where xsave hides them */
bool x86_has_xsave(void);

#endif
