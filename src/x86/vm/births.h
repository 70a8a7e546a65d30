/* births.h - children of a program in VM mode, before their first instruction.
 *
 * A child that runs beside its maker, in the same memory, wakes up in the runtime with its maker's control block, which it can't
 * rely on: its maker moves on.  So ebb notes at which guest address it begins while its maker still stands in the call. */
#ifndef EBB_X86_VM_BIRTHS_H
#define EBB_X86_VM_BIRTHS_H

#include "x86/vm/private.h"

/* Hooks of native mode: a thread or process was made; a child goes on natively, and nobody traces it. */
void vm_birth_note(void *layer, pid_t parent, pid_t child);
void vm_birth_release(void *layer, pid_t parent, pid_t child);

/* Where the child begins; 0: it was not made in VM mode. */
uint64_t vm_birth_take(x86_vm *vm, pid_t child);

#endif
