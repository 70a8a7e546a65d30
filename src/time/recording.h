/* recording.h - everything that came from outside, in one file.
 *
 * A recording is a stream of *events*, numbered from 0, each with a kind, a timestamp and a few bytes whose meaning is the
 * machine's; and *sections* beside the stream: what was run, what it was made of, the bookmarks.  Both are appended as
 * blocks (recording_format.h has the bytes, docs/recording-format.md the page):
 *
 * RC1  nothing that was written is ever written again: a file that ends anywhere is a recording up to its last whole
 *      block, and may be read while it grows, by any number of processes;
 * RC2  a block reaches the file in one append: events are lost only from the block being filled, which is written when
 *      it has 64 KiB, when an event finds it 100 ms old, and at ebb_recorder_flush;
 * RC3  timestamps never go down along the stream, so a timestamp finds its event by bisection;
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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    EBB_RECORDING_VERSION = 1,
    EBB_EVENT_MAX_BYTES = 32 << 20, /* of one event: longer input is several events */
    EBB_SECTION_MAX_BYTES = 32 << 20,
};

/* What stands beside the events.  A reader passes over those that it doesn't know.  Numbers are the file's: they stay. */
#define EBB_SECTIONS(X)                                                                                           \
    X(EBB_SECTION_ABOUT, 1, "about")       /* what was recorded: recording_about.h */                             \
    X(EBB_SECTION_BOOKMARK, 2, "bookmark") /* one was set or deleted: bookmarks.h */                              \
    X(EBB_SECTION_FILE, 3, "file")         /* a piece of a file that replay needs: recording_files.h */           \
    X(EBB_SECTION_MACHINE, 4, "machine")   /* the machine's own */                                                \
    X(EBB_SECTION_END, 5, "end")           /* how it ended: the machine's own; absent if the end was sudden */

typedef enum ebb_section_kind {
#define X(name, number, word) name = number,
    EBB_SECTIONS(X)
#undef X
} ebb_section_kind;
const char *ebb_section_word(ebb_section_kind kind); /* "unknown" for others */

/* ---- writing ------------------------------------------------------------------------------------ */

typedef struct ebb_recorder ebb_recorder;

/* A new file; one that is there is replaced, if it is a regular file. */
ebb_status ebb_recorder_create(const char *path, ebb_recorder **out, ebb_error *err) EBB_MUST_CHECK;
/* The same in a file that has no name (a memfd, an unlinked file).  Takes `fd`, also on failure; it must be readable and
 * writable, is made to append, and the file empty. */
ebb_status ebb_recorder_create_fd(int fd, ebb_recorder **out, ebb_error *err) EBB_MUST_CHECK;
/* To add to a recording that nobody writes any more; an unfinished block at its end is cut off first. */
ebb_status ebb_recorder_append(const char *path, ebb_recorder **out, ebb_error *err) EBB_MUST_CHECK;

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
void ebb_recorder_text(ebb_recorder *rec, const char *text);                  /* likewise */
ebb_status ebb_recorder_end(ebb_recorder *rec, ebb_error *err) EBB_MUST_CHECK;
/* A whole event of two values, as begin, u64, i64 and end make it, for those that come by the hundred thousand: it looks only now
 * and then how old its block is. */
ebb_status ebb_recorder_pair(ebb_recorder *rec, unsigned kind, uint64_t timestamp, uint64_t first, int64_t second,
                             ebb_error *err) EBB_MUST_CHECK;

/* What is in memory is in the file afterwards. */
ebb_status ebb_recorder_flush(ebb_recorder *rec, ebb_error *err) EBB_MUST_CHECK;
/* Does so if it waited for 100 ms: for a program that is idle, so that no event comes to see it. */
ebb_status ebb_recorder_flush_if_due(ebb_recorder *rec, ebb_error *err) EBB_MUST_CHECK;

/* Events from number `count` on are void, those in memory too; the next event gets that number.  `timestamp` is the time
 * of the cut: no event before it is later. */
ebb_status ebb_recorder_cut(ebb_recorder *rec, uint64_t count, uint64_t timestamp, ebb_error *err) EBB_MUST_CHECK;

/* Written at once, behind the events so far. */
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
    uint64_t nbytes_unusable; /* behind them: an unfinished block, or damage */
    const char *damage;       /* why reading ends before the end of the file; NULL: it doesn't; borrowed */
} ebb_recording_extent;
void ebb_recording_get_extent(const ebb_recording *r, ebb_recording_extent *out);

/* Bytes to take values from.  RC5: asking for more than there is gives 0 and nothing, and sets `is_bad` for good. */
typedef struct ebb_values {
    const uint8_t *at, *end;
    bool is_bad;
} ebb_values;
uint64_t ebb_values_u64(ebb_values *v);
int64_t ebb_values_i64(ebb_values *v);
const uint8_t *ebb_values_bytes(ebb_values *v, size_t *nbytes); /* borrowed from where v points; NULL if bad */
char *ebb_values_text(ebb_values *v); /* caller frees; up to its first NUL; NULL if bad */
bool ebb_values_done(const ebb_values *v); /* all taken and none bad */

typedef struct ebb_event {
    uint64_t number;
    uint64_t timestamp;
    unsigned kind;
    ebb_values values; /* borrowed until the next call that moves the reader */
} ebb_event;

/* Where the next event is read: event `number` (the end is fine), or the first whose timestamp isn't below. */
ebb_status ebb_recording_seek(ebb_recording *r, uint64_t number, ebb_error *err) EBB_MUST_CHECK;
ebb_status ebb_recording_seek_time(ebb_recording *r, uint64_t timestamp, ebb_error *err) EBB_MUST_CHECK;
/* EBB_NO_HISTORY at the end: asking again later finds what was appended meanwhile. */
ebb_status ebb_recording_next(ebb_recording *r, ebb_event *out, ebb_error *err) EBB_MUST_CHECK;

/* Sections in the order in which they were written. */
size_t ebb_recording_count_sections(const ebb_recording *r);
ebb_section_kind ebb_recording_section_kind(const ebb_recording *r, size_t i);
/* Into `out`, which is emptied first. */
ebb_status ebb_recording_read_section(ebb_recording *r, size_t i, ebb_buf *out, ebb_error *err) EBB_MUST_CHECK;

/* The whole recording as it is now into a new file, as `ebb_recorder_create` makes one (`save`). */
ebb_status ebb_recording_copy(ebb_recording *r, const char *path, ebb_error *err) EBB_MUST_CHECK;

#endif
