/* snapshots.h - what a snapshot is, and which ones are worth their memory.
 *
 * Going to a moment costs the replay from the nearest snapshot before it.  People go to what is near (the end of time, or
 * where they are now) far more often than to what is far, so snapshots may lie the further apart the further they are from
 * there:
 *
 * SN1  after thinning, the gap around a dropped snapshot is at most an EBB_SNAPSHOT_DENSITY-th of its distance from the nearer of
 *      the two anchors, or the smallest gap worth anything;
 * SN2  the oldest, the newest and those that have to stay are never dropped;
 * SN3  the number of the others is O(density * log(span / smallest gap)), however many were taken. */
#ifndef EBB_TIME_SNAPSHOTS_H
#define EBB_TIME_SNAPSHOTS_H

#include "machine/machine.h"
#include "time/position.h"

typedef uint32_t ebb_snapshot_id; /* > 0; never used twice */

/* A frozen copy of a debuggee. */
typedef struct ebb_snapshot {
    ebb_snapshot_id id;
    ebb_position at;    /* of the thread that ran: */
    machine_tid thread; /* this one; 0 if that isn't known */
    bool stays;         /* it has something that no replay brings back: without it no later moment could go live */
    void *copy;         /* the machine's own word for the copy (copies.h) */
} ebb_snapshot;

/* A sixth: what lies n ticks away from an anchor is reached by replaying n/6 of them or little more, so going there costs a small part of
 * what the way back to it took.  An hour with a snapshot each quarter of a second keeps 74 of them; half the density keeps 40 and
 * doubles what is replayed, twice the density keeps 135. */
enum { EBB_SNAPSHOT_DENSITY = 6 };

typedef struct ebb_thinning {
    uint64_t newest, now;  /* the anchors: timestamps */
    uint64_t smallest_gap; /* two snapshots nearer than this serve no better than one */
} ebb_thinning;

/* Marks in `drop` (n entries) those to drop.  The snapshots are ordered by time. */
void ebb_snapshots_thin(const ebb_snapshot *snapshots, size_t n, const ebb_thinning *how, bool *drop);

/* The one that is missed least, if one has to go: whose neighbours are near to each other beside their distance from the anchors.  n: all
 * have to stay (SN2). */
size_t ebb_snapshots_least(const ebb_snapshot *snapshots, size_t n, const ebb_thinning *how);

#endif
