/* changes.h - which pages of the program were written since a moment, by whomever: for what no table tells.
 *
 * The kernel write-protects all writable memory and takes the protection away by itself, page by page, as it is written to (userfaultfd with
 * UFFD_FEATURE_WP_ASYNC, Linux 6.7).  Afterwards it says where that was (PAGEMAP_SCAN).  Nobody is stopped for it, and what the kernel itself or another
 * process that shares the memory (the child of a vfork) writes is seen like any other write.
 *
 * CG1  every page that was written between begin and end, and is still mapped, is told;
 * CG2  a page that is told may also have been written by the program itself;
 * CG3  one watch at a time: a second one has to do without. */
#ifndef EBB_X86_INSIDE_CHANGES_H
#define EBB_X86_INSIDE_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

/* `owner`: not 0, and the same at the end.  False: it can't be done, or another one does (CG3). */
bool x86_changes_begin(uint64_t owner);
/* False if this owner has not begun, or not everything could be seen. */
bool x86_changes_end(uint64_t owner, void (*each)(void *context, uint64_t at, uint64_t nbytes), void *context);

#endif
