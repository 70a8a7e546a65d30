/* links.c - reads links in /proc. */
#include "x86/inside/links.h"
#include "x86/inside/sys.h"

#include <sys/syscall.h>

size_t x86_link(const char *path, char text[X86_LINK_BYTES])
{
    long n = x86_sys6(SYS_readlink, (long)path, (long)text, X86_LINK_BYTES, 0, 0, 0);
    return n > 0 ? (size_t)n : 0;
}

size_t x86_link_of_fd(long fd, char text[X86_LINK_BYTES])
{
    char path[48] = "/proc/self/fd/", digits[24], *at = path + sizeof "/proc/self/fd/" - 1, *d = digits + sizeof digits;
    do
        *--d = (char)('0' + fd % 10);
    while ((fd /= 10) > 0);
    while (d < digits + sizeof digits)
        *at++ = *d++;
    *at = '\0';
    return x86_link(path, text);
}
