/* recording_copy.c - the good part of a recording into another file. */
#include "base/mem.h"
#include "base/sizes.h"
#include "time/recording_read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static ebb_status write_whole(int fd, const char *bytes, size_t nbytes, const char *path, ebb_error *err)
{
    while (nbytes > 0) {
        ssize_t put = write(fd, bytes, nbytes);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return ebb_fail_errno(err, "cannot write %s", path);
        bytes += put;
        nbytes -= (size_t)put;
    }
    return EBB_OK;
}

static ebb_status copy_bytes(ebb_recording *r, int to, const char *path, ebb_error *err)
{
    char *piece = ebb_alloc(EBB_COPY_PIECE_BYTES);
    ebb_status status = EBB_OK;
    for (uint64_t at = 0; status == EBB_OK && at < r->good_nbytes;) {
        uint64_t left = r->good_nbytes - at;
        int64_t got = rec_read_at(r->fd, piece, left < EBB_COPY_PIECE_BYTES ? (size_t)left : EBB_COPY_PIECE_BYTES, at);
        if (got <= 0) {
            status = got < 0 ? ebb_fail_errno(err, "cannot read the recording") : ebb_fail(err, EBB_BAD_FILE, "the recording became shorter");
            break;
        }
        status = write_whole(to, piece, (size_t)got, path, err);
        at += (uint64_t)got;
    }
    free(piece);
    return status;
}

/* Into a file beside it first: a full disk leaves what was at `path` as it was. */
ebb_status ebb_recording_copy(ebb_recording *r, const char *path, ebb_error *err)
{
    ebb_status status = ebb_recording_refresh(r, err);
    if (status == EBB_OK)
        status = rec_check_replaceable(path, err);
    if (status != EBB_OK)
        return status;
    char *beside = ebb_asprintf("%s.XXXXXX", path);
    int fd = mkostemp(beside, O_CLOEXEC); /* RC4: 0600 */
    if (fd < 0) {
        status = ebb_fail_errno(err, "cannot write %s", path);
        free(beside);
        return status;
    }
    status = copy_bytes(r, fd, path, err);
    close(fd);
    if (status == EBB_OK && rename(beside, path) != 0)
        status = ebb_fail_errno(err, "cannot write %s", path);
    if (status != EBB_OK)
        unlink(beside);
    free(beside);
    return status;
}
