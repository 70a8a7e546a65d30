/* cpuid.c - what the guest is told about the CPU.
 *
 * Masked are the features whose results can't be repeated (random numbers, transactions, the
 * xsave variants that depend on what happened before) and, where the translator counts in a vector
 * register, AVX-512, whose upper registers are ours then. */
#include "x86/inside/runtime.h"

typedef struct answer {
    uint32_t a, b, c, d;
} answer;

static answer ask(uint32_t leaf, uint32_t subleaf)
{
    answer r = {.a = leaf, .c = subleaf};
    __asm__ volatile("cpuid" : "+a"(r.a), "=b"(r.b), "+c"(r.c), "=d"(r.d));
    return r;
}

enum {
    LEAF1_C_RDRAND = 1u << 30,
    LEAF7_B_HLE = 1u << 4,
    LEAF7_B_RTM = 1u << 11,
    LEAF7_B_RDSEED = 1u << 18,
    /* F, DQ, IFMA, PF, ER, CD, BW, VL */
    LEAF7_B_AVX512 = 1u << 16 | 1u << 17 | 1u << 21 | 1u << 26 | 1u << 27 | 1u << 28 | 1u << 30,
    /* VBMI, VBMI2, VNNI, BITALG, VPOPCNTDQ */
    LEAF7_C_AVX512 = 1u << 1 | 1u << 6 | 1u << 11 | 1u << 12 | 1u << 14,
    LEAF13_XSAVEOPT = 1u << 0,
    XCR0_AVX512 = 7u << 5,
};

static const uint32_t leaf7_b_avx512vl = 1u << 31;

static void mask_features(answer *r, uint32_t leaf, uint32_t subleaf, bool hide_avx512)
{
    if (leaf == 1)
        r->c &= ~(uint32_t)LEAF1_C_RDRAND;
    if (leaf == 7 && subleaf == 0) {
        r->b &= ~(uint32_t)(LEAF7_B_HLE | LEAF7_B_RTM | LEAF7_B_RDSEED);
        if (hide_avx512) {
            r->b &= ~((uint32_t)LEAF7_B_AVX512 | leaf7_b_avx512vl);
            r->c &= ~(uint32_t)LEAF7_C_AVX512;
        }
    }
    if (leaf == 13 && subleaf == 0 && hide_avx512)
        r->a &= ~(uint32_t)XCR0_AVX512;
    if (leaf == 13 && subleaf == 1)
        r->a &= ~(uint32_t)LEAF13_XSAVEOPT;
}

uint64_t x86_cpuid(x86_tcb *tcb)
{
    const x86_runtime *runtime = (const x86_runtime *)tcb->runtime;
    uint64_t *r = tcb->regs;
    uint32_t leaf = (uint32_t)r[X86_RAX], subleaf = (uint32_t)r[X86_RCX];
    answer told = ask(leaf, subleaf);
    mask_features(&told, leaf, subleaf, runtime->options.tick == X86_TICK_VECTOR);
    r[X86_RAX] = told.a;
    r[X86_RBX] = told.b;
    r[X86_RCX] = told.c;
    r[X86_RDX] = told.d;
    return x86_dispatch(tcb);
}
