/* widen.h - looking for the last of something that happened before a moment.
 *
 * Nobody can run backward: a stretch of the past is run forward, and what was seen last in it is the answer.  How long a stretch
 * has to be isn't known, so the first is short, and each further one longer than the one before it:
 *
 * WD1  what is near is found without looking at all that is far: a loop of a million iterations before it costs nothing;
 * WD2  looking over all of history runs it little more than once, in few stretches, each of which may cost a copy of the
 *      debuggee. */
#ifndef EBB_TIME_WIDEN_H
#define EBB_TIME_WIDEN_H

#include "base/error.h"
#include "time/position.h"

#include <stdbool.h>

typedef struct ebb_widening ebb_widening;

/* The first member of the searcher's own struct. */
struct ebb_widening {
    ebb_position oldest;   /* nothing before it is looked at */
    ebb_position from, to; /* the stretch to look at: at first `to` is the end of all of them */
    uint64_t width;        /* its length in ticks */
    bool is_done;          /* set by `look`: found, or not to be looked for any more */
    /* Looks from `from` (not before `oldest`) to `to`, and says in `from` where it really began: where it can begin may be
     * earlier or later. */
    ebb_status (*look)(ebb_widening *w, ebb_error *err);
};

/* Looks at one stretch after the other, latest first, until `look` is done or there is none left. */
ebb_status ebb_widen(ebb_widening *w, ebb_error *err) EBB_MUST_CHECK;
bool ebb_widening_is_last(const ebb_widening *w); /* the stretch begins where everything does */

#endif
