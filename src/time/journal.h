/* journal.h - what a program changes in the file system, kept in its recording so that `branch` can put it back.
 *
 * Before the program changes a file, what will be lost is recorded (event FILE): the bytes about to be overwritten, the tail about to
 * be cut off, the contents of a file about to be removed, names.  After it used a descriptor of a regular file, the path, flags and
 * position of that are recorded if they changed (OPEN_FILE).  Replay passes over both.  Which of its calls do what is known to
 * the machine: it calls here, in the process that is recorded or in one that traces it.
 *
 * `branch`, in a copy of that process at a moment of the past: what was recorded after that moment is put back, newest first; then the
 * files that were open at that moment are opened again at the positions that they had (branch.h has the order of it all).
 *
 * JN1  put back are regular files, links and directories, with their permissions and times.  Files of more than 16 MiB that are
 *      removed, replaced or mapped for writing, owners, and everything sent elsewhere (pipes, connections, terminals,
 *      processes) can't be put back and are named;
 *      Nor can what is written to a file that others write to at the same time: above all the terminal session of whoever started
 *      the program, when that goes to a file (ebb_journal_share);
 * JN2  what others did to the files meanwhile is not known;
 * JN3  a journal that can't be written any more is the recorder's failure, told by it at the next event. */
#ifndef EBB_TIME_JOURNAL_H
#define EBB_TIME_JOURNAL_H

#include "base/buf.h"
#include "time/journal_what.h"
#include "time/recording.h"

#include <sys/stat.h>
#include <sys/types.h>

/* The payload of OPEN_FILE: descriptor, path (none: it is closed, or no regular file), flags of open(2), position. */

/* Whose files they are. */
typedef struct ebb_journal_program {
    void *self;
    uint64_t (*now)(void *self); /* the timestamp */
    pid_t pid;                   /* descriptors are those of that process; 0: of this one */
} ebb_journal_program;

typedef struct ebb_journal ebb_journal;
ebb_journal *ebb_journal_new(ebb_recorder *rec, ebb_journal_program of); /* borrows rec */
void ebb_journal_free(ebb_journal *j);                                  /* NULL is fine */

/* Whoever started the program writes to that file, too: what is put back there would be put over what is theirs. */
void ebb_journal_share(ebb_journal *j, const struct stat *file);

/* ---- recording: before it is done ---- */

void ebb_journal_before_write(ebb_journal *j, int fd, size_t nbytes); /* where it stands, or at the end if it appends */
void ebb_journal_before_write_at(ebb_journal *j, int fd, off_t at, size_t nbytes);
void ebb_journal_before_map(ebb_journal *j, int fd, off_t at, size_t nbytes); /* for writing: what is there now can be put back */
void ebb_journal_before_truncate(ebb_journal *j, int fd, off_t to);
/* Paths are absolute. */
void ebb_journal_before_open(ebb_journal *j, const char *path, bool creates, bool truncates);
void ebb_journal_before_create(ebb_journal *j, const char *path);
void ebb_journal_before_remove(ebb_journal *j, const char *path);
void ebb_journal_before_rename(ebb_journal *j, const char *from, const char *to);
void ebb_journal_before_attributes(ebb_journal *j, const char *path);
void ebb_journal_lose(ebb_journal *j, const char *path); /* something changes that can't be put back */

/* ---- recording: after a descriptor was opened, used or closed ---- */

void ebb_journal_used(ebb_journal *j, int fd);

/* ---- going live ---- */

/* Puts back what was recorded from event `from` on, and finds out which files were open there.  `began`: the event at which this copy
 * was made, from where on it doesn't know that by itself.  Adds a line to `lost` for each thing that could not be put back. */
ebb_status ebb_journal_put_back(ebb_journal *j, ebb_recording *in, uint64_t began, uint64_t from, ebb_buf *lost, ebb_error *err) EBB_MUST_CHECK;
/* Opens those files in this process, whose own they have to be; under their numbers there must be nothing of the machine's own. */
void ebb_journal_reopen(ebb_journal *j, ebb_buf *lost);
bool ebb_journal_is_open(const ebb_journal *j, int fd); /* a regular file has that number, as far as is known */

#endif
