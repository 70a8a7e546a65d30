/* offheap.h - memory outside the Java heap that Java code knows by address: Unsafe.allocateMemory, and with
 * it direct buffers and the native buffers of NIO.
 *
 * Not malloc, because addresses are visible to the program and must be the same in replay (region.h): what
 * is handed out depends only on the sequence of calls.
 *
 * OH1  blocks are aligned to 16 bytes and not cleared. */
#ifndef EBB_JVM_HEAP_OFFHEAP_H
#define EBB_JVM_HEAP_OFFHEAP_H

#include <stdbool.h>
#include <stddef.h>

void *jvm_offheap_alloc(size_t nbytes);            /* NULL: no memory */
void *jvm_offheap_realloc(void *p, size_t nbytes); /* NULL: no memory, p stays; p may be NULL */
bool jvm_offheap_holds(const void *at, size_t nbytes); /* such memory is there */
/* For the undo log: memory outside of the heap is about to change.  That of others (a library's, a mapped file) may be gone
 * when it were to be put back. */
void jvm_offheap_keep(void *at, size_t nbytes);
void jvm_offheap_free(void *p);                    /* NULL is ignored */

#endif
