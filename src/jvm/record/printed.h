/* printed.h - what the program has written to its standard output and standard error by now, the newest of it.
 *
 * Copies of the process and replay write the same again, so this is memory of the process: whoever stands at a moment has what
 * was printed by then.
 *
 * PD1  the bytes from `first` to `total` are there; a step back by the undo log sets `total` back and leaves the bytes, which
 *      are the same when they are printed again. */
#ifndef EBB_JVM_RECORD_PRINTED_H
#define EBB_JVM_RECORD_PRINTED_H

#include <stddef.h>
#include <stdint.h>

/* The program wrote nbytes to that descriptor, or did so in the run that is replayed. */
void jvm_printed_note(int fd, const void *bytes, size_t nbytes);

uint64_t jvm_printed_first(void);
uint64_t jvm_printed_total(void);
void jvm_printed_get(uint64_t from, void *to, size_t nbytes); /* within PD1 */

#endif
