/* mem.c - the one place that allocates.  Want of memory ends ebb; tests have the n-th allocation fail (EBB_FAIL_ALLOC). */
#include "base/mem.h"
#include "base/check.h"
#include "base/sizes.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static _Noreturn void out_of_memory(size_t nbytes)
{
    fprintf(stderr, "ebb: out of memory (asked for %zu bytes)\n", nbytes);
    _exit(70);
}

/* Counts down to the allocation that a test wants to fail; -1 is "never". */
static bool should_fail(void)
{
    static long remaining = -2;
    if (remaining == -2) {
        const char *at = getenv("EBB_FAIL_ALLOC");
        remaining = at ? atol(at) : -1;
    }
    return remaining > 0 && --remaining == 0;
}

void *ebb_alloc(size_t nbytes)
{
    void *p = should_fail() ? NULL : malloc(nbytes ? nbytes : 1);
    if (!p)
        out_of_memory(nbytes);
    return p;
}

void *ebb_zalloc(size_t nbytes)
{
    void *p = should_fail() ? NULL : calloc(1, nbytes ? nbytes : 1);
    if (!p)
        out_of_memory(nbytes);
    return p;
}

void *ebb_realloc(void *p, size_t nbytes)
{
    void *q = should_fail() ? NULL : realloc(p, nbytes ? nbytes : 1);
    if (!q)
        out_of_memory(nbytes);
    return q;
}

char *ebb_strndup(const char *text, size_t nbytes)
{
    char *copy = ebb_alloc(nbytes + 1);
    memcpy(copy, text, nbytes);
    copy[nbytes] = '\0';
    return copy;
}

char *ebb_strdup(const char *text)
{
    return ebb_strndup(text, strlen(text));
}

char *ebb_asprintf(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = NULL;
    int n = vasprintf(&text, format, args);
    va_end(args);
    if (n < 0)
        out_of_memory(strlen(format));
    return text;
}

void *ebb_vec_grow(void *items, size_t *cap, size_t item_size)
{
    size_t wanted = *cap ? *cap * 2 : EBB_VEC_FIRST;
    ebb_check(wanted <= SIZE_MAX / item_size);
    *cap = wanted;
    return ebb_realloc(items, wanted * item_size);
}
