/* scratch.h - functions are called in the past in a copy of the copy that replays, which is thrown away afterwards (machine/history.h).
 *
 * SX1  it has no descriptors and makes no system call but for its own memory (inside/scratch.h): nothing outside is touched;
 * SX2  the copy that replays is as before. */
#ifndef EBB_X86_VM_SCRATCH_H
#define EBB_X86_VM_SCRATCH_H

#include "x86/vm/private.h"

ebb_status vm_scratch_begin(machine *m, ebb_error *err) EBB_MUST_CHECK;
void vm_scratch_end(machine *m);

#endif
