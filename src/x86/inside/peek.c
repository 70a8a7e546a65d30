/* peek.c - looks at memory that may not be there.  In ebb it is part of what the kernel's writes are known by (writes.h). */
#include "x86/inside/sys.h"

#include <sys/syscall.h>
#include <sys/uio.h>

/* The kernel copies whole pieces only: one for each page. */
static unsigned cut_into_pages(struct iovec *pieces, unsigned max, uint64_t from, size_t nbytes)
{
    unsigned n = 0;
    for (; n < max && nbytes; n++) {
        size_t piece = 4096 - from % 4096;
        if (piece > nbytes)
            piece = nbytes;
        pieces[n] = (struct iovec){(void *)from, piece};
        from += piece;
        nbytes -= piece;
    }
    return n;
}

size_t x86_sys_peek(void *to, uint64_t from, size_t nbytes)
{
    enum { AT_ONCE = 17 };
    struct iovec pieces[AT_ONCE];
    size_t copied = 0;
    long pid = x86_sys6(SYS_getpid, 0, 0, 0, 0, 0, 0);
    while (copied < nbytes) {
        struct iovec local = {(char *)to + copied, nbytes - copied};
        unsigned n_pieces = cut_into_pages(pieces, AT_ONCE, from + copied, nbytes - copied);
        long n = x86_sys6(SYS_process_vm_readv, pid, (long)&local, 1, (long)pieces, n_pieces, 0);
        if (n <= 0)
            break;
        copied += (size_t)n;
    }
    return copied;
}

bool x86_sys_poke(uint64_t to, const void *from, size_t nbytes)
{
    struct iovec local = {(void *)from, nbytes}, remote = {(void *)to, nbytes};
    long pid = x86_sys6(SYS_getpid, 0, 0, 0, 0, 0, 0);
    return x86_sys6(SYS_process_vm_writev, pid, (long)&local, 1, (long)&remote, 1, 0) == (long)nbytes;
}
