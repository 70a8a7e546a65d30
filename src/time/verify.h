/* verify.h - hashes of the whole state, recorded now and then and compared in replay.
 *
 * A replay that takes every event where it was recorded may still have gone another way in between.  So while recording, at moments of
 * the machine's choice (the end of a time slice, a change of threads, a stop of ebb's own), a hash of the state is written down if one is due; in
 * replay, what was written down there is compared.  How the state is hashed is the machine's.
 *
 * VF1  a hash is compared at the very moment at which it was taken.  Its event has the timestamp, and a word that tells moments with that timestamp apart:
 *      the place, where the machine can go to a position; else how many moments there were (Java).  Then moments are counted in recording and replay alike, and the
 *      count is part of the machine's state: who goes back in time puts it back;
 * VF2  when a hash is due may depend on a clock, as replay compares what is there and asks no policy. */
#ifndef EBB_TIME_VERIFY_H
#define EBB_TIME_VERIFY_H

#include "time/position.h"
#include "time/replay.h"

/* One number for all that the program can see of itself. */
typedef ebb_status ebb_state_hash(void *self, uint64_t *hash, ebb_error *err);

/* VF1, for who counts: to be kept by an undo log before ebb_verify_count. */
typedef struct ebb_verify_moment {
    uint64_t n;      /* so many before */
    uint64_t n_here; /* so many of them with this timestamp */
    uint64_t timestamp;
} ebb_verify_moment;

typedef struct ebb_verify {
    ebb_verify_moment moment;
    ebb_state_hash *hash;
    void *self;          /* for it */
    uint64_t n_compared; /* and found to be the same */

    bool sparingly;     /* as long as it takes a third of the time at most */
    uint64_t every;     /* otherwise: each so many moments; 0: never */
    bool is_wanted;     /* at the next moment in any case, unless never */
    int64_t not_before; /* sparingly: in nanoseconds of the monotonic clock */
} ebb_verify;

/* policy: NULL for never, "sparingly", or a number for each so many moments. */
void ebb_verify_init(ebb_verify *v, const char *policy, ebb_state_hash *hash, void *self);

bool ebb_verify_is_due(const ebb_verify *v); /* while recording */
/* Writes down the hash of this moment, whether or not it is due. */
ebb_status ebb_verify_record(ebb_verify *v, ebb_recorder *rec, ebb_position at, ebb_error *err) EBB_MUST_CHECK;
/* Replay has come to where this one was taken.  EBB_DIVERGED: the state is another one. */
ebb_status ebb_verify_check(ebb_verify *v, const ebb_event *taken, ebb_error *err) EBB_MUST_CHECK;

/* ---- for a machine that counts its moments ---- */

void ebb_verify_count(ebb_verify *v, uint64_t now); /* a moment has come */
/* Then, while recording: writes down the hash if it is due. */
ebb_status ebb_verify_record_counted(ebb_verify *v, ebb_recorder *rec, uint64_t now, ebb_error *err) EBB_MUST_CHECK;
/* Or, in replay: EBB_DIVERGED if another was written down at this moment. */
ebb_status ebb_verify_compare_counted(ebb_verify *v, ebb_replay *r, uint64_t now, ebb_error *err) EBB_MUST_CHECK;

#endif
