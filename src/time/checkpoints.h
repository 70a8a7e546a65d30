/* checkpoints.h - the moments to which an undo log can be taken back.
 *
 * A machine is deterministic between two things from outside, so not every instruction has to be undone by itself.  At a
 * *checkpoint*, every few hundred timestamps, the log notes what the machine needs to go on from there (registers, a frame: the machine's
 * own bytes); between two checkpoints it keeps only what is overwritten.  To reach a moment, the log goes back to the last checkpoint
 * that isn't after it, and the machine runs forward from there.
 *
 * This list says when each was, and where in the log: a position there counts what was ever written before it, in whatever unit the log has.  What
 * the machine needs to go on lies in the log itself, as a record between two positions (undo_log.h: the Java machine), or is somebody's `own`, who is
 * told when the entry goes (the native machine, whose registers ebb has: x86/vm/undo.h).
 *
 * A *cut* is what everybody does who changes something that the log does not hold: all checkpoints go, and the next one is due at once.
 * What lies before a cut is reached by snapshot and replay.
 *
 * Freestanding: the memory is the caller's.
 *
 * CK1  entries are in the order of their positions in the log, and in that of time;
 * CK2  an entry is there only while its whole record is, and everything that was added after it: who has the log says what it lost;
 * CK3  serial numbers only grow, also when the log is taken back: a number that was read once parts the older from the newer for good. */
#ifndef EBB_TIME_CHECKPOINTS_H
#define EBB_TIME_CHECKPOINTS_H

#include "time/position.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct ebb_checkpoint {
    uint64_t position; /* where its record begins in the log */
    uint64_t end;      /* and ends */
    uint64_t time;
    void *own;         /* the machine's */
    uint64_t serial;   /* they are counted */
} ebb_checkpoint;

#define EBB_CHECKPOINT_NEVER UINT64_MAX

typedef struct ebb_checkpoints {
    ebb_checkpoint *items;    /* a ring itself: `first` is the oldest */
    size_t cap, first, n;
    uint64_t serial;          /* of the last one taken */
    uint64_t interval;        /* timestamps between two of them */
    uint64_t due;             /* the timestamp at which the next one is; the machine may set it */
    const char *cut_by;       /* why the log reaches no further back; NULL: it is full, or it begins there */
    void (*drop)(void *own);  /* an entry goes; NULL: nobody wants to know */
} ebb_checkpoints;

/* ---- making ---- */

/* An empty list in memory for `cap` items; NULL and 0: there is no log, and none is ever due.  *l is zero, or was a list before: its serial
 * numbers go on (CK3). */
void ebb_checkpoints_init(ebb_checkpoints *l, ebb_checkpoint *items, size_t cap, uint64_t interval);

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

/* A checkpoint, which gets its serial number here; the next one is due an interval later.  In a list that is full the oldest goes. */
void ebb_checkpoints_add(ebb_checkpoints *l, ebb_checkpoint c);

void ebb_checkpoints_lose(ebb_checkpoints *l, uint64_t tail);                /* what the log had before that position (CK2) */
void ebb_checkpoints_cut(ebb_checkpoints *l, const char *why, uint64_t now); /* why: a literal, as a person would say it */
void ebb_checkpoints_forget_since(ebb_checkpoints *l, uint64_t serial);      /* those with a greater number (CK3) */
void ebb_checkpoints_forget_oldest(ebb_checkpoints *l);                      /* of one or more */

/* ---- looking ---- */

const ebb_checkpoint *ebb_checkpoints_at(const ebb_checkpoints *l, size_t i); /* 0: the oldest */
const ebb_checkpoint *ebb_checkpoints_newest(const ebb_checkpoints *l); /* NULL: there is none */
uint64_t ebb_checkpoints_oldest(const ebb_checkpoints *l); /* its time; UINT64_MAX: there is none */

/* The place of the running thread at c.  Asked only where timestamps don't decide. */
typedef uint64_t ebb_checkpoint_place(const ebb_checkpoint *c, void *self);

/* The number of the last one that isn't after that moment; false: there is none. */
bool ebb_checkpoints_find(const ebb_checkpoints *l, ebb_position moment, ebb_checkpoint_place *place, void *self, size_t *i);

/* ---- going back ---- */

/* The machine has put everything back up to the i-th: those after it are forgotten, itself is not. */
void ebb_checkpoints_went_back(ebb_checkpoints *l, size_t i);

#endif
