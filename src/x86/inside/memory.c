/* memory.c - the few functions of C's library that the compiler and the decoder expect to find, and the end of a check that failed. */
#include "base/check.h"

#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

EXPORT void *memcpy(void *restrict to, const void *restrict from, size_t nbytes);
EXPORT void *memmove(void *to, const void *from, size_t nbytes);
EXPORT void *memset(void *to, int byte, size_t nbytes);
EXPORT int memcmp(const void *a, const void *b, size_t nbytes);
EXPORT size_t strlen(const char *text);

void *memcpy(void *restrict to, const void *restrict from, size_t nbytes)
{
    void *end = to;
    __asm__ volatile("rep movsb" : "+D"(end), "+S"(from), "+c"(nbytes) : : "memory");
    return to;
}

void *memmove(void *to, const void *from, size_t nbytes)
{
    char *t = to;
    const char *f = from;
    if (t <= f || t >= f + nbytes)
        return memcpy(to, from, nbytes);
    while (nbytes--)
        t[nbytes] = f[nbytes];
    return to;
}

void *memset(void *to, int byte, size_t nbytes)
{
    void *end = to;
    __asm__ volatile("rep stosb" : "+D"(end), "+c"(nbytes) : "a"(byte) : "memory");
    return to;
}

int memcmp(const void *a, const void *b, size_t nbytes)
{
    const unsigned char *x = a, *y = b;
    for (; nbytes; nbytes--, x++, y++)
        if (*x != *y)
            return *x - *y;
    return 0;
}

size_t strlen(const char *text)
{
    const char *end = text;
    while (*end)
        end++;
    return (size_t)(end - text);
}

/* The runtime itself is wrong: ebb sees where. */
_Noreturn void ebb_check_failed(const char *file, int line, const char *what) { __builtin_trap(); }
