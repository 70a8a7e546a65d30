/* time_fake_undo.c - the undo log of the fake machine. */
#include "time_fake_undo.h"

#include "base/check.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { KIND_CELL, KIND_CHECKPOINT };

enum { ALIGNMENT = 16, LEAST_BYTES = 4096 };

void fake_undo_init(fake_undo *u, size_t n_checkpoints, size_t state_nbytes)
{
    uint64_t wanted = n_checkpoints * (state_nbytes + 4 * sizeof(ebb_undo_unit));
    u->nbytes = ebb_undo_ring_room(wanted > LEAST_BYTES ? wanted : LEAST_BYTES);
    u->memory = aligned_alloc(ALIGNMENT, u->nbytes);
    ebb_check(u->memory);
    size_t cap = ebb_undo_log_most(u->nbytes, state_nbytes);
    u->items = ebb_alloc(cap * sizeof *u->items);
    ebb_undo_ring_init(&u->log.ring, u->memory, u->nbytes);
    ebb_checkpoints_init(&u->log.list, u->items, cap, 1);
}

void fake_undo_fini(fake_undo *u)
{
    free(u->memory);
    free(u->items);
}

void fake_undo_copy(fake_undo *to, const fake_undo *from)
{
    ebb_check(to->nbytes == from->nbytes);
    memcpy(to->memory, from->memory, to->nbytes);
    memcpy(to->items, from->items, to->log.list.cap * sizeof *to->items);
    to->log.ring = from->log.ring;
    to->log.ring.base = to->memory;
    to->log.ring.at = to->log.ring.base + (from->log.ring.at - from->log.ring.base);
    to->log.ring.end = to->log.ring.base + (from->log.ring.end - from->log.ring.base);
    to->log.list = from->log.list;
    to->log.list.items = to->items;
}

void fake_undo_keep_cell(fake_undo *u, uint32_t *cell)
{
    ebb_undo_add_unit(&u->log.ring, ebb_undo_where(KIND_CELL, cell), *cell);
}

void fake_undo_add_checkpoint(fake_undo *u, uint64_t time, const void *state, size_t nbytes)
{
    ebb_undo_bytes bytes = {state, nbytes}, none = {0};
    ebb_check(ebb_undo_log_checkpoint(&u->log, time, ebb_undo_where(KIND_CHECKPOINT, NULL), bytes, none));
}

void fake_undo_cut(fake_undo *u, uint64_t now)
{
    ebb_checkpoints_cut(&u->log.list, "a test", now);
}

const void *fake_undo_state(const fake_undo *u, const ebb_checkpoint *c)
{
    return ebb_undo_log_record(&u->log, c).bytes;
}

void fake_undo_go_back(fake_undo *u, size_t i)
{
    ebb_undo_walk walk = ebb_undo_log_walk(&u->log, ebb_checkpoints_at(&u->log.list, i));
    for (ebb_undo_record r; ebb_undo_walk_back(&walk, &r);)
        if (r.kind == KIND_CELL)
            *(uint32_t *)r.address = (uint32_t)r.what;
    ebb_undo_log_went_back(&u->log, i);
}
