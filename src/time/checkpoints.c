/* checkpoints.c - the list of checkpoints in an undo ring: due, lost, cut, found, gone back to.  Freestanding (checkpoints.h). */
#include "time/checkpoints.h"

#include "base/check.h"

uint64_t ebb_checkpoints_most(uint64_t ring_nbytes, size_t least_bytes)
{
    return ring_nbytes / (least_bytes + sizeof(ebb_undo_unit)) + 1;
}

void ebb_checkpoints_init(ebb_checkpoints *l, ebb_undo_ring *ring, ebb_checkpoint *items, size_t cap, uint64_t interval)
{
    *l = (ebb_checkpoints){.ring = ring, .items = items, .cap = cap, .serial = l->serial, .interval = interval, .due = EBB_CHECKPOINT_NEVER};
}

/* ---- the list ---- */

const ebb_checkpoint *ebb_checkpoints_at(const ebb_checkpoints *l, size_t i) { return &l->items[(l->first + i) % l->cap]; }

/* CK2.  The tail moves with every turn of the ring, and nobody tells the list: it looks when it is looked at. */
static void drop_lost(ebb_checkpoints *l)
{
    while (l->n > 0 && l->items[l->first].position < l->ring->tail) {
        l->first = (l->first + 1) % l->cap;
        l->n--;
        l->cut_by = NULL;
    }
}

size_t ebb_checkpoints_count(ebb_checkpoints *l)
{
    drop_lost(l);
    return l->n;
}

bool ebb_checkpoints_add(ebb_checkpoints *l, uint64_t time, uint64_t where, ebb_undo_bytes a, ebb_undo_bytes b)
{
    ebb_checkpoint c = {.position = ebb_undo_ring_position(l->ring), .time = time, .serial = ++l->serial};
    ebb_checkpoints_put_off(l, time);
    if (!ebb_undo_add(l->ring, where, a, b))
        return false;
    c.end = ebb_undo_ring_position(l->ring);
    drop_lost(l);
    ebb_check(l->n < l->cap);
    l->items[(l->first + l->n++) % l->cap] = c;
    return true;
}

void ebb_checkpoints_cut(ebb_checkpoints *l, const char *why, uint64_t now)
{
    l->n = 0;
    l->cut_by = why;
    l->due = now;
}

void ebb_checkpoints_forget_since(ebb_checkpoints *l, uint64_t serial)
{
    while (l->n > 0 && ebb_checkpoints_at(l, l->n - 1)->serial > serial)
        l->n--;
}

/* ---- looking ---- */

uint64_t ebb_checkpoints_oldest(ebb_checkpoints *l)
{
    return ebb_checkpoints_count(l) > 0 ? ebb_checkpoints_at(l, 0)->time : UINT64_MAX;
}

uint64_t ebb_checkpoints_used(ebb_checkpoints *l)
{
    if (ebb_checkpoints_count(l) == 0)
        return 0;
    return (ebb_undo_ring_position(l->ring) - ebb_checkpoints_at(l, 0)->position) * sizeof(ebb_undo_unit);
}

ebb_undo_walk ebb_checkpoints_walk(const ebb_checkpoints *l, const ebb_checkpoint *since)
{
    return (ebb_undo_walk){.ring = l->ring, .at = ebb_undo_ring_position(l->ring), .until = since->position};
}

ebb_undo_record ebb_checkpoints_record(const ebb_checkpoints *l, const ebb_checkpoint *c)
{
    ebb_undo_walk walk = {.ring = l->ring, .at = c->end, .until = c->position};
    ebb_undo_record record = {0};
    ebb_check(ebb_undo_walk_back(&walk, &record));
    return record;
}

bool ebb_checkpoints_find(ebb_checkpoints *l, ebb_position moment, ebb_checkpoint_place *place, void *self, size_t *i)
{
    size_t low = 0, high = ebb_checkpoints_count(l); /* those before low are not after the moment, those from high on are */
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        const ebb_checkpoint *c = ebb_checkpoints_at(l, mid);
        if (c->time < moment.timestamp || (c->time == moment.timestamp && place(c, self) <= moment.place))
            low = mid + 1;
        else
            high = mid;
    }
    *i = low - 1;
    return low > 0;
}

/* ---- going back ---- */

void ebb_checkpoints_went_back(ebb_checkpoints *l, size_t i)
{
    ebb_check(i < l->n);
    ebb_undo_ring_go_to(l->ring, ebb_checkpoints_at(l, i)->end);
    l->n = i + 1;
    ebb_checkpoints_put_off(l, ebb_checkpoints_at(l, i)->time);
}
