/* mappings.h - the memory of a process, as the kernel lists it (/proc/PID/maps), read from outside.  The runtime inside the debuggee reads its own list without a libc
 * (inside/maps.h). */
#ifndef EBB_X86_MAPPINGS_H
#define EBB_X86_MAPPINGS_H

#include "x86/inside/maps.h"

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct x86_mappings {
    FILE *file; /* NULL: the list can't be read, and is empty */
    char *line;
    size_t room;
} x86_mappings;

x86_mappings x86_mappings_open(pid_t pid);
/* The next one, lowest first; false: there is none.  *name: a path, a name in brackets or an empty text; borrowed until the next call. */
bool x86_mappings_next(x86_mappings *all, x86_mapping *mapping, const char **name);
void x86_mappings_close(x86_mappings *all);

#endif
