/* x87.c - the host address in the x87 unit becomes the guest's, by the boundaries of its block. */
#include "x86/inside/x87.h"

#include <cpuid.h>

/* As fxsave64 and xsave64 store it. */
typedef struct area {
    uint16_t control, status, tags, opcode;
    uint64_t instruction, operand;
    uint8_t rest[488];
    uint64_t components, reserved[7];
} __attribute__((aligned(64))) area;

/* As fnstenv stores it. */
typedef struct environment {
    uint32_t control, status, tags, instruction, selector_opcode, operand, selector;
} environment;

enum { X87 = 1 };

bool x86_has_xsave(void)
{
    static int known; /* 1: no, 2: yes */
    unsigned a, b, c, d;
    if (!known)
        known = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_OSXSAVE) ? 2 : 1;
    return known == 2;
}

/* Nothing but the x87 unit, so that the others stay as unused as they are. */
static void load(area *a)
{
    if (!x86_has_xsave()) {
        __asm__ volatile("fxrstor64 %0" : : "m"(*a));
        return;
    }
    a->components = X87;
    for (int i = 0; i < 7; i++)
        a->reserved[i] = 0;
    __asm__ volatile("xrstor64 %0" : : "m"(*a), "a"(X87), "d"(0));
}

/* Some CPUs tell the addresses in full only while an exception is pending: the low halves can be had always, and say which
 * arena it is (CA7). */
static void tell_low_half(const x86_cache *cache)
{
    environment e;
    uint64_t guest;
    __asm__ volatile("fnstenv %0" : "=m"(e));
    for (unsigned i = 0; i < cache->n_arenas; i++) {
        uint64_t begin = (uint64_t)cache->arenas[i].begin, host = begin + (e.instruction - (uint32_t)begin);
        if (x86_cache_guest_of(cache, host, &guest)) {
            e.instruction = (uint32_t)guest;
            break;
        }
    }
    __asm__ volatile("fldenv %0" : : "m"(e)); /* also if there is nothing to change: storing it has masked all exceptions */
}

void x86_x87_tell_guest_address(const x86_cache *cache)
{
    area a;
    uint64_t guest;
    __asm__ volatile("fxsave64 %0" : "=m"(a));
    if (!a.instruction) {
        tell_low_half(cache);
    } else if (x86_cache_guest_of(cache, a.instruction, &guest)) {
        a.instruction = guest;
        load(&a);
    }
}

bool x86_x87_points_somewhere(void)
{
    environment e;
    __asm__ volatile("fnstenv %0" : "=m"(e));
    __asm__ volatile("fldenv %0" : : "m"(e)); /* storing it has masked all exceptions */
    return e.instruction || e.operand;
}
