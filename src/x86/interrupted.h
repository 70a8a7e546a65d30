/* interrupted.h - a system call that only ebb interrupted is made again.
 *
 * To stop a thread is to interrupt the call in which it waits.  The kernel makes most calls again when the thread goes on and no
 * handler came between; the others (AGAIN in syscalls.def) answer EINTR, which no program expects where no signal was.  For them the
 * answer is changed, while the thread stands still, to the one by which the kernel knows a call that is to be
 * made again unless a handler runs first: then it is EINTR after all.
 *
 * The time that such a call may still take is right in VM mode (inside/timed.h), and begins anew in native mode. */
#ifndef EBB_X86_INTERRUPTED_H
#define EBB_X86_INTERRUPTED_H

#include "x86/process.h"

/* What the kernel leaves in rax of a thread that was stopped inside a system call which it will restart; never seen by a
 * program. */
enum { X86_RESTART_SYS = 512, X86_RESTART_NOINTR = 513, X86_RESTART_NOHAND = 514, X86_RESTART_BLOCK = 516 };

/* Whether the kernel left that in rax. */
static inline bool x86_will_restart(uint64_t rax)
{
    int64_t error = -(int64_t)rax;
    return error == X86_RESTART_SYS || error == X86_RESTART_NOINTR || error == X86_RESTART_NOHAND || error == X86_RESTART_BLOCK;
}

/* Of a thread that has just stopped. */
void x86_mend_interrupted(x86_task *t);

#endif
