/* undo.h - ebb's half of the undo log of a copy that replays (inside/undo.h): its checkpoints, and going back to one.
 *
 * A checkpoint (time/checkpoints.h) is a moment at which all threads were parked: their registers, what the runtime knows of them, how much of the feed had
 * been taken, and the position in the log.  One is taken when the log begins, and then every so many timestamps, which depends
 * on `unit`: who steps by instructions wants them near to each other, who steps over functions wants the replay fast.  They are further apart where
 * timestamps are short, and where the copy goes on without a limit they are taken by the clock, so that it needs no tests of its ticks.
 *
 * Going back to a checkpoint puts the memory back by the log, and the rest by what was noted; from there the copy replays.  So going
 * back within the log costs no copy of the process, and what was translated stays.
 *
 * A log costs a replay some three times its time.  So none is kept of a long way to a moment that is asked for but of its end, and none
 * of a way forward whose end nobody knows, once it is long: whoever stops there and steps back gets there by a snapshot, and has a log from then on.
 *
 * What can't be taken back is a cut, here as inside: a thread that is born or ends, a change by the user.
 *
 * UV1  a checkpoint is in the list only while nothing was executed after it that the log does not have;
 * UV2  what ebb itself writes to a copy's memory, or lets the CPU execute natively, it keeps first;
 * UV3  the log is that of one process: a copy of it begins with an empty one. */
#ifndef EBB_X86_VM_UNDO_H
#define EBB_X86_VM_UNDO_H

#include "x86/vm/private.h"

/* The log as the request and the setting want it: the runtime is told. */
ebb_status vm_undo_tell(x86_vm *vm, ebb_error *err) EBB_MUST_CHECK;
/* All threads are parked, and are about to enter: a checkpoint is taken if one is due. */
ebb_status vm_undo_look(x86_vm *vm, ebb_error *err) EBB_MUST_CHECK;
/* When the debuggee has to stop next: at the limit of the request, or for a checkpoint. */
uint64_t vm_undo_limit(const x86_vm *vm);
/* How long nobody has to look whether one is due by the clock, 0: for ever; and whether it is, so that the copy has to be stopped. */
int vm_undo_patience_ms(const x86_vm *vm);
bool vm_undo_is_late(x86_vm *vm);
/* It stopped by the time, before that limit: for a checkpoint, or because the log was cut.  The next round takes one. */
bool vm_undo_waits(x86_vm *vm);

/* UV2: these bytes are about to be overwritten; what the thread's next instruction writes is, with so many repetitions. */
void vm_undo_keep(x86_vm *vm, uint64_t address, uint64_t nbytes);
void vm_undo_keep_ahead(x86_vm *vm, machine_tid tid, bool all_repetitions);
void vm_undo_cut(x86_vm *vm, const char *why); /* a literal */

/* For the family of copies (time/copies.h), and history.h. */
uint64_t vm_undo_oldest(void *self);
ebb_status vm_undo_rewind(void *self, ebb_position to, bool *reached, ebb_error *err) EBB_MUST_CHECK;
uint64_t vm_undo_nbytes(x86_vm *vm); /* of the log that can be gone back over */
ebb_status vm_undo_set(machine *m, uint64_t live_nbytes, uint64_t replay_nbytes, ebb_error *err) EBB_MUST_CHECK;

void vm_undo_fini(vm_undo *undo);

#endif
