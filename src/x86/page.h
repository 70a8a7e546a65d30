/* page.h - sizes and addresses in whole pages: freestanding, for ebb and for the runtime inside a debuggee. */
#ifndef EBB_X86_PAGE_H
#define EBB_X86_PAGE_H

#include <stdint.h>

static inline uint64_t x86_page_up(uint64_t nbytes)
{
    return (nbytes + 4095) & ~(uint64_t)4095;
}

#endif
