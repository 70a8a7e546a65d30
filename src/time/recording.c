/* recording.c - the writing side of a recording. */
#include "time/recording.h"
#include "base/check.h"
#include "base/mem.h"
#include "time/recording_format.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

/* Recording has to cost next to nothing: the fastest level, whose gain on such data is most of what there is to gain. */
enum { PACKING_LEVEL = 1 };

/* A block is written when it has REC_FLUSH_BYTES: until then most events fit without asking for memory. */
enum { BUFFER_BYTES = REC_FLUSH_BYTES + 4096 };

struct ebb_recorder {
    int fd;
    uint64_t count; /* of events, those in `events` among them */
    uint64_t nbytes_written;
    uint64_t nbytes_plain; /* before so many, nothing is packed */

    ebb_event_writer events; /* whole ones that are in no file yet, and one between begin and end; its buffer is ours */
    int64_t block_began_ms;  /* when the first of them came */

    ebb_buf out; /* a block as it goes to the file */
    ZSTD_CCtx *packer;
    bool has_failed;
    ebb_error failure; /* has_failed: why */
};

/* ---- to the file ---------------------------------------------------------------------------------- */

static ebb_status fail_for_good(ebb_recorder *rec, ebb_error *err, const char *what)
{
    rec->has_failed = true;
    ebb_fail_errno(&rec->failure, "%s", what);
    return ebb_fail(err, rec->failure.status, "%s", rec->failure.text);
}

static ebb_status check_working(const ebb_recorder *rec, ebb_error *err)
{
    return rec->has_failed ? ebb_fail(err, rec->failure.status, "%s", rec->failure.text) : EBB_OK;
}

/* Takes the beginning of a block that did not fit back out, unless somebody appended after it: RC1 holds either way, but
 * without this nobody could append a section later. */
static void drop_partial(int fd, size_t nbytes)
{
    off_t end = lseek(fd, 0, SEEK_CUR);
    struct stat st;
    if (end >= (off_t)nbytes && fstat(fd, &st) == 0 && st.st_size == end && ftruncate(fd, end - (off_t)nbytes) != 0)
        return; /* a reader passes over the rest as an unfinished block */
}

/* RC2: one append. */
static ebb_status append(ebb_recorder *rec, const void *bytes, size_t nbytes, ebb_error *err)
{
    size_t n = 0;
    while (n < nbytes) {
        ssize_t put = write(rec->fd, (const char *)bytes + n, nbytes - n);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            int why = put < 0 ? errno : ENOSPC;
            drop_partial(rec->fd, n);
            errno = why;
            return fail_for_good(rec, err, "cannot write the recording, which ends here");
        }
        n += (size_t)put;
    }
    rec->nbytes_written += nbytes;
    return EBB_OK;
}

/* How many bytes it has then; 0: it is better left as it is. */
static size_t compress(ebb_recorder *rec, char *stored, size_t room, const void *raw, size_t nbytes)
{
    if (nbytes == 0 || rec->nbytes_written < rec->nbytes_plain)
        return 0;
    size_t n = ZSTD_compressCCtx(rec->packer, stored, room, raw, nbytes, PACKING_LEVEL);
    return ZSTD_isError(n) || n >= nbytes ? 0 : n;
}

/* The stored form of `raw` after a head in rec->out; compressed where that helps. */
static void pack(ebb_recorder *rec, rec_head *head, const void *raw, size_t nbytes)
{
    size_t bound = ZSTD_compressBound(nbytes);
    ebb_buf_truncate(&rec->out, 0);
    ebb_buf_add(&rec->out, head, sizeof *head);
    if (rec->out.cap < sizeof *head + bound + 1) {
        rec->out.cap = sizeof *head + bound + 1;
        rec->out.data = ebb_realloc(rec->out.data, rec->out.cap);
    }
    char *stored = rec->out.data + sizeof *head;
    size_t n = compress(rec, stored, bound, raw, nbytes);
    head->packing = n ? REC_ZSTD : REC_PLAIN;
    if (!n) {
        n = nbytes;
        if (nbytes)
            memcpy(stored, raw, nbytes);
    }
    head->raw_nbytes = (uint32_t)nbytes;
    head->stored_nbytes = (uint32_t)n;
    head->checksum = rec_checksum(stored, n);
    rec->out.n = sizeof *head + n;
}

