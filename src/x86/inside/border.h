/* border.h - what a system call does to the runtime and the guest's registers, whoever answers it: the kernel (syscall.c) or a
 * recording (replay.c). */
#ifndef EBB_X86_INSIDE_BORDER_H
#define EBB_X86_INSIDE_BORDER_H

#include "x86/calls.h"
#include "x86/inside/runtime.h"
#include "x86/page.h"

x86_border x86_border_of(uint64_t number);

/* What the syscall instruction leaves in registers. */
void x86_border_finish(x86_tcb *tcb, long result);
/* The call is still to be made: the thread stands before it.  The point there has been passed. */
void x86_border_stay(x86_tcb *tcb);
/* The end of a signal handler. */
uint64_t x86_border_sigreturn(x86_tcb *tcb);

/* The number by which the kernel knows a thread, or the process, that the program knows by that one. */
uint64_t x86_border_real_number(const x86_runtime *runtime, uint64_t known);

/* A prctl was made: the thread may have another name now. */
void x86_border_note_name(x86_tcb *tcb, long result);

/* What was translated from there is out of date. */
void x86_border_drop(x86_tcb *tcb, uint64_t at, uint64_t nbytes);
/* Unmaps what is the guest's of the range. */
long x86_border_unmap(uint64_t lo, uint64_t hi);

static inline bool x86_call_failed(long result)
{
    return result < 0 && result >= -4095;
}

#endif
