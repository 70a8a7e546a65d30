/* recording_read.c - opening a recording: the index of its blocks, and their contents.
 *
 * The index is made by reading the heads from one to the next; contents are unpacked, and their checksum looked at, when
 * they are needed.  So a file of which a middle block is damaged is good up to there. */
#include "time/recording_read.h"
#include "base/check.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

/* ---- the index ------------------------------------------------------------------------------------ */

static uint64_t count_events(const ebb_recording *r)
{
    if (r->blocks.n == 0)
        return 0;
    const rec_block *last = &r->blocks.items[r->blocks.n - 1];
    return last->first_event + last->n_events;
}

static uint64_t last_timestamp(const ebb_recording *r)
{
    return r->blocks.n ? r->blocks.items[r->blocks.n - 1].last_timestamp : 0;
}

static const char *damage_of_sizes(const rec_head *head)
{
    if (head->raw_nbytes > REC_BLOCK_MAX_BYTES || head->stored_nbytes > head->raw_nbytes)
        return "a block has an impossible length";
    if (head->packing > REC_ZSTD || (head->packing == REC_PLAIN && head->stored_nbytes != head->raw_nbytes))
        return "a block is packed in an unknown way";
    return NULL;
}

static const char *damage_of_events(const ebb_recording *r, const rec_head *head)
{
    if (head->n_events == 0 || head->n_events > head->raw_nbytes) /* an event has at least 3 bytes */
        return "a block has an impossible number of events";
    if (head->first_event != count_events(r))
        return "a block is missing";
    if (head->first_timestamp < last_timestamp(r) || head->last_timestamp < head->first_timestamp) /* RC3 */
        return "a block is out of order";
    return NULL;
}

static const char *damage_of_cut(const ebb_recording *r, const rec_head *head)
{
    return head->first_event > count_events(r) || head->raw_nbytes ? "a cut makes no sense" : NULL;
}

/* NULL: a head of ours that fits after what was read. */
static const char *damage_of_head(const ebb_recording *r, const rec_head *head)
{
    if (head->magic != REC_BLOCK_MAGIC || head->head_checksum != rec_head_checksum(head))
        return "the head of a block is damaged";
    const char *damage = damage_of_sizes(head);
    if (damage)
        return damage;
    switch (head->kind) {
    case REC_BLOCK_EVENTS: return damage_of_events(r, head);
    case REC_BLOCK_CUT: return damage_of_cut(r, head);
    case REC_BLOCK_SECTION: return NULL;
    default: return "a block is of an unknown kind";
    }
}

static rec_stored stored_of(const rec_head *head, uint64_t offset)
{
    return (rec_stored){
        .offset = offset + sizeof *head,
        .stored_nbytes = head->stored_nbytes,
        .raw_nbytes = head->raw_nbytes,
        .packing = head->packing,
        .checksum = head->checksum,
    };
}

static void index_events(ebb_recording *r, const rec_head *head, uint64_t offset)
{
    rec_block block = {
        .stored = stored_of(head, offset),
        .first_event = head->first_event,
        .n_events = head->n_events,
        .first_timestamp = head->first_timestamp,
        .last_timestamp = head->last_timestamp,
    };
    ebb_vec_push(&r->blocks, block);
}

static void index_section(ebb_recording *r, const rec_head *head, uint64_t offset)
{
    rec_section section = {.stored = stored_of(head, offset), .kind = head->section};
    ebb_vec_push(&r->sections, section);
}

static void index_cut(ebb_recording *r, const rec_head *head)
{
    while (r->blocks.n > 0 && r->blocks.items[r->blocks.n - 1].first_event >= head->first_event)
        r->blocks.n--;
    if (r->blocks.n > 0) {
        rec_block *last = &r->blocks.items[r->blocks.n - 1];
        last->n_events = head->first_event - last->first_event;
        if (head->first_timestamp >= last->first_timestamp && head->first_timestamp < last->last_timestamp)
            last->last_timestamp = head->first_timestamp;
    }
    rec_forget_loaded(r); /* its number of events may have changed */
}

static void index_block(ebb_recording *r, const rec_head *head, uint64_t offset)
{
    switch ((rec_block_kind)head->kind) {
    case REC_BLOCK_EVENTS: index_events(r, head, offset); return;
    case REC_BLOCK_SECTION: index_section(r, head, offset); return;
    case REC_BLOCK_CUT: index_cut(r, head); return;
    }
}

ebb_status ebb_recording_refresh(ebb_recording *r, ebb_error *err)
{
    struct stat st;
    if (fstat(r->fd, &st) != 0)
        return ebb_fail_errno(err, "cannot read the recording");
    r->file_nbytes = (uint64_t)st.st_size;
    r->damage = NULL;
    while (r->good_nbytes < r->file_nbytes) {
        rec_head head;
        int64_t got = rec_read_at(r->fd, &head, sizeof head, r->good_nbytes);
        if (got < 0)
            return ebb_fail_errno(err, "cannot read the recording");
        if (got < (int64_t)sizeof head) {
            r->damage = "its last block is unfinished";
            break;
        }
        r->damage = damage_of_head(r, &head);
        if (!r->damage && r->good_nbytes + sizeof head + head.stored_nbytes > r->file_nbytes)
            r->damage = "its last block is unfinished";
        if (r->damage)
            break;
        index_block(r, &head, r->good_nbytes);
        r->good_nbytes += sizeof head + head.stored_nbytes;
    }
    return EBB_OK;
}

/* ---- opening and closing -------------------------------------------------------------------------- */

