/* touch.h - which memory an instruction is about to read and write.
 *
 * The runtime asks before it lets translated code execute an instruction with operands that aren't plain; ebb asks before each
 * single step.  Both need it for data points that are about reads (watch.h).
 *
 * TO1  every byte that the instruction reads or writes is in one of the ranges; where cpu->vector is NULL, and it depends on
 *      vector registers, a range may be too large;
 * TO2  every byte of a range that is said to be stored to is written: what an instruction writes only under a condition
 *      (cmpxchg), or may leave out (xsave), is not meant. */
#ifndef EBB_X86_INSIDE_TOUCH_H
#define EBB_X86_INSIDE_TOUCH_H

#include "x86/shared.h"

enum { X86_MAX_TOUCHES = 80 }; /* a vector of 64 elements has as many */

typedef struct x86_touch {
    uint64_t addr, nbytes;
    bool reads, writes;
    bool stores; /* TO2 */
} x86_touch;

typedef struct x86_touch_cpu {
    uint64_t regs[X86_N_GPRS]; /* in the CPU's numbering */
    uint64_t rip, flags, fs_base, gs_base;
    bool all_repetitions; /* of a string instruction; otherwise the next one */
    /* A vector register; a mask register.  NULL: not known. */
    void (*vector)(void *self, unsigned number, uint8_t bytes[64]);
    uint64_t (*mask)(void *self, unsigned number);
    void *self;
} x86_touch_cpu;

/* How many there are in `touches`; 0 if the bytes are no instruction. */
size_t x86_touches_of(const uint8_t *code, size_t nbytes, const x86_touch_cpu *cpu, x86_touch touches[X86_MAX_TOUCHES]);

/* Inside: of the instruction at `target`, with all its repetitions (watch.c). */
size_t x86_touches_ahead(x86_tcb *tcb, x86_touch touches[X86_MAX_TOUCHES]);

/* Of an instruction, by the decoder's numbers. */
bool x86_accesses_nothing(int category, int mnemonic); /* it only looks as if it did: prefetches and the like */
bool x86_is_bit_test(int mnemonic);
bool x86_is_masked_by_vector(int mnemonic);

static inline bool x86_touch_overlaps(const x86_touch *t, uint64_t addr, uint64_t nbytes)
{
    return t->addr < addr + nbytes && addr < t->addr + t->nbytes;
}

#endif
