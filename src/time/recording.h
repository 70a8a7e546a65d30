/* recording.h - everything that came from outside, in one file.
 *
 * A recording is a stream of *events* (event.h), numbered from 0, each with a kind, a timestamp and a few values.  Some kinds
 * mean the same to all machines (events.def), others are a machine's own.  And there are *sections* beside the stream: what was
 * run, the bookmarks.  Both are appended as blocks (recording_format.h has the bytes, docs/recording-format.md the page):
 *
 * RC1  nothing that was written is ever written again: a file that ends anywhere is a recording up to its last whole
 *      block, and may be read while it grows, by any number of processes;
 * RC2  a block reaches the file in one append: events are lost only from the block being filled, which is written when
 *      it has 64 KiB, when an event finds it 100 ms old, and at ebb_recorder_flush;
 * RC3  timestamps never go down along the stream;
 * RC4  only the owner can read the file (0600): it holds what the program read;
 * RC5  a reader believes nothing: lengths are bounded before memory is asked for, every block is checksummed, and the worst
 *      file costs one line of text.
 *
 * The future can be cut off (`branch`): a cut is a block too, which says from which number on the events before it are void.
 *
 * Two sides: an ebb_recorder writes, an ebb_recording reads.  The process that is recorded may fork (snapshots): the copy
 * has a recorder that nobody must use until ebb_recorder_cut makes it the one that goes on, and may read through the same
 * descriptor, as reading never moves its offset. */
#ifndef EBB_TIME_RECORDING_H
#define EBB_TIME_RECORDING_H

#include "base/buf.h"
#include "base/error.h"
#include "time/event.h"
#include "time/position.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    EBB_RECORDING_VERSION = 2,
    EBB_BATCH_MAX_BYTES = EBB_EVENT_MAX_BYTES + EBB_EVENT_HEAD_MAX_BYTES, /* of those that a recorder takes: one event, at least */
    EBB_SECTION_MAX_BYTES = 32 << 20,
};

/* What stands beside the events.  A reader passes over those that it doesn't know.  Numbers are the file's: they stay. */
typedef enum ebb_section_kind {
    EBB_SECTION_ABOUT = 1,    /* what was recorded: recording_about.h */
    EBB_SECTION_BOOKMARK = 2, /* one was set or deleted: bookmarks.h */
    EBB_SECTION_EDIT = 3,     /* where the user did something: edits.h */
    EBB_SECTION_FILE = 4,     /* a file that the program was made of: recording_files.h */
    EBB_SECTION_FILE_PART = 5, /* bytes of it */
} ebb_section_kind;

/* ---- writing ------------------------------------------------------------------------------------ */

typedef struct ebb_recorder ebb_recorder;

/* A new file; one that is there is replaced, if it is a regular file. */
ebb_status ebb_recorder_create(const char *path, ebb_recorder **out, ebb_error *err) EBB_MUST_CHECK;
/* The same in a file that has no name (a memfd, an unlinked file).  Takes `fd`, also on failure; it must be readable and
 * writable, is made to append, and the file empty. */
ebb_status ebb_recorder_create_fd(int fd, ebb_recorder **out, ebb_error *err) EBB_MUST_CHECK;
/* The first bytes of the file are stored as they are: packing what a program begins with takes longer than many a program. */
void ebb_recorder_pack_after(ebb_recorder *rec, uint64_t nbytes);
/* To add to a recording that nobody writes any more; an unfinished block at its end is cut off first. */
ebb_status ebb_recorder_append(const char *path, ebb_recorder **out, ebb_error *err) EBB_MUST_CHECK;

/* A path for a recording that nobody asked to keep, in the directory for temporary files: who opens the file takes its name away.  Caller frees. */
char *ebb_recording_temporary_path(void);

int ebb_recorder_get_fd(const ebb_recorder *rec);          /* borrowed; for ebb_recording_open_fd */
uint64_t ebb_recorder_get_count(const ebb_recorder *rec);  /* the number that the next event gets */
uint64_t ebb_recorder_get_nbytes(const ebb_recorder *rec); /* written to the file by this recorder so far */

/* One event: begin, its values in order, end.  Cheap: bytes in memory, until a block is full.
 * A recorder that failed to write once (a full disk) stays failed: what it is given is dropped, `end` and `flush` return the
 * reason, and the recording ends with its last whole block.  (A process with a limit on the size of files has to ignore
 * SIGXFSZ for this.)  `kind` is below 65536; `timestamp` not below the one before (RC3). */
void ebb_recorder_begin(ebb_recorder *rec, unsigned kind, uint64_t timestamp);
void ebb_recorder_u64(ebb_recorder *rec, uint64_t value); /* small numbers take little space */
void ebb_recorder_i64(ebb_recorder *rec, int64_t value);  /* likewise, on both sides of 0 */
void ebb_recorder_bytes(ebb_recorder *rec, const void *bytes, size_t nbytes); /* with their length */
ebb_status ebb_recorder_end(ebb_recorder *rec, ebb_error *err) EBB_MUST_CHECK;
/* A whole event of two values, as begin, u64, i64 and end make it, for those that come by the hundred thousand: it looks only now
 * and then how old its block is. */