static ebb_status check_prologue(ebb_recording *r, const char *name, ebb_error *err)
{
    rec_prologue p;
    int64_t got = rec_read_at(r->fd, &p, sizeof p, 0);
    if (got < 0)
        return ebb_fail_errno(err, "cannot read %s", name);
    if (got < (int64_t)sizeof p.magic || memcmp(p.magic, REC_MAGIC, sizeof p.magic) != 0)
        return ebb_fail(err, EBB_BAD_FILE, "%s is not a recording of ebb", name);
    if (got < (int64_t)sizeof p)
        return ebb_fail(err, EBB_BAD_FILE, "%s is a recording that ends before its first block: nothing is in it", name);
    if (p.version != EBB_RECORDING_VERSION)
        return ebb_fail(err, EBB_BAD_FILE, "%s is a recording of version %u; this ebb reads version %d", name, p.version,
                        EBB_RECORDING_VERSION);
    if (p.checksum != rec_prologue_checksum(&p) || p.nbytes != sizeof p)
        return ebb_fail(err, EBB_BAD_FILE, "%s is damaged at its very beginning", name);
    r->good_nbytes = sizeof p;
    return EBB_OK;
}

/* Takes fd. */
static ebb_status open_named(int fd, const char *name, ebb_recording **out, ebb_error *err)
{
    ebb_recording *r = EBB_NEW(ebb_recording);
    r->fd = fd;
    rec_forget_loaded(r);
    struct stat st;
    ebb_status status = EBB_OK;
    if (fstat(fd, &st) != 0)
        status = ebb_fail_errno(err, "cannot read %s", name);
    else if (!S_ISREG(st.st_mode))
        status = ebb_fail(err, EBB_BAD_FILE, "%s is not a regular file, so it is no recording", name);
    if (status == EBB_OK)
        status = check_prologue(r, name, err);
    if (status == EBB_OK)
        status = ebb_recording_refresh(r, err);
    if (status != EBB_OK) {
        ebb_recording_free(r);
        return status;
    }
    *out = r;
    return EBB_OK;
}

ebb_status ebb_recording_open(const char *path, ebb_recording **out, ebb_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO is refused, not waited for */
    if (fd < 0)
        return ebb_fail_errno(err, "cannot open %s", path);
    return open_named(fd, path, out, err);
}

ebb_status ebb_recording_open_fd(int fd, ebb_recording **out, ebb_error *err)
{
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0)
        return ebb_fail_errno(err, "cannot read the recording");
    return open_named(own, "the recording", out, err);
}

void ebb_recording_free(ebb_recording *r)
{
    if (!r)
        return;
    close(r->fd);
    ebb_vec_fini(&r->blocks);
    ebb_vec_fini(&r->sections);
    ebb_buf_fini(&r->loaded);
    free(r);
}

void ebb_recording_get_extent(const ebb_recording *r, ebb_recording_extent *out)
{
    *out = (ebb_recording_extent){
        .n_events = count_events(r),
        .first_timestamp = r->blocks.n ? r->blocks.items[0].first_timestamp : 0,
        .last_timestamp = last_timestamp(r),
        .nbytes = r->good_nbytes,
        .nbytes_unusable = r->file_nbytes - r->good_nbytes,
        .damage = r->damage,
    };
}

/* ---- contents ------------------------------------------------------------------------------------- */

static char *make_room(ebb_buf *buf, size_t nbytes)
{
    if (buf->cap < nbytes + 1) {
        buf->cap = nbytes + 1;
        buf->data = ebb_realloc(buf->data, buf->cap);
    }
    buf->n = nbytes;
    buf->data[nbytes] = 0; /* B1 */
    return buf->data;
}

static ebb_status fail_damaged(const rec_stored *stored, ebb_error *err)
{
    return ebb_fail(err, EBB_BAD_FILE, "the recording is damaged at byte %llu: what is before can still be used",
                    (unsigned long long)stored->offset);
}

static bool unpack(const rec_stored *stored, const char *packed, char *raw)
{
    if (ZSTD_getFrameContentSize(packed, stored->stored_nbytes) != stored->raw_nbytes)
        return false;
    return ZSTD_decompress(raw, stored->raw_nbytes, packed, stored->stored_nbytes) == stored->raw_nbytes;
}

ebb_status rec_load(ebb_recording *r, const rec_stored *stored, ebb_buf *out, ebb_error *err)
{
    ebb_buf packed = {0};
    ebb_buf *first = stored->packing == REC_ZSTD ? &packed : out;
    char *bytes = make_room(first, stored->stored_nbytes);
    int64_t got = rec_read_at(r->fd, bytes, stored->stored_nbytes, stored->offset);
    ebb_status status = EBB_OK;
    if (got < 0)
        status = ebb_fail_errno(err, "cannot read the recording");
    else if (got != stored->stored_nbytes || rec_checksum(bytes, stored->stored_nbytes) != stored->checksum)
        status = fail_damaged(stored, err);
    else if (stored->packing == REC_ZSTD && !unpack(stored, bytes, make_room(out, stored->raw_nbytes)))
        status = fail_damaged(stored, err);
    ebb_buf_fini(&packed);
    return status;
}

size_t ebb_recording_count_sections(const ebb_recording *r)
{
    return r->sections.n;
}

ebb_section_kind ebb_recording_section_kind(const ebb_recording *r, size_t i)
{
    ebb_check(i < r->sections.n);
    return (ebb_section_kind)r->sections.items[i].kind;
}

ebb_status ebb_recording_read_section(ebb_recording *r, size_t i, ebb_buf *out, ebb_error *err)
{
    ebb_check(i < r->sections.n);
    return rec_load(r, &r->sections.items[i].stored, out, err);
}
