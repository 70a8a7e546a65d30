/* files.h - what a system call is about to change in the file system is recorded, so that `branch` can put it back (time/journal.h).
 *
 * The runtime does that for writes, which come by the thousand (inside/record_files.c).  Before any other call that changes files it gives up
 * (X86_STUCK_FILES): ebb looks at what is there, and the call is made in the next round. */
#ifndef EBB_X86_VM_FILES_H
#define EBB_X86_VM_FILES_H

#include "x86/vm/private.h"

/* The thread stands before such a call. */
ebb_status vm_files_before(x86_vm *vm, machine_tid tid, ebb_error *err) EBB_MUST_CHECK;

#endif
