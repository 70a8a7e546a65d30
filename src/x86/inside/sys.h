/* sys.h - system calls without a libc. */
#ifndef EBB_X86_INSIDE_SYS_H
#define EBB_X86_INSIDE_SYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline long x86_sys6(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

/* Maps fresh pages at exactly `at` (0: anywhere); NULL if they can't be had. */
void *x86_sys_map(uint64_t at, size_t nbytes, int protection);

/* Copies from memory that may not be there: how many bytes could be had. */
size_t x86_sys_peek(void *to, uint64_t from, size_t nbytes);

/* Writes to memory that may not be there; false if not all of it can be written. */
bool x86_sys_poke(uint64_t to, const void *from, size_t nbytes);

/* The fs base; ebb has made sure that the CPU and the kernel let us. */
static inline uint64_t x86_sys_get_fs(void)
{
    uint64_t base;
    __asm__ volatile("rdfsbase %0" : "=r"(base));
    return base;
}

static inline void x86_sys_set_fs(uint64_t base)
{
    __asm__ volatile("wrfsbase %0" : : "r"(base) : "memory");
}

#endif