static ebb_status write_block(ebb_recorder *rec, rec_head head, const void *raw, size_t nbytes, ebb_error *err)
{
    ebb_check(nbytes <= REC_BLOCK_MAX_BYTES);
    head.magic = REC_BLOCK_MAGIC;
    pack(rec, &head, raw, nbytes);
    head.head_checksum = rec_head_checksum(&head);
    memcpy(rec->out.data, &head, sizeof head);
    return append(rec, rec->out.data, rec->out.n, err);
}

static ebb_status write_prologue(ebb_recorder *rec, ebb_error *err)
{
    rec_prologue p = {.magic = REC_MAGIC, .version = EBB_RECORDING_VERSION, .nbytes = sizeof p};
    p.checksum = rec_prologue_checksum(&p);
    return append(rec, &p, sizeof p, err);
}

/* ---- opening and closing -------------------------------------------------------------------------- */

static ebb_recorder *recorder_new(int fd)
{
    ebb_recorder *rec = EBB_NEW(ebb_recorder);
    rec->fd = fd;
    rec->packer = ZSTD_createCCtx();
    ebb_check(rec->packer);
    ebb_event_writer_init(&rec->events, ebb_alloc(BUFFER_BYTES), BUFFER_BYTES, 0);
    return rec;
}

void ebb_recorder_pack_after(ebb_recorder *rec, uint64_t nbytes)
{
    rec->nbytes_plain = nbytes;
}

void ebb_recorder_free(ebb_recorder *rec)
{
    if (!rec)
        return;
    close(rec->fd);
    ZSTD_freeCCtx(rec->packer);
    free(rec->events.start);
    ebb_buf_fini(&rec->out);
    free(rec);
}

ebb_status ebb_recorder_create_fd(int fd, ebb_recorder **out, ebb_error *err)
{
    ebb_recorder *rec = recorder_new(fd);
    int flags = fcntl(fd, F_GETFL);
    ebb_status status = flags < 0 || fcntl(fd, F_SETFL, flags | O_APPEND) < 0
                            ? ebb_fail_errno(err, "cannot write a recording")
                            : write_prologue(rec, err);
    if (status != EBB_OK) {
        ebb_recorder_free(rec);
        return status;
    }
    *out = rec;
    return EBB_OK;
}

ebb_status rec_check_replaceable(const char *path, ebb_error *err)
{
    struct stat st;
    if (lstat(path, &st) != 0)
        return errno == ENOENT ? EBB_OK : ebb_fail_errno(err, "cannot write %s", path);
    if (!S_ISREG(st.st_mode))
        return ebb_fail(err, EBB_BAD_INPUT, "%s is not a regular file: a recording needs a file of its own", path);
    return EBB_OK;
}

ebb_status ebb_recorder_create(const char *path, ebb_recorder **out, ebb_error *err)
{
    ebb_status status = rec_check_replaceable(path, err);
    if (status != EBB_OK)
        return status;
    /* An old file goes away rather than being emptied: who reads it keeps it (RC1). */
    if (unlink(path) != 0 && errno != ENOENT)
        return ebb_fail_errno(err, "cannot replace %s", path);
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600); /* RC4 */
    if (fd < 0)
        return ebb_fail_errno(err, "cannot write %s", path);
    status = ebb_recorder_create_fd(fd, out, err);
    if (status != EBB_OK)
        unlink(path); /* it is new, and nobody could open it */
    return status;
}

