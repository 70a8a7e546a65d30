/* widen.c - see widen.h. */
#include "time/widen.h"
#include "base/sizes.h"

enum { /* ticks */
    /* What a step back goes over mostly is the line before: some tens of ticks.  Wider, and each step back in a tight loop meets more stops
     * than it needs, each of which is shown to the judge; narrower, and the second pass is needed nearly always. */
    FIRST_WIDTH = EBB_FIRST_LOOK_BACK,
    /* Each further pass is eight times as wide.  All the passes before the one that finds it then cost a seventh of that one together, and
     * a find far away takes few passes (9 from 32 ticks to 2^28).  Doubling would look through less that is in vain beyond the find, but take three times as many
     * passes, each of which begins with a rewind or a copy. */
    WIDTH_GROWTH = 8,
    WIDEST = 1 << 28, /* beyond it there is a snapshot in between anyway; the product must not overflow */
};

static ebb_position begin_of(const ebb_widening *w)
{
    ebb_position from = {.timestamp = w->to.timestamp > w->width ? w->to.timestamp - w->width : 0};
    return ebb_position_compare(from, w->oldest) < 0 ? w->oldest : from;
}

bool ebb_widening_is_last(const ebb_widening *w)
{
    return ebb_position_compare(w->from, w->oldest) <= 0;
}

ebb_status ebb_widen(ebb_widening *w, ebb_error *err)
{
    for (w->width = FIRST_WIDTH;; w->width = w->width < WIDEST ? w->width * WIDTH_GROWTH : w->width) {
        w->from = begin_of(w);
        ebb_status status = w->look(w, err);
        if (status != EBB_OK || w->is_done || ebb_widening_is_last(w))
            return status;
        if (ebb_position_compare(w->from, w->to) < 0)
            w->to = w->from;
    }
}
