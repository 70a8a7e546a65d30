/* undo_log.h - a ring of records (undo_ring.h) and the list of its checkpoints (checkpoints.h): a checkpoint is a record itself.
 *
 * For a machine that has both at hand.  The ring of a native program is in the program, and the list in ebb, so it is not one object there (x86/vm/undo.h).
 *
 * The tail of the ring moves with every turn of it, and nobody tells the list: it looks when it is looked at (CK2).
 *
 * Freestanding, as both are. */
#ifndef EBB_TIME_UNDO_LOG_H
#define EBB_TIME_UNDO_LOG_H

#include "time/checkpoints.h"
#include "time/undo_ring.h"

typedef struct ebb_undo_log {
    ebb_undo_ring ring;
    ebb_checkpoints list;
} ebb_undo_log;

/* How many checkpoints can be at once in a ring of that size, if the machine's own bytes of each are at least so many. */
uint64_t ebb_undo_log_most(uint64_t ring_nbytes, size_t least_bytes);

/* A checkpoint at that time, with the machine's own bytes, and the next one due an interval later.  False: its record is too long for
 * the ring, and the checkpoint before it serves for longer. */
bool ebb_undo_log_checkpoint(ebb_undo_log *log, uint64_t time, uint64_t where, ebb_undo_bytes a, ebb_undo_bytes b);

ebb_checkpoints *ebb_undo_log_get_list(ebb_undo_log *log); /* of those that can be gone back to */
uint64_t ebb_undo_log_used(ebb_undo_log *log); /* bytes of the ring since the oldest */
ebb_undo_walk ebb_undo_log_walk(const ebb_undo_log *log, const ebb_checkpoint *since); /* from now to it, including its own record */
ebb_undo_record ebb_undo_log_record(const ebb_undo_log *log, const ebb_checkpoint *c); /* its own */

/* The machine has put everything back up to the i-th: what was added after its record is forgotten, itself is not. */
void ebb_undo_log_went_back(ebb_undo_log *log, size_t i);

#endif
