/* maps.h - the list of the program's mappings, as the kernel has it (/proc/self/maps). */
#ifndef EBB_X86_INSIDE_MAPS_H
#define EBB_X86_INSIDE_MAPS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct x86_mapping {
    uint64_t lo, hi;
    bool readable, writable, executable, shared;
} x86_mapping;

/* Each of them, lowest first, as long as the function says that it wants more.  False if the list could not be read to its end: the guest may
 * close descriptors that it doesn't know, meanwhile. */
bool x86_maps_each(bool (*each)(void *context, const x86_mapping *mapping), void *context);

#endif
