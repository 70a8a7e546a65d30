/* links.h - what the kernel calls the things that a process has: the targets of its links in /proc. */
#ifndef EBB_X86_INSIDE_LINKS_H
#define EBB_X86_INSIDE_LINKS_H

#include <stddef.h>

enum { X86_LINK_BYTES = 4096 };

/* How many bytes it has, without a zero at its end; 0: there is no such link. */
size_t x86_link(const char *path, char text[X86_LINK_BYTES]);
size_t x86_link_of_fd(long fd, char text[X86_LINK_BYTES]);

#endif
