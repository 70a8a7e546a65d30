/* in_use.c - all groups are stored and loaded again; those that are as at the beginning are loaded as that. */
#include "x86/inside/in_use.h"
#include "x86/inside/runtime.h"
#include "x86/inside/x87.h"

#include <cpuid.h>

enum {
    X87 = 1 << 0,
    SSE = 1 << 1,
    N_GROUPS = 8, /* those after AVX-512 are the kernel's, or asked for by the program (AMX) */
    LEGACY_SSE_AT = 160,
    LEGACY_SSE_NBYTES = 256,
    AREA_NBYTES = 2752, /* up to the end of AVX-512's in the standard form */
};

typedef struct area {
    uint16_t control;
    uint8_t pointers[22], mxcsr[8], registers[128]; /* x87 */
    uint8_t vectors[352];
    uint64_t in_use, reserved[7];
    uint8_t rest[AREA_NBYTES - 576];
} __attribute__((aligned(64))) area;

static bool is_zero(const uint8_t *bytes, unsigned n)
{
    uint8_t any = 0;
    for (unsigned i = 0; i < n; i++)
        any |= bytes[i];
    return !any;
}

static bool x87_is_as_at_start(const area *a)
{
    enum { CONTROL = 0x37f };
    return a->control == CONTROL && is_zero(a->pointers, sizeof a->pointers) && is_zero(a->registers, sizeof a->registers) && !x86_x87_points_somewhere();
}

/* Where the standard form has a group.  Asked once: under a hypervisor each question takes microseconds. */
static bool group_is_zero(const area *a, unsigned group)
{
    static struct {
        unsigned nbytes, at;
    } known[N_GROUPS];
    unsigned c, d;
    if (!known[group].nbytes)
        __cpuid_count(13, group, known[group].nbytes, known[group].at, c, d);
    unsigned at = known[group].at, nbytes = known[group].nbytes;
    return at + nbytes <= AREA_NBYTES && is_zero((const uint8_t *)a + at, nbytes);
}

static uint64_t groups_in_use(const area *a, uint64_t there)
{
    uint64_t used = x87_is_as_at_start(a) ? 0 : X87;
    used |= is_zero((const uint8_t *)a + LEGACY_SSE_AT, LEGACY_SSE_NBYTES) ? 0 : SSE;
    for (unsigned group = 2; group < N_GROUPS; group++)
        if (there >> group & 1 && !group_is_zero(a, group))
            used |= (uint64_t)1 << group;
    return used;
}

static uint64_t groups_there(void)
{
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low & ((1u << N_GROUPS) - 1);
}

void x86_in_use_by_content(void)
{
    area a;
    if (!x86_has_xsave())
        return;
    uint64_t there = groups_there();
    __builtin_memset(&a, 0, sizeof a);
    __asm__ volatile("xsave64 %0" : "+m"(a) : "a"((uint32_t)there), "d"(0));
    a.in_use = groups_in_use(&a, there);
    __asm__ volatile("xrstor64 %0" : : "m"(a), "a"((uint32_t)there), "d"(0));
}
