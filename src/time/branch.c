/* branch.c - from replaying to live. */
#include "time/branch.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* By a reader of its own: the replay's must not move before it is certain. */
static ebb_status put_files_back(const ebb_branch *b, ebb_buf *lost, ebb_error *err)
{
    ebb_recording *in;
    EBB_TRY(ebb_recording_open_fd(ebb_recorder_get_fd(b->rec), &in, err));
    ebb_status status = ebb_journal_put_back(b->journal, in, b->began, ebb_replay_get_happened(b->replay), lost, err);
    ebb_recording_free(in);
    return status;
}

static int open_stream_of(pid_t pid, int fd)
{
    static const int modes[] = {O_RDONLY, O_WRONLY, O_WRONLY};
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, fd);
    return open(path, modes[fd] | O_NOCTTY | O_CLOEXEC);
}

/* A file that is opened again has a position of its own, so the program would write over what it and others wrote by now; the stream
 * itself is better. */
static void take_stream(const ebb_branch *b, int fd, ebb_buf *lost)
{
    int own = b->streams[fd] >= 0 ? dup(b->streams[fd]) : open_stream_of(b->streams_of[0], fd);
    if (own < 0)
        own = open_stream_of(b->streams_of[1], fd);
    if (own < 0 || dup2(own, fd) < 0)
        ebb_buf_addf(lost, "standard stream %d could not be opened again\n", fd);
    if (own >= 0)
        close(own);
}

ebb_status ebb_branch_go_live(const ebb_branch *b, ebb_buf *lost, ebb_error *err)
{
    EBB_TRY(put_files_back(b, lost, err));                        /* LV1 */
    EBB_TRY(ebb_replay_cut(b->replay, b->rec, b->now, err));
    ebb_replay_free(b->replay);                                   /* LV2 */
    ebb_journal_reopen(b->journal, lost);
    for (int fd = 0; fd < 3; fd++)
        if (!ebb_journal_is_open(b->journal, fd))
            take_stream(b, fd, lost);
    for (int fd = 0; fd < 3; fd++)
        if (b->streams[fd] >= 0)
            close(b->streams[fd]);
    return EBB_OK;
}
