/* cpuid.c - what the guest is told about the CPU: the CPU's own answer without what cpuid.def hides. */
#include "x86/inside/asks.h"

typedef struct answer {
    uint32_t a, b, c, d;
} answer;

static answer ask_cpu(uint32_t leaf, uint32_t subleaf)
{
    answer r = {.a = leaf, .c = subleaf};
    __asm__ volatile("cpuid" : "+a"(r.a), "=b"(r.b), "+c"(r.c), "=d"(r.d));
    return r;
}

enum { ALWAYS, COUNTED, ANY = -1 };

static void hide(answer *r, uint32_t leaf, uint32_t subleaf, bool counted)
{
#define X86_CPUID_HIDE(leaf_, subleaf_, reg, bits, when, what)                                     \
    if (leaf == (leaf_) && ((subleaf_) == ANY || subleaf == (uint32_t)(subleaf_)) && ((when) == ALWAYS || counted)) \
        r->reg &= ~(uint32_t)(bits);
#include "x86/inside/cpuid.def"
#undef X86_CPUID_HIDE
}

static bool is_counted_in_vector(const x86_tcb *tcb)
{
    return tcb->tick == X86_TICK_VECTOR;
}

bool x86_ask_cpuid(const x86_tcb *tcb, uint64_t words[X86_ANSWER_WORDS])
{
    uint32_t leaf = (uint32_t)tcb->regs[X86_RAX], subleaf = (uint32_t)tcb->regs[X86_RCX];
    answer told = ask_cpu(leaf, subleaf);
    hide(&told, leaf, subleaf, is_counted_in_vector(tcb));
    words[0] = told.a;
    words[1] = told.b;
    words[2] = told.c;
    words[3] = told.d;
    return true;
}

/* What the kernel has enabled; the same bits as in leaf 13. */
bool x86_ask_xgetbv(const x86_tcb *tcb, uint64_t words[X86_ANSWER_WORDS])
{
    uint32_t leaf1_c_osxsave = 1u << 27;
    if ((uint32_t)tcb->regs[X86_RCX] != 0 || !(ask_cpu(1, 0).c & leaf1_c_osxsave))
        return false;
    answer r = {0};
    __asm__ volatile("xgetbv" : "=a"(r.a), "=d"(r.d) : "c"(0));
    hide(&r, 13, 0, is_counted_in_vector(tcb));
    words[0] = r.a;
    words[1] = r.d;
    return true;
}

bool x86_cpu_has(x86_ask_kind kind)
{
    switch (kind) {
    case X86_ASK_RDTSCP: return ask_cpu(0x80000001, 0).d >> 27 & 1;
    case X86_ASK_RDRAND: return ask_cpu(1, 0).c >> 30 & 1;
    case X86_ASK_RDSEED: return ask_cpu(7, 0).b >> 18 & 1;
    case X86_ASK_RDPID: return ask_cpu(7, 0).c >> 22 & 1;
    default: return true;
    }
}
