/* sys.c - memory from the kernel. */
#include "x86/inside/sys.h"
#include "x86/inside/own.h"
#include "x86/shared.h"

#include <sys/mman.h>
#include <sys/syscall.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

void *x86_sys_map(uint64_t at, size_t nbytes, int protection)
{
    static uint64_t home = X86_HOME_INSIDE;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED_NOREPLACE : 0);
    nbytes = (nbytes + 0xffff) & ~(size_t)0xffff;
    long p = x86_sys6(SYS_mmap, (long)(at ? at : home), (long)nbytes, protection, flags, -1, 0);
    if (!at)
        home += nbytes;
    if (p < 0 && p > -4096)
        return NULL;
    x86_own_add((uint64_t)p, (uint64_t)p + nbytes);
    x86_sys6(SYS_madvise, p, (long)nbytes, MADV_DONTDUMP, 0, 0, 0); /* a core that the kernel writes is the program's */
    return (void *)p;
}
