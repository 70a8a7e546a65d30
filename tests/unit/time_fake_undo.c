/* time_fake_undo.c - the undo log of the fake machine. */
#include "time_fake_undo.h"

#include "base/check.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { KIND_CELL, KIND_CHECKPOINT, N_KINDS };
static const bool have_bytes[N_KINDS] = {[KIND_CHECKPOINT] = true};
static const ebb_undo_kinds kinds = {have_bytes, N_KINDS};

enum { ALIGNMENT = 16, LEAST_BYTES = 4096 };

void fake_undo_init(fake_undo *u, size_t n_checkpoints, size_t state_nbytes)
{
    uint64_t wanted = n_checkpoints * (state_nbytes + 4 * sizeof(ebb_undo_unit));
    u->nbytes = ebb_undo_ring_room(wanted > LEAST_BYTES ? wanted : LEAST_BYTES);
    u->memory = aligned_alloc(ALIGNMENT, u->nbytes);
    ebb_check(u->memory);
    size_t cap = ebb_checkpoints_most(u->nbytes, state_nbytes);
    u->items = ebb_alloc(cap * sizeof *u->items);
    ebb_undo_ring_init(&u->ring, &kinds, u->memory, u->nbytes);
    ebb_checkpoints_init(&u->list, &u->ring, u->items, cap, 1);
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
    memcpy(to->items, from->items, to->list.cap * sizeof *to->items);
    to->ring = from->ring;
    to->ring.base = to->memory;
    to->ring.at = to->ring.base + (from->ring.at - from->ring.base);
    to->ring.end = to->ring.base + (from->ring.end - from->ring.base);
    to->list = from->list;
    to->list.ring = &to->ring;
    to->list.items = to->items;
}

void fake_undo_keep_cell(fake_undo *u, uint32_t *cell)
{
    ebb_undo_add_unit(&u->ring, ebb_undo_where(KIND_CELL, cell), *cell);
}

void fake_undo_add_checkpoint(fake_undo *u, uint64_t time, const void *state, size_t nbytes)
{
    ebb_undo_bytes bytes = {state, nbytes}, none = {0};
    ebb_check(ebb_checkpoints_add(&u->list, time, ebb_undo_where(KIND_CHECKPOINT, NULL), bytes, none));
}

void fake_undo_cut(fake_undo *u, uint64_t now)
{
    ebb_checkpoints_cut(&u->list, "a test", now);
}

const void *fake_undo_state(const fake_undo *u, const ebb_checkpoint *c)
{
    return ebb_checkpoints_record(&u->list, c).bytes;
}

void fake_undo_go_back(fake_undo *u, size_t i)
{
    ebb_undo_walk walk = ebb_checkpoints_walk(&u->list, ebb_checkpoints_at(&u->list, i));
    for (ebb_undo_record r; ebb_undo_walk_back(&walk, &r);)
        if (r.kind == KIND_CELL)
            *(uint32_t *)r.address = (uint32_t)r.what;
    ebb_checkpoints_went_back(&u->list, i);
}
