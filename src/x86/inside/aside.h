/* aside.h - what the kernel writes while other threads have the turn is put aside, and is the program's when the caller has the turn again.
 *
 * A call that waits gives the turn away.  Were the kernel to write into the program's memory meanwhile, another thread could see it at a moment that no
 * recording can name.  So such a call is made with other addresses: room in the runtime's own memory.  Once the thread has the turn, what the kernel has
 * written goes where the program wanted it.  At a stop in between, the thread stands after its call, whose memory is not there yet; nor is it in replay.
 *
 * Only while a recording is made, and in a program that has had more than one thread.  Left as they are, since the kernel goes on with them by itself and
 * keeps the address: those that are RESUMED (syscalls.def).  So are commands (ioctl, fcntl, futex), several messages at once (recvmmsg), and whatever has too many pieces; and all
 * calls of a program that fills pages itself (userfaultfd), where touching memory may wait for another thread.
 *
 * XA1  the program's memory has what the call wrote when the call's event is written;
 * XA2  only bytes that the call wrote are put there: what others have written beside them meanwhile stays;
 * XA3  memory that was put aside belongs to the thread's last call: the next one forgets it;
 * XA4  at the address that tcb.aside names is the number of pieces: whoever changes the call's arguments while it is being made, makes it 0. */
#ifndef EBB_X86_INSIDE_ASIDE_H
#define EBB_X86_INSIDE_ASIDE_H

#include "x86/inside/runtime.h"

enum { X86_ASIDE_BYTES = 16384 }; /* of each thread; larger room is mapped for one call */

/* A call begins which is not the last one, going on: XA3. */
void x86_aside_forget(x86_tcb *tcb);
/* The registers to make the call with that is about to be made with `regs`: those, or *other. */
const uint64_t *x86_aside_begin(x86_tcb *tcb, const uint64_t *regs, uint64_t other[X86_N_GPRS]);
/* With the turn: XA1.  The result, or EFAULT where the program's memory can't be written. */
long x86_aside_end(x86_tcb *tcb, long result);

#endif
