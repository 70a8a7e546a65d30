/* in_use.h - what `xsave` and its kind find in use is what the guest's registers say.
 *
 * The CPU notes which groups of registers (x87, SSE, AVX, ...) differ from how they are at the beginning.  The note may say
 * "in use" of a group that has gone back to its beginning, as long as nothing has loaded it anew: so it depends on who looked
 * at the thread meanwhile, and differs between a program and its copy.  `xsave` stores the note, and `xsavec`
 * leaves out the memory of what is not in use.
 *
 * IU1  after x86_in_use_by_content the note is a function of the registers' contents alone;
 * IU2  no register changes. */
#ifndef EBB_X86_INSIDE_IN_USE_H
#define EBB_X86_INSIDE_IN_USE_H

void x86_in_use_by_content(void);

#endif
