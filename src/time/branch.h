/* branch.h - the order in which a copy that replays becomes the execution that is live.
 *
 * The machine has said that it can go on from here; then:
 *
 *     1. files are put back to what they were (journal.h);
 *     2. the recording is cut: what was recorded after this moment never happened, and the copy's recorder goes on;
 *     3. the files that were open here are opened again, and the standard streams that are no files.
 *
 * LV1  files come before the cut: a cut makes void what would have to be put back, so there is no second try;
 * LV2  descriptors come last: until the cut the copy may still be thrown away, and nobody must notice that it was there.  What the
 *      copy opened for replaying is closed before, as it may have the number of one of the program's;
 * LV3  what can't be had again costs a line of text, not the branch. */
#ifndef EBB_TIME_BRANCH_H
#define EBB_TIME_BRANCH_H

#include "time/journal.h"
#include "time/replay.h"

typedef struct ebb_branch {
    ebb_journal *journal;
    ebb_replay *replay;  /* stands at this moment; freed by going live (LV2) */
    ebb_recorder *rec;   /* of the same file */
    uint64_t now;        /* the timestamp of this moment */
    uint64_t began;      /* the event at which the copy was made */
    int streams[3];      /* the standard streams themselves, if the copy kept them; -1: it didn't.  Closed by going live */
    pid_t streams_of[2]; /* who else has them: the process that records, or else the one that started it */
} ebb_branch;

/* Adds a line to `lost` for each thing that could not be put back. */
ebb_status ebb_branch_go_live(const ebb_branch *b, ebb_buf *lost, ebb_error *err) EBB_MUST_CHECK;

#endif
