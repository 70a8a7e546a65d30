/* branch.c - from replaying to live. */
#include "time/branch.h"

/* By a reader of its own: the replay's must not move before it is certain. */
static ebb_status put_files_back(ebb_journal *journal, const ebb_branch_from *from, ebb_buf *lost, ebb_error *err)
{
    ebb_recording *in;
    EBB_TRY(ebb_recording_open_fd(from->recording, &in, err));
    ebb_status status = ebb_journal_put_back(journal, in, from->began, from->happened, lost, err);
    ebb_recording_free(in);
    return status;
}

ebb_status ebb_branch_go_live(const ebb_branch *b, ebb_buf *lost, ebb_error *err)
{
    ebb_branch_from from;
    EBB_TRY(b->hooks->prepare(b->self, &from, err));         /* LV1 */
    EBB_TRY(put_files_back(b->journal, &from, lost, err));   /* LV2 */
    EBB_TRY(b->hooks->cut(b->self, err));
    return b->hooks->take_up(b->self, lost, err);            /* LV3 */
}
