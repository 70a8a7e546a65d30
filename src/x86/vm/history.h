/* history.h - a native program that can go back (machine/history.h): the recording that its runtime writes, and copies that replay it.
 *
 * The live process stands aside while a copy of it replays: it is *put away*, with what is known of it (worn.h), and comes back as it was.
 *
 * HX1  whoever replays has events of the recording in its feed, never descriptors, clocks or files. */
#ifndef EBB_X86_VM_HISTORY_H
#define EBB_X86_VM_HISTORY_H

#include "machine/flow.h"
#include "time/copies.h"
#include "time/recording.h"
#include "x86/vm/private.h"

typedef struct vm_history vm_history;

void vm_history_free(x86_vm *vm); /* ends every copy; the program itself is not touched */
extern const machine_history_ops vm_history_ops;

/* The recording with all that was written up to now; borrowed. */
ebb_status vm_history_recording(x86_vm *vm, ebb_recording **out, ebb_error *err) EBB_MUST_CHECK;

/* The machine replays that recording, and nobody is live. */
ebb_status vm_history_open(x86_vm *vm, const char *path, ebb_error *err) EBB_MUST_CHECK;

/* What was is no longer the past of what is: the program executed another one, or ran natively. */
void vm_history_cut(x86_vm *vm);
/* Why; a new history begins when it is executed in VM mode again. */
void vm_history_gap(x86_vm *vm, const char *why);
/* All threads are parked and the runtime is there: if there was a gap, it is over. */
void vm_history_after_gap(x86_vm *vm);
/* The debuggee ended, live: *stop is how. */
void vm_history_note_end(x86_vm *vm, const machine_stop *stop);
/* The copy came to where the recorded program ended, or its recording does. */
void vm_history_tell_end(x86_vm *vm, machine_stop *stop);

/* snapshots.c: the live one is copied now and then while it runs. */
void vm_snapshots_set_pace(x86_vm *vm, ebb_pace_rule rule);
int vm_snapshots_patience_ms(const x86_vm *vm); /* how long nobody has to look; 0: for ever */
bool vm_snapshots_is_due(x86_vm *vm);
void vm_snapshots_take(x86_vm *vm);

/* copies.c */
extern const ebb_copies_hooks vm_copies_hooks;
/* state_hash.c */
ebb_status vm_state_hash(machine *m, uint64_t *hash, ebb_error *err) EBB_MUST_CHECK;
/* calls_made.c */
ebb_status vm_calls_made(machine *m, uint64_t before, void (*visit)(void *self, const machine_call *call), void *self, ebb_error *err) EBB_MUST_CHECK;
/* search.c */
ebb_status vm_search(machine *m, const machine_search *search, machine_found *found, ebb_error *err) EBB_MUST_CHECK;

#endif
