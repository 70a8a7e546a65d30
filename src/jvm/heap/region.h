/* region.h - address space that is handed out the same way in every run.
 *
 * What Java code or the recording can see as an address (large objects, memory of Unsafe, mapped files) must
 * have the same address when the execution is replayed, also in another process.  A region is a range
 * of addresses far from where the kernel puts things by itself; its pages are given out first fit, lowest
 * address first, so that addresses depend only on the sequence of takes and gives.
 *
 * RG1  sizes are rounded up to pages; what is taken reads as zeros;
 * RG2  a page that was given back is not mapped. */
#ifndef EBB_JVM_HEAP_REGION_H
#define EBB_JVM_HEAP_REGION_H

#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct jvm_extent {
    uintptr_t at;
    size_t nbytes;
} jvm_extent;

typedef struct jvm_region {
    uintptr_t base;
    uintptr_t top;                /* nothing was ever taken from here on; 0: unused so far */
    EBB_VEC(jvm_extent) free;     /* below top, by address, never touching each other */
} jvm_region;

/* The bases of the regions that there are, and of the ordinary heap, which comes first. */
#define JVM_REGION_FIRST ((uintptr_t)0x180000000000)
#define JVM_REGION_LARGE ((uintptr_t)0x200000000000)   /* large objects (heap.c) */
#define JVM_REGION_OFFHEAP ((uintptr_t)0x280000000000) /* Unsafe.allocateMemory (offheap.c) */
#define JVM_REGION_FILES ((uintptr_t)0x300000000000)   /* mapped files (natives/map.c) */
#define JVM_REGION_END ((uintptr_t)0x380000000000)

void *jvm_region_take(jvm_region *region, size_t nbytes);          /* NULL: no memory */
bool jvm_region_holds(const jvm_region *region, const void *p, size_t nbytes); /* all of it is taken */
void jvm_region_give(jvm_region *region, void *p, size_t nbytes);  /* as taken */

#endif