char *ebb_recording_temporary_path(void)
{
    static unsigned count;
    const char *dir = getenv("TMPDIR");
    return ebb_asprintf("%s/ebb-recording-%d-%u", dir == NULL || *dir == '\0' ? "/tmp" : dir, (int)getpid(), ++count);
}

ebb_status ebb_recorder_append(const char *path, ebb_recorder **out, ebb_error *err)
{
    ebb_recording *old;
    ebb_status status = ebb_recording_open(path, &old, err);
    if (status != EBB_OK)
        return status;
    ebb_recording_extent extent;
    ebb_recording_get_extent(old, &extent);
    ebb_recording_free(old);
    int fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
    if (fd < 0)
        return ebb_fail_errno(err, "cannot add to %s", path);
    if (extent.nbytes_unusable > 0 && ftruncate(fd, (off_t)extent.nbytes) != 0) {
        status = ebb_fail_errno(err, "cannot add to %s", path);
        close(fd);
        return status;
    }
    ebb_recorder *rec = recorder_new(fd);
    rec->count = extent.n_events;
    rec->events.timestamp = extent.last_timestamp;
    *out = rec;
    return EBB_OK;
}

ebb_status ebb_recorder_close(ebb_recorder *rec, ebb_error *err)
{
    ebb_status status = ebb_recorder_flush(rec, err);
    ebb_recorder_free(rec);
    return status;
}

int ebb_recorder_get_fd(const ebb_recorder *rec)
{
    return rec->fd;
}

uint64_t ebb_recorder_get_count(const ebb_recorder *rec)
{
    return rec->count;
}

uint64_t ebb_recorder_get_nbytes(const ebb_recorder *rec)
{
    return rec->nbytes_written;
}

/* ---- events --------------------------------------------------------------------------------------- */

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now); /* a few nanoseconds; good to some milliseconds */
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool is_in_event(const ebb_recorder *rec) { return rec->events.event != NULL; }

static __attribute__((noinline)) void grow(ebb_recorder *rec, size_t nbytes)
{
    ebb_event_writer *w = &rec->events;
    size_t used = (size_t)(w->at - w->start), has = (size_t)(w->end - w->start);
    size_t wants = used + nbytes > 2 * has ? used + nbytes : 2 * has;
    uint8_t *buffer = ebb_alloc(wants);
    memcpy(buffer, w->start, used);
    uint8_t *old = w->start;
    ebb_event_writer_move(w, buffer, wants);
    free(old);
}

/* The writer is never full: EN1 does not concern who calls us. */
static inline void make_room(ebb_recorder *rec, size_t nbytes)
{
    if (__builtin_expect(ebb_event_writer_room(&rec->events) < nbytes, 0))
        grow(rec, nbytes);
}

/* Before an event of that time. */
static inline void prepare(ebb_recorder *rec, uint64_t timestamp, size_t nbytes)
{
    make_room(rec, nbytes);
    if (rec->events.n_events == 0) {
        rec->events.base = rec->events.timestamp = timestamp;
        rec->block_began_ms = now_ms();
    }
}

void ebb_recorder_begin(ebb_recorder *rec, unsigned kind, uint64_t timestamp)
{
    ebb_check(!is_in_event(rec) && kind <= EBB_EVENT_MAX_KIND && timestamp >= rec->events.timestamp); /* RC3 */
    prepare(rec, timestamp, EBB_EVENT_HEAD_MAX_BYTES);
    ebb_event_begin(&rec->events, kind, timestamp);
}

void ebb_recorder_u64(ebb_recorder *rec, uint64_t value)
{
    ebb_check(is_in_event(rec));
    make_room(rec, EBB_VARINT_MAX_BYTES);
    ebb_event_u64(&rec->events, value);
}

void ebb_recorder_i64(ebb_recorder *rec, int64_t value) { ebb_recorder_u64(rec, ebb_fold(value)); }

