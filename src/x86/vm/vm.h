/* vm.h - VM mode: the debuggee executes translated code, made inside itself.
 *
 * The machine is a layer over native mode.  While the debuggee stands still, every thread is *parked*:
 * its registers are the guest's own, as if it had been running natively all along, so that everything that
 * looks at or changes a stopped debuggee is native mode's code.  To run, a thread *enters*: its program
 * counter becomes a door of the runtime, which goes on at the guest address.  When the debuggee
 * stops, threads are parked again: a thread in translated code moves on to the next boundary, one in the
 * runtime to its end; one in a system call gets the registers that it would have in there natively, so that
 * the kernel restarts or interrupts the call as it always does.
 *
 * So switching between the modes is free: parked is native.
 *
 * VM1  a parked thread has exactly the state that native execution would have at its guest address;
 * VM2  the timestamp counts taken backward jumps, calls, returns and indirect jumps of guest code, repetitions, entries and ends of
 *      signal handlers, and changes of the thread that executes, however they came about: in translated code or by native single steps;
 * VM3  one thread at a time executes guest code (inside/turn.h). */
#ifndef EBB_X86_VM_VM_H
#define EBB_X86_VM_VM_H

#include "machine/machine.h"
#include "x86/shared.h"

/* Takes a machine in native mode, standing still, and makes it one in VM mode; owns it from then on.  The
 * runtime is put into the debuggee when it first runs. */
machine *x86_vm_new(machine *native);
machine *x86_vm_get_native(machine *vm); /* borrowed */

typedef enum x86_mode { X86_MODE_NATIVE, X86_MODE_VM } x86_mode;
/* At any stop; unit: "insn", "line" or "proc".  What was translated is dropped if something changes. */
void x86_vm_set_tuning(machine *vm, const char *unit, bool optimize);
/* At any stop. */
void x86_vm_set_mode(machine *vm, x86_mode mode);

/* How long a thread has the turn while others wait, in timestamps; 0: as long as the clock says.  With a length, nothing but the program
 * decides which thread is next, as long as none waits in the kernel.  EBB_TURN=N in the environment asks for it, too.  At any stop. */
void x86_vm_set_slice(machine *vm, uint64_t n_ticks);
/* Turns of any length, as the seed says: the same seed makes the same ones, where the program is told the same from outside.  Before it is recorded:
 * the seed is in the recording ("chaos" of its facts). */
void x86_vm_set_chaos(machine *vm, const char *seed);

/* `gcore`: the program as it stands, without the runtime, in a core file whose first thread is `first`, which stopped for `signal` (0: for none). */
ebb_status x86_vm_write_core(machine *vm, const char *path, machine_tid first, int signal, ebb_error *err) EBB_MUST_CHECK;

/* From now on, before the program's first instruction: what comes from outside goes to a file (x86/recorded.h), or, for NULL, to one without a
 * name in the directory for temporary files. */
ebb_status x86_vm_record(machine *vm, const char *path, ebb_error *err) EBB_MUST_CHECK;
/* After that: the file keeps the newest part of the execution, in about so many bytes (vm/scribe.h, SC4). */
void x86_vm_record_bound(machine *vm, uint64_t nbytes);
/* Before it is recorded: so are hashes of its states, which every replay compares (vm/verify.h). */
void x86_vm_set_verify(machine *vm);
/* Before it is recorded: the processes that it makes are recorded too, each by an ebb of its own (a fork of this one, in which `resume` goes on with the
 * child), and every program that one of them executes: into files of the folder, which is made if it is needed, as vm/tree.h names them.  `bound` is of each. */
void x86_vm_record_tree(machine *vm, const char *folder, uint64_t bound);
/* The same without a name, and the machine keeps a history of it (machine/history.h): it can go back. */
ebb_status x86_vm_keep_history(machine *vm, ebb_error *err) EBB_MUST_CHECK;
/* A recording is opened: the machine stands where the recorded program began, and replays; nothing is live. */
ebb_status x86_vm_open(const char *path, machine **vm, ebb_error *err) EBB_MUST_CHECK;
/* Of a program that runs already: from when it goes on in VM mode.  `why` says, after "because", why it reaches no further back; it is kept. */
void x86_vm_keep_history_from_here(machine *vm, const char *why);
/* At any stop: its path, with everything up to now in it; NULL: nothing is recorded.  Borrowed. */
const char *x86_vm_recording(machine *vm);
/* Why nothing is recorded any more; NULL: it is, or never was.  Borrowed. */
const char *x86_vm_recording_ended(machine *vm);
/* What the user should know of the recording and has not been told: it has ended, or lacks something.  One line; false: nothing. */
bool x86_vm_recording_news(machine *vm, ebb_error *news);

#endif
