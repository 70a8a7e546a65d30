/* body.h - the process of the kernel's that is under a machine, and how it is exchanged for a copy.
 *
 * A debuggee that travels in time is executed by copies of itself: processes that the program forked without knowing.  The
 * machine, with its points and modules and whatever the user set, stays the same; what changes is its *body*.
 *
 * A copy has one thread of the kernel's, however many threads the program has: the others are registers that wait in their tasks until
 * it is their turn to be executed.
 *
 * BY1  a body that is not worn stands still: its thread is in a ptrace-stop, and its registers are written back;
 * BY2  nobody but ebb can tell that there is a copy: it is a child of ebb, no descriptor is open in it, and no signal reaches it. */
#ifndef EBB_X86_BODY_H
#define EBB_X86_BODY_H

#include "x86/process.h"

typedef struct x86_body {
    pid_t pid;
    bool launched, is_copy, gone;
    machine_stop ending;
    x86_task_list tasks; /* owned */
    int mem;
} x86_body;

/* What p wears goes to *body, and the other way round. */
void x86_body_exchange(x86_process *p, x86_body *body);

/* A copy of what p wears, all of whose tasks stand still; `by`, which the kernel executes, makes it.  `syscall_insn` is the address of an instruction in the
 * program's memory that makes system calls. */
ebb_status x86_body_fork(x86_process *p, x86_task *by, uint64_t syscall_insn, x86_body *out, ebb_error *err) EBB_MUST_CHECK;

/* A system call, made at once by the thread of a body that stands still. */
ebb_status x86_body_syscall(x86_task *t, uint64_t syscall_insn, long number, const uint64_t args[6], uint64_t *result, ebb_error *err) EBB_MUST_CHECK;

/* The kernel gets a thread for a task that is registers only: `by`, which it executes, makes one, which stands still. */
ebb_status x86_body_thread(x86_task *by, uint64_t syscall_insn, x86_task *t, ebb_error *err) EBB_MUST_CHECK;

bool x86_body_is_alive(const x86_body *body);
uint64_t x86_body_private_nbytes(const x86_body *body); /* memory that it shares with nobody */
void x86_body_end(x86_body *body); /* kills the process and frees what is here */

#endif
