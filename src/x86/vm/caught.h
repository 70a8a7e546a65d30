/* caught.h - system calls, forks and threads that begin or end: what catchpoints are about, live and in the past.
 *
 * The runtime tells of system calls, and of a thread's last one (X86_STUCK_CALLS, X86_STUCK_CALLED, X86_STUCK_LEAVES).  Of births the kernel tells, live; in the
 * past who takes the events out of the recording does.
 *
 *   a system call begins    before its instruction, when the thread comes to it with the turn
 *   it returns, or forks    after its instruction, when the thread has the turn again
 *   a thread begins         when it first has the turn
 *   a thread ends           before the instruction that makes its last call
 *
 * CU1  each of these is told at one position, whatever way leads there.  A move of the user's that begins at that position does not tell it again, but a search does,
 *      once: it may begin where the one before it ended;
 * CU2  while the user looks at a thread at the beginning of a call, it is *shown inside*: with the registers that it has in there natively.  Its position is that
 *      of the instruction. */
#ifndef EBB_X86_VM_CAUGHT_H
#define EBB_X86_VM_CAUGHT_H

#include "x86/vm/private.h"

/* What the runtime has to tell of. */
ebb_status vm_caught_tell(x86_vm *vm, ebb_error *err) EBB_MUST_CHECK;

/* A move begins, or a search: CU1, CU2. */
void vm_caught_begin(x86_vm *vm, const machine_request *request);
/* CU2: as the stop was, and back. */
void vm_caught_show(machine *m, const machine_stop *stop);
void vm_caught_hide(x86_vm *vm);
/* Whether a thread is shown so, and which registers it has really. */
bool vm_caught_is_shown(x86_vm *vm, const vm_thread *t, struct user_regs_struct *outside);

/* A thread that replays stands before a call, or after one: *stop is what is to be told, or STEP. */
ebb_status vm_caught_call(x86_vm *vm, machine_tid tid, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;
ebb_status vm_caught_answer(x86_vm *vm, machine_tid tid, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;
/* The same, of what else is told at that moment first: it is told next. */
ebb_status vm_caught_answer_later(x86_vm *vm, machine_tid tid, ebb_error *err) EBB_MUST_CHECK;
/* The thread is parked after a call: its return is told when it has the turn again. */
ebb_status vm_caught_later(x86_vm *vm, const vm_thread *t, uint64_t number, ebb_error *err) EBB_MUST_CHECK;
/* What comes from outside finds the thread that executes in a call: *tells if that was not told yet. */
ebb_status vm_caught_before_event(x86_vm *vm, uint64_t place, bool *tells, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;
/* ... and is taken: the call has begun. */
void vm_caught_at_event(x86_vm *vm, uint64_t place);
/* The thread has the turn, for the first time perhaps; or is about to end. */
void vm_caught_start(x86_vm *vm, vm_thread *t, machine_stop *stop);
void vm_caught_leaving(x86_vm *vm, const vm_thread *t, machine_stop *stop);

#endif
