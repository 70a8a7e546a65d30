/* own.c - a short list of ranges. */
#include "x86/inside/own.h"

x86_own x86_own_ranges;

void x86_own_add(uint64_t lo, uint64_t hi)
{
    x86_own *own = &x86_own_ranges;
    for (uint64_t i = 0; i < own->n; i++)
        if (own->ranges[i].hi == lo) {
            own->ranges[i].hi = hi;
            return;
        }
    if (own->n < X86_MAX_OWN)
        own->ranges[own->n++] = (x86_range){lo, hi};
}

/* The lowest of ours that overlaps [lo, hi). */
static const x86_range *range_in(uint64_t lo, uint64_t hi)
{
    const x86_own *own = &x86_own_ranges;
    const x86_range *first = 0;
    for (uint64_t i = 0; i < own->n; i++) {
        const x86_range *r = &own->ranges[i];
        if (r->lo < hi && r->hi > lo && (!first || r->lo < first->lo))
            first = r;
    }
    return first;
}

bool x86_own_hit(uint64_t lo, uint64_t hi)
{
    return range_in(lo, hi) != 0;
}

bool x86_own_gap(uint64_t *lo, uint64_t hi, uint64_t *end)
{
    const x86_range *r = range_in(*lo, hi);
    while (r && r->lo <= *lo) {
        *lo = r->hi;
        r = *lo < hi ? range_in(*lo, hi) : 0;
    }
    *end = r ? r->lo : hi;
    return *lo < hi;
}
