/* verify.h - hashes of the state of a native program (time/verify.h): recorded while it runs, compared by copies that replay it.
 *
 * While the program runs ebb stops it now and then, as it does for snapshots; besides, the program tells before it ends or executes another one. The state
 * is that of machine/history.h (state_hash.c): registers of all threads, and all memory that can be written.
 *
 * VY1  a moment is a position of the thread that executed last (VF1): a copy that replays goes there and compares before it goes on;
 * VY2  only a *settled* state is hashed, of which memory and registers are those that a copy has at that position.  Live, a call may have come back, or the kernel may have
 *      written for it, at a moment that no recording names: then there is no hash, and the next moment may have one. */
#ifndef EBB_X86_VM_VERIFY_H
#define EBB_X86_VM_VERIFY_H

#include "time/event.h"
#include "x86/vm/private.h"

/* Recording begins. */
void vm_verify_begin(x86_vm *vm);
bool vm_verify_is_due(const x86_vm *vm); /* while the program runs */
/* All threads are parked: writes down the hash.  False: it is wanted, but the state is not settled (VY2). */
bool vm_verify_record(x86_vm *vm);
/* A thread is on its way to its end, which the kernel leads it to by itself: a state that is not settled will be. */
bool vm_verify_awaits_end(const x86_vm *vm);
/* The copy stands where this one was taken. */
ebb_status vm_verify_check(x86_vm *vm, const ebb_event *taken, ebb_error *err) EBB_MUST_CHECK;

#endif
