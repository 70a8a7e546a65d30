/* shrunk.h - files that become shorter while ebb has them mapped.
 *
 * Symbols and images of programs are mapped, not read: a compiler or `cp` that writes a program anew cuts
 * it off first, and the kernel then answers a look at a page that is gone with SIGBUS.  Such a page becomes
 * a page of zeros: to the readers, who trust no byte of a file anyway, it is one more broken file.
 *
 * SK1  only what the kernel says about a mapping is mended; a SIGBUS that somebody sends still ends ebb. */
#ifndef EBB_FRONT_CLI_SHRUNK_H
#define EBB_FRONT_CLI_SHRUNK_H

void cli_shrunk_survive(void);

#endif
