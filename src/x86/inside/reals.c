/* reals.c - lends two vector registers to steps of conditions about real numbers (reals.h). */
#include "x86/inside/reals.h"

#include "x86/code_reals.h"

typedef struct borrowed {
    uint8_t xmm0[16], xmm1[16];
    uint32_t mxcsr;
} borrowed;

static void borrow(borrowed *b)
{
    const uint32_t usual = 0x1f80; /* the guest's own modes may want to fault */
    __asm__ volatile("movups %%xmm0, %0\n\tmovups %%xmm1, %1\n\tstmxcsr %2" : "=m"(b->xmm0), "=m"(b->xmm1), "=m"(b->mxcsr) : : "memory");
    __asm__ volatile("ldmxcsr %0" : : "m"(usual) : "memory");
}

static void give_back(const borrowed *b)
{
    __asm__ volatile("ldmxcsr %2\n\tmovups %0, %%xmm0\n\tmovups %1, %%xmm1" : : "m"(b->xmm0), "m"(b->xmm1), "m"(b->mxcsr) : "memory");
}

uint64_t x86_real(machine_code_op op, uint64_t a, uint64_t b)
{
    borrowed kept;
    borrow(&kept);
    uint64_t result = x86_code_real(op, a, b);
    give_back(&kept);
    return result;
}
