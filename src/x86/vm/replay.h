/* replay.h - VM mode with a copy that replays: what comes to it from outside, where it ends, how it gets to a moment.
 *
 * VP1  a signal reaches a copy only as the recording has it, and is told there before it is delivered, as it was live: what the kernel wants
 *      to deliver is dropped, unless the copy's own code is the reason (a fault), which then happens as it did;
 * VP2  a moment is reached by its time first, and from the beginning of that time instruction by instruction: between two ticks
 *      places only grow. */
#ifndef EBB_X86_VM_REPLAY_H
#define EBB_X86_VM_REPLAY_H

#include "x86/vm/private.h"

/* The thread gave up for a reason that only replay has.  STEP: it goes on. */
ebb_status vm_replay_goes_on(x86_vm *vm, machine_tid tid, x86_stuck why, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;
/* The copy's one thread of the kernel's executes that thread from now on; 0: any. */
ebb_status vm_replay_board(x86_vm *vm, machine_tid tid, ebb_error *err) EBB_MUST_CHECK;
/* What comes from outside at this very position comes before the thread's next instruction, and so do the turns of others.  *waits: something
 * else is to be told on the way there. */
ebb_status vm_replay_before_step(x86_vm *vm, machine_tid tid, bool *waits, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;
/* The thread stands before a signal that it made itself. */
ebb_status vm_replay_signal(x86_vm *vm, vm_thread *t, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;
/* Whether a stop of the copy means anything. */
bool vm_replay_is_told(x86_vm *vm, const machine_stop *stop);
/* What the user changed at this moment is changed (edits.h, EU1). */
ebb_status vm_replay_edits(x86_vm *vm, ebb_error *err) EBB_MUST_CHECK;
/* Runs to the moment of the request (MACHINE_RUN, until). */
ebb_status vm_replay_until(x86_vm *vm, const machine_request *request, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;

#endif
