/* snapshots.h - which snapshots are worth their memory.
 *
 * Going to a moment costs the replay from the nearest snapshot before it.  People go to what is near (the end of time, or
 * where they are now) far more often than to what is far, so snapshots may lie the further apart the further they are from
 * there:
 *
 * SN1  after thinning, the gap around a dropped snapshot is at most a SNAPSHOT_DENSITY-th of its distance from the nearer of
 *      the two anchors, or the smallest gap worth anything;
 * SN2  the oldest, the newest and those that have to stay (machine/history.h) are never dropped;
 * SN3  the number of the others is O(density * log(span / smallest gap)), however many were taken. */
#ifndef EBB_TIME_SNAPSHOTS_H
#define EBB_TIME_SNAPSHOTS_H

#include "machine/history.h"

enum { EBB_SNAPSHOT_DENSITY = 6 };

typedef struct ebb_thinning {
    uint64_t newest, now;  /* the anchors: timestamps */
    uint64_t smallest_gap; /* two snapshots nearer than this serve no better than one */
} ebb_thinning;

/* Marks in `drop` (n entries) those to drop.  The snapshots are ordered by time. */
void ebb_snapshots_thin(const machine_snapshot *snapshots, size_t n, const ebb_thinning *how, bool *drop);

#endif