void ebb_recorder_bytes(ebb_recorder *rec, const void *bytes, size_t nbytes)
{
    ebb_check(is_in_event(rec));
    make_room(rec, EBB_VARINT_MAX_BYTES + nbytes);
    ebb_event_bytes(&rec->events, bytes, nbytes);
}

static size_t block_nbytes(const ebb_recorder *rec) { return (size_t)(rec->events.at - rec->events.start); }

ebb_status ebb_recorder_end(ebb_recorder *rec, ebb_error *err)
{
    ebb_check(is_in_event(rec) && rec->events.at - rec->events.values <= EBB_EVENT_MAX_BYTES);
    if (rec->has_failed) {
        ebb_event_drop(&rec->events);
        return check_working(rec, err);
    }
    make_room(rec, EBB_VARINT_MAX_BYTES);
    ebb_check(ebb_event_end(&rec->events));
    rec->count++;
    return block_nbytes(rec) >= REC_FLUSH_BYTES ? ebb_recorder_flush(rec, err) : ebb_recorder_flush_if_due(rec, err);
}

ebb_status ebb_recorder_pair(ebb_recorder *rec, unsigned kind, uint64_t timestamp, uint64_t first, int64_t second, ebb_error *err)
{
    enum { LOOK_EVERY = 64 };
    ebb_check(!is_in_event(rec) && kind <= EBB_EVENT_MAX_KIND && timestamp >= rec->events.timestamp); /* RC3 */
    if (rec->has_failed)
        return check_working(rec, err);
    prepare(rec, timestamp, EBB_EVENT_PAIR_MAX_BYTES);
    ebb_event_pair(&rec->events, kind, timestamp, first, second);
    rec->count++;
    if (block_nbytes(rec) >= REC_FLUSH_BYTES)
        return ebb_recorder_flush(rec, err);
    return rec->events.n_events % LOOK_EVERY == 0 ? ebb_recorder_flush_if_due(rec, err) : EBB_OK;
}

/* ---- events that somebody else wrote -------------------------------------------------------------- */

static ebb_status check_batch(const ebb_recorder *rec, const ebb_event_batch *batch, ebb_error *err)
{
    ebb_values v = {.at = batch->bytes, .end = batch->bytes + batch->nbytes};
    ebb_event e = {.timestamp = batch->base};
    uint64_t n = 0;
    if (batch->nbytes > EBB_BATCH_MAX_BYTES)
        return ebb_fail(err, EBB_BAD_INPUT, "%zu bytes of events are too many at once", batch->nbytes);
    for (; v.at < v.end; n++)
        if (!ebb_event_parse(&v, e.timestamp, &e) || (n == 0 && e.timestamp < rec->events.timestamp)) /* RC3 */
            return ebb_fail(err, EBB_BAD_INPUT, "event %llu of those that were handed over makes no sense", (unsigned long long)n);
    if (n != batch->n_events || e.timestamp != batch->timestamp)
        return ebb_fail(err, EBB_BAD_INPUT, "%llu events were handed over where %llu were announced", (unsigned long long)n,
                        (unsigned long long)batch->n_events);
    return EBB_OK;
}

/* Only the first of them says something that depends on what was before. */
static void add_batch(ebb_recorder *rec, const ebb_event_batch *batch)
{
    ebb_values v = {.at = batch->bytes, .end = batch->bytes + batch->nbytes};
    unsigned kind = (unsigned)ebb_values_u64(&v);
    uint64_t timestamp = batch->base + ebb_values_u64(&v);
    prepare(rec, timestamp, EBB_EVENT_HEAD_MAX_BYTES + batch->nbytes);
    ebb_event_writer *w = &rec->events;
    w->at = ebb_put_varint(ebb_put_varint(w->at, kind), timestamp - w->timestamp);
    memcpy(w->at, v.at, (size_t)(v.end - v.at));
    w->at += v.end - v.at;
    w->timestamp = batch->timestamp;
    w->n_events += batch->n_events;
    rec->count += batch->n_events;
}

