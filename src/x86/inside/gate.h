/* gate.h - what the guest has put between itself and the kernel: filters (seccomp) and syscall user dispatch.
 *
 * Were they the kernel's, they would meet the runtime's own calls, and the guest's at an address of the runtime.  So the
 * runtime asks them itself, before it makes a call of the guest's, with the guest's registers and the guest's address.  The kernel
 * gets them when a process goes on without the runtime (vm/filters.c).
 *
 * GT1  every call of the guest's is asked about once: not again if it has to be made again because ebb stopped the thread, and not
 *     if it comes from a function of the tamed vdso, which would make no call natively;
 * GT2  the order is the kernel's: dispatch first, then all filters, of whose answers the most restrictive holds, from the newest if
 *     there are several such;
 * GT3  a filter is a program that the kernel has accepted: the interpreter checks nothing. */
#ifndef EBB_X86_INSIDE_GATE_H
#define EBB_X86_INSIDE_GATE_H

#include "x86/inside/runtime.h"

typedef enum x86_gate {
    X86_GATE_OPEN,
    X86_GATE_ERROR,  /* the call is answered with *error */
    X86_GATE_DENIED, /* tcb->denial says what becomes of the thread */
} x86_gate;

/* For the `syscall` instruction that ends at tcb->target. */
x86_gate x86_gate_at_syscall(x86_tcb *tcb, long *error);
/* The instruction at tcb->target is left to the CPU; if it is the old way into the kernel (int 0x80), it is asked about, too. */
x86_gate x86_gate_at_odd_insn(x86_tcb *tcb, long *error);

/* prctl(PR_SET_SYSCALL_USER_DISPATCH). */
long x86_gate_set_dispatch(x86_tcb *tcb);

#endif
