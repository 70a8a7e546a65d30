/* time_fake_undo.h - the undo log of the fake machine: time/undo_log.h, as a real machine has it.
 *
 * A record is a cell's old contents, or a checkpoint: all of the machine's state but its cells. */
#ifndef EBB_TESTS_TIME_FAKE_UNDO_H
#define EBB_TESTS_TIME_FAKE_UNDO_H

#include "time/undo_log.h"

typedef struct fake_undo {
    ebb_undo_log log;
    void *memory; /* of the ring; owned, like the next */
    ebb_checkpoint *items;
    uint64_t nbytes;
} fake_undo;

void fake_undo_init(fake_undo *u, size_t n_checkpoints, size_t state_nbytes); /* room for about so many, or a few */
void fake_undo_fini(fake_undo *u);
/* What a fork does.  Both have the same size. */
void fake_undo_copy(fake_undo *to, const fake_undo *from);

void fake_undo_keep_cell(fake_undo *u, uint32_t *cell);
void fake_undo_add_checkpoint(fake_undo *u, uint64_t time, const void *state, size_t nbytes);
void fake_undo_cut(fake_undo *u, uint64_t now);

/* The state of the i-th checkpoint, without cells. */
const void *fake_undo_state(const fake_undo *u, const ebb_checkpoint *c);
/* Puts cells back, up to the i-th. */
void fake_undo_go_back(fake_undo *u, size_t i);

#endif
