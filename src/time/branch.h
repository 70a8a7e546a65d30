/* branch.h - the order in which a copy that replays becomes the execution that is live.
 *
 *     1. the machine says whether it can go on from here;
 *     2. files are put back to what they were (journal.h);
 *     3. the recording is cut: what was recorded after this moment never happened;
 *     4. the machine takes up what the program had of the system: descriptors, streams, threads; and records on.
 *
 * LV1  a refusal comes first, when nothing is lost yet;
 * LV2  files come before the cut: a cut makes void what would have to be put back, so there is no second try;
 * LV3  descriptors come last: until the cut the copy may still be thrown away, and nobody must notice that it was there.  What the
 *      copy opened for replaying is closed before, as it may have the number of one of the program's;
 * LV4  what can't be had again costs a line of text, not the branch. */
#ifndef EBB_TIME_BRANCH_H
#define EBB_TIME_BRANCH_H

#include "time/journal.h"

/* The moment from which it goes on. */
typedef struct ebb_branch_from {
    int recording;     /* the file's descriptor */
    uint64_t began;    /* the event at which the copy was made */
    uint64_t happened; /* the first event that has not happened yet */
} ebb_branch_from;

/* What only the machine can do, in the order in which it is called. */
typedef struct ebb_branch_hooks {
    ebb_status (*prepare)(void *self, ebb_branch_from *from, ebb_error *err); /* or refuses */
    ebb_status (*cut)(void *self, ebb_error *err);
    ebb_status (*take_up)(void *self, ebb_buf *lost, ebb_error *err); /* adds a line for each thing that can't be had again */
} ebb_branch_hooks;

typedef struct ebb_branch {
    const ebb_branch_hooks *hooks;
    void *self;
    ebb_journal *journal;
} ebb_branch;

/* Adds a line to `lost` for each thing that could not be put back. */
ebb_status ebb_branch_go_live(const ebb_branch *b, ebb_buf *lost, ebb_error *err) EBB_MUST_CHECK;

#endif