ebb_status ebb_recorder_pair(ebb_recorder *rec, unsigned kind, uint64_t timestamp, uint64_t first, int64_t second,
                             ebb_error *err) EBB_MUST_CHECK;
/* Events that somebody else wrote (EN2), of at most EBB_BATCH_MAX_BYTES: all of them or none.  They may be foreign bytes:
 * EBB_BAD_INPUT if they are no events, not as many as was said, or earlier than the last one here. */
ebb_status ebb_recorder_add(ebb_recorder *rec, const ebb_event_batch *batch, ebb_error *err) EBB_MUST_CHECK;

/* Says how far the program had come, and has it in the file: before it stands still, or goes on for long without asking anything.  Place 0: where
 * in that timestamp is not known. */
ebb_status ebb_recorder_mark(ebb_recorder *rec, ebb_position at, ebb_error *err) EBB_MUST_CHECK;
/* What is in memory is in the file afterwards. */
ebb_status ebb_recorder_flush(ebb_recorder *rec, ebb_error *err) EBB_MUST_CHECK;
/* Does so if it waited for 100 ms: for a program that is idle, so that no event comes to see it. */
ebb_status ebb_recorder_flush_if_due(ebb_recorder *rec, ebb_error *err) EBB_MUST_CHECK;

/* Events from number `count` on are void, those in memory too; the next event gets that number.  `timestamp` is the time
 * of the cut: no event before it is later. */
ebb_status ebb_recorder_cut(ebb_recorder *rec, uint64_t count, uint64_t timestamp, ebb_error *err) EBB_MUST_CHECK;

/* Written at once, after the events so far. */
ebb_status ebb_recorder_section(ebb_recorder *rec, ebb_section_kind kind, const void *bytes, size_t nbytes, ebb_error *err) EBB_MUST_CHECK;

ebb_status ebb_recorder_close(ebb_recorder *rec, ebb_error *err) EBB_MUST_CHECK; /* flushes, frees */
void ebb_recorder_free(ebb_recorder *rec); /* what is in memory only is lost: for a forked copy; NULL is fine */

/* ---- reading ------------------------------------------------------------------------------------ */

typedef struct ebb_recording ebb_recording;

ebb_status ebb_recording_open(const char *path, ebb_recording **out, ebb_error *err) EBB_MUST_CHECK;
ebb_status ebb_recording_open_fd(int fd, ebb_recording **out, ebb_error *err) EBB_MUST_CHECK; /* duplicates fd */
void ebb_recording_free(ebb_recording *r); /* NULL is fine */

/* Looks for blocks that were appended since; opening and reaching the end do it too. */
ebb_status ebb_recording_refresh(ebb_recording *r, ebb_error *err) EBB_MUST_CHECK;

typedef struct ebb_recording_extent {
    uint64_t n_events;
    uint64_t first_timestamp, last_timestamp; /* of events; both 0 if there are none */
    uint64_t nbytes;          /* of the file that are good */
    uint64_t nbytes_unusable; /* after them: an unfinished block, or damage */
    const char *damage;       /* why reading ends before the end of the file; NULL: it doesn't; borrowed */
} ebb_recording_extent;
void ebb_recording_get_extent(const ebb_recording *r, ebb_recording_extent *out);

char *ebb_values_text(ebb_values *v); /* bytes (event.h) as a text: caller frees; up to its first NUL; NULL if bad */

/* Where the next event is read: event `number`; the end is fine. */
ebb_status ebb_recording_seek(ebb_recording *r, uint64_t number, ebb_error *err) EBB_MUST_CHECK;
/* EBB_NO_HISTORY at the end: asking again later finds what was appended meanwhile. */
ebb_status ebb_recording_next(ebb_recording *r, ebb_event *out, ebb_error *err) EBB_MUST_CHECK;
/* The same with all events from here to the end of their block.  Of the bytes of its last ones, those that a cut made void are there too: who
 * reads them counts.  Borrowed until the next call that reads or refreshes. */
ebb_status ebb_recording_next_batch(ebb_recording *r, ebb_event_batch *out, ebb_error *err) EBB_MUST_CHECK;

/* How the program ended: its exit status, or, below 0, the signal that killed it, negated.  False: nobody saw it end.  Moves where the next event is read. */
bool ebb_recording_find_exit(ebb_recording *r, int64_t *how);

/* How far the program is known to have come: the last timestamp, and its place if a mark told it (else 0). */
ebb_position ebb_recording_find_reach(const ebb_recording *r);

/* Sections in the order in which they were written. */
size_t ebb_recording_count_sections(const ebb_recording *r);
ebb_section_kind ebb_recording_section_kind(const ebb_recording *r, size_t i);
/* Into `out`, which is emptied first. */
ebb_status ebb_recording_read_section(ebb_recording *r, size_t i, ebb_buf *out, ebb_error *err) EBB_MUST_CHECK;

/* The whole recording as it is now into a new file, as `ebb_recorder_create` makes one (`save`). */
ebb_status ebb_recording_copy(ebb_recording *r, const char *path, ebb_error *err) EBB_MUST_CHECK;

#endif
