/* counter.h - the counter of a program that counts its own time (gcc/runtime.c), seen from outside: who else would stop at its stop.
 *
 * Such a program executes a breakpoint instruction when its counter becomes zero.  Whoever runs with a copy of that counter and without a
 * debugger would die of it: the child of a fork, that of a vfork, which even counts in the same memory, and the program itself once
 * it is let go.
 *
 * TC1  none of them finds a stop in its counter; timestamps stay as they are;
 * TC2  after a vfork the parent has its stop again.  If the child's count has passed it meanwhile, the parent stops at its next tick. */
#ifndef EBB_X86_COUNTER_H
#define EBB_X86_COUNTER_H

#include "x86/process.h"

/* The child stands in its first stop, in memory of its own. */
void x86_counter_free_child(const x86_process *p, pid_t child);
/* A vfork: from here on the child counts, until the memory is the parent's again. */
void x86_counter_lend(x86_process *p, pid_t parent);
void x86_counter_take_back(x86_process *p);
/* The stopped task is let go. */
void x86_counter_free_task(x86_process *p, x86_task *t);

#endif
