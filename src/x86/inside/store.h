/* store.h - what an instruction accesses, for the makers of code that looks at it: store.c for data points, undo_make.c for the undo log. */
#ifndef EBB_X86_INSIDE_STORE_H
#define EBB_X86_INSIDE_STORE_H

#include "x86/inside/decode.h"
#include "x86/inside/making.h"

/* One operand, whose address can be told beforehand. */
typedef struct x86_access {
    x86_operands at;
    unsigned nbytes;
} x86_access;

/* How many there are; 0: more than two, or not all of them are known. */
unsigned x86_accesses_of(const x86_operands *o, x86_access out[2]);
bool x86_has_rorx(void); /* which leaves the flags alone */
/* rcx, which is spilled, gets the address. */
void x86_access_address(x86_making *mk, const x86_access *a, uint64_t next_guest);

#endif
