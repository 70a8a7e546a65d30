/* timed.h - system calls that wait for a limited time, and may be interrupted by ebb.
 *
 * When such a call is made again, it waits for what is left of the time only.  The guest's registers and memory don't show
 * that: the call gets a timeout of the runtime's. */
#ifndef EBB_X86_INSIDE_TIMED_H
#define EBB_X86_INSIDE_TIMED_H

#include "x86/shared.h"

#include <stdbool.h>
#include <time.h>

/* The registers of one call: the guest's, perhaps with another timeout. */
typedef struct x86_timed {
    uint64_t regs[X86_N_GPRS];
    struct timespec left;
} x86_timed;

/* The registers to make the guest's call with; `again`: it has been begun before. */
const uint64_t *x86_timed_regs(x86_tcb *tcb, bool again, x86_timed *timed);

#endif
