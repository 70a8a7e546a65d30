/* reals.c - see reals.h. */
#include "x86/inside/reals.h"

typedef struct borrowed {
    uint8_t xmm0[16], xmm1[16];
    uint32_t mxcsr;
} borrowed;

static void borrow(borrowed *b)
{
    const uint32_t usual = 0x1f80; /* the guest's own modes may want to fault */
    __asm__ volatile("movups %%xmm0, %0\n\tmovups %%xmm1, %1\n\tstmxcsr %2" : "=m"(b->xmm0), "=m"(b->xmm1), "=m"(b->mxcsr));
    __asm__ volatile("ldmxcsr %0" : : "m"(usual));
}

static void give_back(const borrowed *b)
{
    __asm__ volatile("ldmxcsr %2\n\tmovups %0, %%xmm0\n\tmovups %1, %%xmm1" : : "m"(b->xmm0), "m"(b->xmm1), "m"(b->mxcsr));
}

/* xmm0 = a, xmm1 = b; what the instruction leaves in xmm0. */
#define WITH_BOTH(insn) \
    __asm__ volatile("movq %1, %%xmm0\n\tmovq %2, %%xmm1\n\t" insn "\n\tmovq %%xmm0, %0" : "=r"(result) : "r"(a), "r"(b))

static uint64_t calculate(machine_code_op op, uint64_t a, uint64_t b)
{
    uint64_t result = 0;
    switch (op) {
    case MACHINE_CODE_TO_REAL: __asm__ volatile("cvtsi2sdq %1, %%xmm0\n\tmovq %%xmm0, %0" : "=r"(result) : "r"(a)); break;
    case MACHINE_CODE_TO_LONG: __asm__ volatile("movq %1, %%xmm0\n\tcvttsd2siq %%xmm0, %0" : "=r"(result) : "r"(a)); break;
    case MACHINE_CODE_ROUND: WITH_BOTH("cvtsd2ss %%xmm0, %%xmm0\n\tcvtss2sd %%xmm0, %%xmm0"); break;
    case MACHINE_CODE_WIDEN: WITH_BOTH("cvtss2sd %%xmm0, %%xmm0"); break;
    case MACHINE_CODE_REAL_ADD: WITH_BOTH("addsd %%xmm1, %%xmm0"); break;
    case MACHINE_CODE_REAL_SUB: WITH_BOTH("subsd %%xmm1, %%xmm0"); break;
    case MACHINE_CODE_REAL_MUL: WITH_BOTH("mulsd %%xmm1, %%xmm0"); break;
    case MACHINE_CODE_REAL_DIV: WITH_BOTH("divsd %%xmm1, %%xmm0"); break;
    /* Comparisons leave all bits or none; with a NaN, none. */
    case MACHINE_CODE_REAL_EQ: WITH_BOTH("cmpeqsd %%xmm1, %%xmm0"); return result & 1;
    case MACHINE_CODE_REAL_LT: WITH_BOTH("cmpltsd %%xmm1, %%xmm0"); return result & 1;
    case MACHINE_CODE_REAL_LE: WITH_BOTH("cmplesd %%xmm1, %%xmm0"); return result & 1;
    default: break; /* GT and GE are those of the other order */
    }
    return result;
}

uint64_t x86_real(machine_code_op op, uint64_t a, uint64_t b)
{
    borrowed kept;
    borrow(&kept);
    uint64_t result = op == MACHINE_CODE_REAL_GT   ? calculate(MACHINE_CODE_REAL_LT, b, a)
                      : op == MACHINE_CODE_REAL_GE ? calculate(MACHINE_CODE_REAL_LE, b, a)
                                                   : calculate(op, a, b);
    give_back(&kept);
    return result;
}
