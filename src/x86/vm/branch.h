/* branch.h - a copy that replays becomes the program: it runs live from its moment, and what was recorded after that never happened.
 *
 * time/branch.h has the order: files are put back, the recording is cut, and then the copy gets what the kernel had of the program at that
 * moment (kept.h): descriptors, folder, handlers, mask, timers, the end of the heap.  The program that was live ends.
 *
 * The copy is another process, with another number.  The program and its threads go on under the numbers that they know: the runtime translates
 * (x86_runtime.numbers).  Contexts that replay switched become threads of the kernel's again.  One that was inside a call at that moment makes it again.
 *
 * BX1  what can't be right is refused before anything is lost: memory shared with others, a first thread that has ended, a
 *      program that somebody else started and waits for;
 * BX2  what can't be had again and may not matter (a connection, a child) costs a line of text. */
#ifndef EBB_X86_VM_BRANCH_H
#define EBB_X86_VM_BRANCH_H

#include "base/buf.h"
#include "base/error.h"

/* For the family of copies (time/copies.h). */
ebb_status vm_branch(void *self, ebb_buf *undone, ebb_error *err) EBB_MUST_CHECK;
ebb_status vm_adopt(void *self, ebb_error *err) EBB_MUST_CHECK;

#endif
