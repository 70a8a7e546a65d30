/* memory.h - the debuggee's memory.
 *
 * XM1  a read shows the program's own bytes, never our int3 (MA2); a write under an int3 changes what
 *     will be put back;
 * XM2  protections don't matter: what is mapped can be read and written. */
#ifndef EBB_X86_MEMORY_H
#define EBB_X86_MEMORY_H

#include "x86/process.h"

ebb_status x86_read(machine *m, uint32_t space, machine_addr addr, void *bytes, size_t nbytes, ebb_error *err) EBB_MUST_CHECK;
ebb_status x86_write(machine *m, uint32_t space, machine_addr addr, const void *bytes, size_t nbytes, ebb_error *err) EBB_MUST_CHECK;

/* The same without XM1; how many bytes could be read from the beginning. */
size_t x86_read_raw(x86_process *p, uint64_t addr, void *bytes, size_t nbytes);
bool x86_write_raw(x86_process *p, uint64_t addr, const void *bytes, size_t nbytes);

/* (Re)opens the memory of the process: at the start and after each exec. */
ebb_status x86_memory_open(x86_process *p, ebb_error *err) EBB_MUST_CHECK;
int x86_memory_open_of(pid_t pid); /* a descriptor, -1 if it can't be had */

bool x86_read_u64(x86_process *p, uint64_t addr, uint64_t *value);
/* Text up to its NUL, cut at `size`; false if it can't be read. */
bool x86_read_text(x86_process *p, uint64_t addr, char *text, size_t size);

#endif
