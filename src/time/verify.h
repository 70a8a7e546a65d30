/* verify.h - hashes of the whole state, recorded now and then and compared in replay.
 *
 * A replay that takes every event where it was recorded may still have gone another way in between.  So while recording, at moments of
 * the machine's choice (the end of a time slice, a change of threads), a hash of the state is written down if one is due; in
 * replay, what was written down there is compared.  How the state is hashed is the machine's.
 *
 * VF1  moments are counted in recording and replay alike, those that have one timestamp too: a hash is compared at the very moment
 *      at which it was taken.  The count is part of the machine's state: who goes back in time puts it back;
 * VF2  when a hash is due may depend on a clock, as replay compares what is there and asks no policy. */
#ifndef EBB_TIME_VERIFY_H
#define EBB_TIME_VERIFY_H

#include "time/replay.h"

/* VF1: to be kept by an undo log before ebb_verify_count. */
typedef struct ebb_verify_moment {
    uint64_t n;      /* so many before */
    uint64_t n_here; /* so many of them with this timestamp */
    uint64_t timestamp;
} ebb_verify_moment;

typedef struct ebb_verify {
    ebb_verify_moment moment;
    uint64_t (*hash)(void); /* of the machine's state */
    uint64_t n_compared;    /* and found to be the same */

    bool sparingly;     /* as long as it takes a third of the time at most */
    uint64_t every;     /* otherwise: each so many moments; 0: never */
    bool is_wanted;     /* at the next moment in any case, unless never */
    int64_t not_before; /* sparingly: in nanoseconds of the monotonic clock */
} ebb_verify;

/* policy: NULL for never, "sparingly", or a number for each so many moments. */
void ebb_verify_init(ebb_verify *v, const char *policy, uint64_t (*hash)(void));

void ebb_verify_count(ebb_verify *v, uint64_t now); /* a moment has come */
/* Then, while recording: writes down the hash if it is due. */
ebb_status ebb_verify_record(ebb_verify *v, ebb_recorder *rec, uint64_t now, ebb_error *err) EBB_MUST_CHECK;
/* Or, in replay: EBB_DIVERGED if another was written down at this moment. */
ebb_status ebb_verify_compare(ebb_verify *v, ebb_replay *r, uint64_t now, ebb_error *err) EBB_MUST_CHECK;

#endif
