/* region.c - a sorted list of free spans; the lowest that fits is given, so that every run gives the same. */
#include "jvm/heap/region.h"

#include "base/check.h"

#include <string.h>
#include <sys/mman.h>

static size_t round_up(size_t nbytes) { return (nbytes + 4095) & ~(size_t)4095; }

/* First fit; the rest of the extent stays free. */
static uintptr_t place(jvm_region *region, size_t nbytes)
{
    for (size_t i = 0; i < region->free.n; i++) {
        jvm_extent *e = &region->free.items[i];
        if (e->nbytes < nbytes)
            continue;
        uintptr_t at = e->at;
        e->at += nbytes;
        e->nbytes -= nbytes;
        if (e->nbytes == 0)
            ebb_vec_remove(&region->free, i);
        return at;
    }
    if (region->top == 0)
        region->top = region->base;
    region->top += nbytes;
    return region->top - nbytes;
}

static void insert(jvm_region *region, size_t i, jvm_extent e)
{
    ebb_vec_push(&region->free, e);
    memmove(&region->free.items[i + 1], &region->free.items[i], (region->free.n - 1 - i) * sizeof e);
    region->free.items[i] = e;
}

static void merge_with_next(jvm_region *region, size_t i)
{
    jvm_extent *e = &region->free.items[i];
    if (i + 1 < region->free.n && e->at + e->nbytes == e[1].at) {
        e->nbytes += e[1].nbytes;
        ebb_vec_remove(&region->free, i + 1);
    }
}

static void unplace(jvm_region *region, uintptr_t at, size_t nbytes)
{
    size_t i = 0;
    while (i < region->free.n && region->free.items[i].at < at)
        i++;
    insert(region, i, (jvm_extent){at, nbytes});
    merge_with_next(region, i);
    if (i > 0)
        merge_with_next(region, i - 1);
    const jvm_extent *last = &region->free.items[region->free.n - 1];
    if (last->at + last->nbytes == region->top) {
        region->top = last->at;
        region->free.n--;
    }
}

void *jvm_region_take(jvm_region *region, size_t nbytes)
{
    nbytes = round_up(nbytes);
    uintptr_t at = place(region, nbytes);
    void *p = mmap((void *)at, nbytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (p == (void *)at)
        return p;
    if (p != MAP_FAILED)
        munmap(p, nbytes);
    unplace(region, at, nbytes);
    return NULL;
}

void jvm_region_give(jvm_region *region, void *p, size_t nbytes)
{
    nbytes = round_up(nbytes);
    ebb_check(munmap(p, nbytes) == 0);
    unplace(region, (uintptr_t)p, nbytes);
}

bool jvm_region_holds(const jvm_region *region, const void *p, size_t nbytes)
{
    uintptr_t at = (uintptr_t)p;
    if (at < region->base || at > region->top || nbytes > region->top - at)
        return false;
    for (size_t i = 0; i < region->free.n; i++) {
        const jvm_extent *e = &region->free.items[i];
        if (at < e->at + e->nbytes && e->at < at + nbytes)
            return false;
    }
    return true;
}
