/* scratch.h - system calls of a copy in which the user calls functions of the past, and which is thrown away: made if they are about its own memory or
 * ask for something harmless, refused otherwise.  What it prints is dropped. */
#ifndef EBB_X86_INSIDE_SCRATCH_H
#define EBB_X86_INSIDE_SCRATCH_H

#include "x86/inside/runtime.h"

/* The answer to the call in the guest's registers. */
long x86_scratch_call(x86_tcb *tcb);

#endif
