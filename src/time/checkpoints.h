/* checkpoints.h - the moments to which an undo log can be taken back.
 *
 * A machine is deterministic between two things from outside, so not every instruction has to be undone by itself.  At a
 * *checkpoint*, every few hundred timestamps, the log notes what the machine needs to go on from there (registers, a frame: the machine's
 * own bytes); between two checkpoints it keeps only what is overwritten.  To reach a moment, the log goes back to the last checkpoint
 * that isn't after it, and the machine runs forward from there.
 *
 * A checkpoint is a record in the ring (undo_ring.h) and an entry in this list, which says where that record is and when it was.
 *
 * A *cut* is what everybody does who changes something that the log does not hold: all checkpoints go, and the next one is due at once.
 * What lies before a cut is reached by snapshot and replay.
 *
 * Freestanding, as the ring is.
 *
 * CK1  entries are in the order of their positions in the ring, and in that of time;
 * CK2  an entry is there only while its whole record is, and everything that was added after it;
 * CK3  serial numbers only grow, also when the log is taken back: a number that was read once parts the older from the newer for good. */
#ifndef EBB_TIME_CHECKPOINTS_H
#define EBB_TIME_CHECKPOINTS_H

#include "time/position.h"
#include "time/undo_ring.h"

typedef struct ebb_checkpoint {
    uint64_t position; /* where its record begins in the ring */
    uint64_t end;      /* and ends */
    uint64_t time;
    uint64_t serial;   /* they are counted */
} ebb_checkpoint;

#define EBB_CHECKPOINT_NEVER UINT64_MAX

typedef struct ebb_checkpoints {
    ebb_undo_ring *ring;
    ebb_checkpoint *items;    /* a ring itself: `first` is the oldest */
    size_t cap, first, n;
    uint64_t serial;          /* of the last one taken */
    uint64_t interval;        /* timestamps between two of them */
    uint64_t due;             /* the timestamp at which the next one is; the machine may set it */
    const char *cut_by;       /* why the log reaches no further back; NULL: the ring is full, or it begins there */
} ebb_checkpoints;

/* ---- making ---- */

/* How many can be at once in a ring of that size, if the machine's own bytes of each are at least so many. */
uint64_t ebb_checkpoints_most(uint64_t ring_nbytes, size_t least_bytes);

/* An empty list in memory for `cap` items; NULL and 0: there is no log, and none is ever due.  *l is zero, or was a list before: its serial
 * numbers go on (CK3). */
void ebb_checkpoints_init(ebb_checkpoints *l, ebb_undo_ring *ring, ebb_checkpoint *items, size_t cap, uint64_t interval);

/* ---- as time passes ---- */

/* The timestamp after `now` at which to look: one that is late is taken as soon as somebody can. */
static inline uint64_t ebb_checkpoints_next(const ebb_checkpoints *l, uint64_t now)
{
    return l->due > now ? l->due : now + 1;
}

/* The next one is due an interval from now. */
static inline void ebb_checkpoints_put_off(ebb_checkpoints *l, uint64_t now)
{
    l->due = now + l->interval;
}

/* A checkpoint at that time, with the machine's own bytes, and the next one due an interval later.  False: its record is too long for
 * the ring, and the checkpoint before it serves for longer. */
bool ebb_checkpoints_add(ebb_checkpoints *l, uint64_t time, uint64_t where, ebb_undo_bytes a, ebb_undo_bytes b);

void ebb_checkpoints_cut(ebb_checkpoints *l, const char *why, uint64_t now); /* why: a literal, as a person would say it */
void ebb_checkpoints_forget_since(ebb_checkpoints *l, uint64_t serial);      /* those with a greater number (CK3) */

/* ---- looking ---- */

size_t ebb_checkpoints_count(ebb_checkpoints *l); /* of those that can be gone back to */
const ebb_checkpoint *ebb_checkpoints_at(const ebb_checkpoints *l, size_t i); /* 0: the oldest */
uint64_t ebb_checkpoints_oldest(ebb_checkpoints *l); /* its time; UINT64_MAX: there is none */
uint64_t ebb_checkpoints_used(ebb_checkpoints *l); /* bytes of the ring since the oldest */
ebb_undo_walk ebb_checkpoints_walk(const ebb_checkpoints *l, const ebb_checkpoint *since); /* from now to it, including its own record */
ebb_undo_record ebb_checkpoints_record(const ebb_checkpoints *l, const ebb_checkpoint *c); /* its own */

/* The place of the running thread at c.  Asked only where timestamps don't decide. */
typedef uint64_t ebb_checkpoint_place(const ebb_checkpoint *c, void *self);

/* The number of the last one that isn't after that moment; false: there is none. */
bool ebb_checkpoints_find(ebb_checkpoints *l, ebb_position moment, ebb_checkpoint_place *place, void *self, size_t *i);

/* ---- going back ---- */

/* The machine has put everything back up to the i-th: what was added after its record is forgotten, itself is not. */
void ebb_checkpoints_went_back(ebb_checkpoints *l, size_t i);

#endif
