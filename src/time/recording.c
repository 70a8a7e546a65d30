/* recording.c - the writing side of a recording. */
#include "time/recording.h"
#include "base/check.h"
#include "base/mem.h"
#include "time/recording_format.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

/* Recording has to cost next to nothing: the fastest level, whose gain on such data is most of what there is to gain. */
enum { PACKING_LEVEL = 1 };

struct ebb_recorder {
    int fd;
    uint64_t count;          /* of events, those in `block` among them */
    uint64_t last_timestamp; /* RC3 */
    uint64_t nbytes_written;

    ebb_buf event; /* the values of the event between begin and end */
    unsigned event_kind;
    uint64_t event_timestamp;
    bool in_event;

    ebb_buf block; /* whole events that are in no file yet */
    uint32_t block_n_events;
    uint64_t block_first_timestamp;
    int64_t block_began_ms;

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

/* Takes the beginning of a block that did not fit back out, unless somebody appended behind it: RC1 holds either way, but
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

/* The stored form of `raw` behind a head in rec->out; compressed where that helps. */
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
    size_t n = nbytes ? ZSTD_compressCCtx(rec->packer, stored, bound, raw, nbytes, PACKING_LEVEL) : 0;
    head->packing = REC_ZSTD;
    if (nbytes == 0 || ZSTD_isError(n) || n >= nbytes) {
        head->packing = REC_PLAIN;
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
    return rec;
}

void ebb_recorder_free(ebb_recorder *rec)
{
    if (!rec)
        return;
    close(rec->fd);
    ZSTD_freeCCtx(rec->packer);
    ebb_buf_fini(&rec->event);
    ebb_buf_fini(&rec->block);
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
    return ebb_recorder_create_fd(fd, out, err);
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
    rec->last_timestamp = extent.last_timestamp;
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

void ebb_recorder_begin(ebb_recorder *rec, unsigned kind, uint64_t timestamp)
{
    ebb_check(!rec->in_event && kind <= UINT16_MAX);
    ebb_check(timestamp >= rec->last_timestamp); /* RC3 */
    rec->in_event = true;
    rec->event_kind = kind;
    rec->event_timestamp = timestamp;
    ebb_buf_truncate(&rec->event, 0);
}

void ebb_recorder_u64(ebb_recorder *rec, uint64_t value)
{
    ebb_check(rec->in_event);
    rec_add_varint(&rec->event, value);
}

/* 0, -1, 1, -2, ... become 0, 1, 2, 3, ... */
static inline uint64_t folded(int64_t value)
{
    return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}

void ebb_recorder_i64(ebb_recorder *rec, int64_t value)
{
    ebb_recorder_u64(rec, folded(value));
}

void ebb_recorder_bytes(ebb_recorder *rec, const void *bytes, size_t nbytes)
{
    ebb_recorder_u64(rec, nbytes);
    if (nbytes)
        ebb_buf_add(&rec->event, bytes, nbytes);
}

void ebb_recorder_text(ebb_recorder *rec, const char *text)
{
    ebb_recorder_bytes(rec, text, strlen(text));
}

static void begin_block(ebb_recorder *rec, uint64_t timestamp)
{
    rec->block_first_timestamp = rec->last_timestamp = timestamp;
    rec->block_began_ms = now_ms();
}

static void add_to_block(ebb_recorder *rec)
{
    if (rec->block_n_events == 0)
        begin_block(rec, rec->event_timestamp);
    rec_add_varint(&rec->block, rec->event_kind);
    rec_add_varint(&rec->block, rec->event_timestamp - rec->last_timestamp);
    rec_add_varint(&rec->block, rec->event.n);
    ebb_buf_add(&rec->block, rec->event.data, rec->event.n);
    rec->last_timestamp = rec->event_timestamp;
    rec->block_n_events++;
    rec->count++;
}

ebb_status ebb_recorder_end(ebb_recorder *rec, ebb_error *err)
{
    ebb_check(rec->in_event && rec->event.n <= EBB_EVENT_MAX_BYTES);
    rec->in_event = false;
    ebb_status status = check_working(rec, err);
    if (status != EBB_OK)
        return status;
    add_to_block(rec);
    return rec->block.n >= REC_FLUSH_BYTES ? ebb_recorder_flush(rec, err) : ebb_recorder_flush_if_due(rec, err);
}

static inline uint8_t *put_varint(uint8_t *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
}

ebb_status ebb_recorder_pair(ebb_recorder *rec, unsigned kind, uint64_t timestamp, uint64_t first, int64_t second, ebb_error *err)
{
    enum { LOOK_EVERY = 64 };
    uint8_t bytes[5 * REC_VARINT_MAX_BYTES], *at = bytes;
    ebb_check(!rec->in_event && kind <= UINT16_MAX && timestamp >= rec->last_timestamp); /* RC3 */
    if (rec->has_failed)
        return check_working(rec, err);
    if (rec->block_n_events == 0)
        begin_block(rec, timestamp);
    at = put_varint(at, kind);
    at = put_varint(at, timestamp - rec->last_timestamp);
    uint8_t *length = at++, *values = at; /* one byte: two varints are shorter than 128 */
    at = put_varint(at, first);
    at = put_varint(at, folded(second));
    *length = (uint8_t)(at - values);
    ebb_buf_add(&rec->block, bytes, (size_t)(at - bytes));
    rec->last_timestamp = timestamp;
    rec->block_n_events++;
    rec->count++;
    if (rec->block.n >= REC_FLUSH_BYTES)
        return ebb_recorder_flush(rec, err);
    return rec->block_n_events % LOOK_EVERY == 0 ? ebb_recorder_flush_if_due(rec, err) : EBB_OK;
}

static void empty_block(ebb_recorder *rec)
{
    ebb_buf_truncate(&rec->block, 0);
    rec->block_n_events = 0;
}

ebb_status ebb_recorder_flush(ebb_recorder *rec, ebb_error *err)
{
    ebb_check(!rec->in_event);
    ebb_status status = check_working(rec, err);
    if (status != EBB_OK || rec->block_n_events == 0)
        return status;
    rec_head head = {
        .kind = REC_BLOCK_EVENTS,
        .first_event = rec->count - rec->block_n_events,
        .n_events = rec->block_n_events,
        .first_timestamp = rec->block_first_timestamp,
        .last_timestamp = rec->last_timestamp,
    };
    status = write_block(rec, head, rec->block.data, rec->block.n, err);
    if (status != EBB_OK)
        rec->count -= rec->block_n_events;
    empty_block(rec);
    return status;
}

ebb_status ebb_recorder_flush_if_due(ebb_recorder *rec, ebb_error *err)
{
    bool is_due = rec->block_n_events > 0 && now_ms() - rec->block_began_ms >= REC_FLUSH_MS;
    return is_due ? ebb_recorder_flush(rec, err) : check_working(rec, err);
}

ebb_status ebb_recorder_cut(ebb_recorder *rec, uint64_t count, uint64_t timestamp, ebb_error *err)
{
    ebb_check(!rec->in_event);
    empty_block(rec);
    ebb_status status = check_working(rec, err);
    if (status != EBB_OK)
        return status;
    rec_head head = {.kind = REC_BLOCK_CUT, .first_event = count, .first_timestamp = timestamp};
    status = write_block(rec, head, NULL, 0, err);
    if (status == EBB_OK) {
        rec->count = count;
        rec->last_timestamp = timestamp;
    }
    return status;
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
