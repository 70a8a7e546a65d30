/* caught.h - system calls that ebb wants to be told of (vm/caught.h): the thread gives up before one (X86_STUCK_CALLS) and after it (X86_STUCK_CALLED). */
#ifndef EBB_X86_INSIDE_CAUGHT_H
#define EBB_X86_INSIDE_CAUGHT_H

#include "x86/inside/runtime.h"

/* Whether ebb is to be told of the call that is about to be made.  One that has begun, before another thread had the turn or the user stopped the program, was told
 * then. */
bool x86_caught_call(const x86_tcb *tcb);
/* The thread has the answer: on to the guest's next address, or out of translated code. */
uint64_t x86_caught_answer(x86_tcb *tcb, uint64_t number, long result);
/* The same, when the thread comes to the dispatcher: of a call that does not return to the runtime's C code, or if ebb wants the thread now. */
void x86_caught_later(x86_tcb *tcb, uint64_t number);
/* Whether it has come, and ebb is told. */
bool x86_caught_waits(x86_tcb *tcb);

#endif
