/* undo_log.c - checkpoints as records of the ring.  Freestanding (undo_log.h). */
#include "time/undo_log.h"

#include "base/check.h"

/* Were all of the ring checkpoints, and each as short as can be: a list of so many never drops one that the ring still has. */
uint64_t ebb_undo_log_most(uint64_t ring_nbytes, size_t least_bytes)
{
    return ring_nbytes / (least_bytes + sizeof(ebb_undo_unit)) + 1;
}

/* The ring is asked here, not when its tail moves: that is in the middle of an interpreter's store, and mostly nobody wants to know. */
ebb_checkpoints *ebb_undo_log_get_list(ebb_undo_log *log)
{
    ebb_checkpoints_lose(&log->list, log->ring.tail);
    return &log->list;
}

bool ebb_undo_log_checkpoint(ebb_undo_log *log, uint64_t time, uint64_t where, ebb_undo_bytes a, ebb_undo_bytes b)
{
    ebb_checkpoint c = {.position = ebb_undo_ring_position(&log->ring), .time = time}; /* where a filling may come first, which walks pass (UR1) */
    if (!ebb_undo_add(&log->ring, where, a, b)) {
        ebb_checkpoints_put_off(&log->list, time);
        return false;
    }
    c.end = ebb_undo_ring_position(&log->ring);
    ebb_checkpoints_add(ebb_undo_log_get_list(log), c);
    return true;
}

uint64_t ebb_undo_log_used(ebb_undo_log *log)
{
    const ebb_checkpoints *l = ebb_undo_log_get_list(log);
    return l->n == 0 ? 0 : (ebb_undo_ring_position(&log->ring) - ebb_checkpoints_at(l, 0)->position) * sizeof(ebb_undo_unit);
}

ebb_undo_walk ebb_undo_log_walk(const ebb_undo_log *log, const ebb_checkpoint *since)
{
    return (ebb_undo_walk){.ring = &log->ring, .at = ebb_undo_ring_position(&log->ring), .until = since->position};
}

ebb_undo_record ebb_undo_log_record(const ebb_undo_log *log, const ebb_checkpoint *c)
{
    ebb_undo_walk walk = {.ring = &log->ring, .at = c->end, .until = c->position};
    ebb_undo_record record = {0};
    ebb_check(ebb_undo_walk_back(&walk, &record));
    return record;
}

/* To the end of its record: the moment is reached again by the same state, so the record serves again. */
void ebb_undo_log_went_back(ebb_undo_log *log, size_t i)
{
    ebb_undo_ring_go_to(&log->ring, ebb_checkpoints_at(&log->list, i)->end);
    ebb_checkpoints_went_back(&log->list, i);
}