ebb_status ebb_recorder_add(ebb_recorder *rec, const ebb_event_batch *batch, ebb_error *err)
{
    ebb_check(!is_in_event(rec));
    EBB_TRY(check_working(rec, err));
    EBB_TRY(check_batch(rec, batch, err));
    if (batch->n_events == 0)
        return EBB_OK;
    add_batch(rec, batch);
    return block_nbytes(rec) >= REC_FLUSH_BYTES ? ebb_recorder_flush(rec, err) : ebb_recorder_flush_if_due(rec, err);
}

/* ---- blocks --------------------------------------------------------------------------------------- */

ebb_status ebb_recorder_flush(ebb_recorder *rec, ebb_error *err)
{
    ebb_check(!is_in_event(rec));
    ebb_event_batch events = ebb_event_writer_batch(&rec->events);
    ebb_status status = check_working(rec, err);
    if (status != EBB_OK || events.n_events == 0)
        return status;
    rec_head head = {
        .kind = REC_BLOCK_EVENTS,
        .first_event = rec->count - events.n_events,
        .n_events = (uint32_t)events.n_events,
        .first_timestamp = events.base,
        .last_timestamp = events.timestamp,
    };
    status = write_block(rec, head, events.bytes, events.nbytes, err);
    if (status != EBB_OK)
        rec->count -= events.n_events;
    ebb_event_writer_next(&rec->events);
    return status;
}

ebb_status ebb_recorder_mark(ebb_recorder *rec, ebb_position at, ebb_error *err)
{
    ebb_recorder_begin(rec, EBB_EVENT_MARK, at.timestamp);
    if (at.place != 0)
        ebb_recorder_u64(rec, at.place);
    EBB_TRY(ebb_recorder_end(rec, err));
    return ebb_recorder_flush(rec, err);
}

ebb_status ebb_recorder_flush_if_due(ebb_recorder *rec, ebb_error *err)
{
    bool is_due = rec->events.n_events > 0 && now_ms() - rec->block_began_ms >= REC_FLUSH_MS;
    return is_due ? ebb_recorder_flush(rec, err) : check_working(rec, err);
}

/* That of a copy may be for reading only. */
static ebb_status make_writable(ebb_recorder *rec, ebb_error *err)
{
    char path[64];
    int flags = fcntl(rec->fd, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) == O_RDWR)
        return EBB_OK;
    snprintf(path, sizeof path, "/proc/self/fd/%d", rec->fd);
    int own = open(path, O_RDWR | O_APPEND | O_CLOEXEC);
    if (own < 0 || dup3(own, rec->fd, O_CLOEXEC) < 0)
        return ebb_fail_errno(err, "can't go on recording");
    close(own);
    return EBB_OK;
}

ebb_status ebb_recorder_cut(ebb_recorder *rec, uint64_t count, uint64_t timestamp, ebb_error *err)
{
    ebb_check(!is_in_event(rec));
    ebb_event_writer_next(&rec->events);
    EBB_TRY(check_working(rec, err));
    EBB_TRY(make_writable(rec, err));
    rec_head head = {.kind = REC_BLOCK_CUT, .first_event = count, .first_timestamp = timestamp};
    EBB_TRY(write_block(rec, head, NULL, 0, err));
    rec->count = count;
    rec->events.timestamp = timestamp;
    return EBB_OK;
}

ebb_status ebb_recorder_section(ebb_recorder *rec, ebb_section_kind kind, const void *bytes, size_t nbytes, ebb_error *err)
{
    ebb_check(nbytes <= EBB_SECTION_MAX_BYTES);
    ebb_status status = ebb_recorder_flush(rec, err);
    if (status != EBB_OK)
        return status;
    rec_head head = {.kind = REC_BLOCK_SECTION, .section = (uint16_t)kind};
    return write_block(rec, head, bytes, nbytes, err);
}
