/* record_files.c - what a write is about to lose in a file goes into the recording (time/journal.h); other changes of files are left to ebb, which is told
 * before the call (vm/files.h). */
#include "x86/inside/record.h"
#include "x86/inside/links.h"
#include "x86/inside/sys.h"
#include "time/journal_what.h"
#include "x86/ring.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>

enum { PIECE = 32 << 10 };

static x86_ring *keeping_ring(const x86_tcb *tcb)
{
    x86_ring *ring = (x86_ring *)((const x86_runtime *)tcb->runtime)->ring;
    return ring && !ring->ended && ring->keeps ? ring : NULL;
}

/* ---- what is left to ebb ---------------------------------------------------------------------- */

static bool read_word(void *self, uint64_t at, uint64_t *word)
{
    return x86_sys_peek(word, at, sizeof *word) == sizeof *word;
}

static bool makes_file(const uint64_t *r)
{
    uint64_t flags, arguments[X86_N_ARGUMENTS];
    for (unsigned k = 1; k <= X86_N_ARGUMENTS; k++)
        arguments[k - 1] = r[x86_argument_register(k)];
    return x86_call_flags(r[X86_RAX], arguments, read_word, NULL, &flags) && (flags & (O_CREAT | O_TRUNC));
}

/* The bytes of a plain write; NULL: it is none. */
static const x86_pointer *written_by(uint64_t number)
{
    const x86_call_row *row = x86_call_row_of(number);
    return row && row->files == X86_FILES_WRITES ? x86_call_source(row) : NULL;
}

/* What was last written to: asking for a name takes longer than all else, and asking where a write goes longer than the write. */
typedef struct target {
    uint32_t fd;
    bool is_known;  /* what the descriptor is, since nobody can have changed it: */
    bool is_ours;   /* a file that is looked after */
    bool is_placed; /* where the next write goes, since nothing can have happened but writes of the only thread */
    bool appends;
    uint64_t device, file, at, size;
    size_t nbytes;  /* of its name, with the zero at its end; 0: that may be another one now */
    char path[X86_LINK_BYTES + 1];
} target;

enum { N_TARGETS = 8 };
static target targets[N_TARGETS];
static target *written_to; /* by the call that is being made; NULL: it is no such call */
static bool has_copies;    /* a descriptor was copied at some time: another one may move its offset */

static target *target_of(uint64_t fd)
{
    return &targets[(uint32_t)fd % N_TARGETS];
}

static void forget_all(bool names)
{
    for (target *t = targets; t < targets + N_TARGETS; t++) {
        t->is_known = t->is_placed = false;
        if (names)
            t->nbytes = 0;
    }
}

static bool changes_names(const x86_call_row *row, const x86_tcb *tcb)
{
    switch (row->files) {
    case X86_FILES_WRITES: return !written_by(tcb->regs[X86_RAX]);
    case X86_FILES_CREATES: return makes_file(tcb->regs);
    case X86_FILES_TRUNCATES:
    case X86_FILES_RENAMES:
    case X86_FILES_REMOVES:
    case X86_FILES_LINKS:
    case X86_FILES_ATTRIBUTES:
    case X86_FILES_OWNERS: return true;
    default: return false;
    }
}

bool x86_files_are_ebbs(const x86_tcb *tcb)
{
    const x86_call_row *row = x86_call_row_of(tcb->regs[X86_RAX]);
    bool are_ebbs = row && keeping_ring(tcb) && changes_names(row, tcb);
    if (are_ebbs)
        forget_all(true);
    return are_ebbs;
}

/* ---- writes ----------------------------------------------------------------------------------- */

/* Bytes of a file that are about to be overwritten. */
typedef struct written {
    x86_ring *ring;
    uint64_t time;
    const char *path; /* with the zero at its end */
    size_t path_nbytes;
    uint64_t size;    /* of the file */
} written;

static void put(const written *w, uint64_t at, const void *bytes, size_t nbytes)
{
    ebb_event_writer e;
    if (!x86_ring_begin(w->ring, EBB_EVENT_PAIR_MAX_BYTES + 4 * EBB_VARINT_MAX_BYTES + w->path_nbytes + nbytes, &e))
        return;
    ebb_event_begin(&e, EBB_EVENT_FILE, w->time);
    ebb_event_u64(&e, EBB_JOURNAL_BYTES);
    ebb_event_bytes(&e, w->path, w->path_nbytes);
    ebb_event_u64(&e, w->size);
    ebb_event_u64(&e, at);
    ebb_event_bytes(&e, bytes, nbytes);
    ebb_event_end(&e);
    x86_ring_end(w->ring, &e);
}

/* What is there can't be read: it is named. */
static void put_lost(const written *w)
{
    ebb_event_writer e;
    if (!x86_ring_begin(w->ring, EBB_EVENT_PAIR_MAX_BYTES + EBB_VARINT_MAX_BYTES + w->path_nbytes, &e))
        return;
    ebb_event_begin(&e, EBB_EVENT_FILE, w->time);
    ebb_event_u64(&e, EBB_JOURNAL_LOST);
    ebb_event_bytes(&e, w->path, w->path_nbytes);
    ebb_event_end(&e);
    x86_ring_end(w->ring, &e);
}

/* By way of a descriptor of its own, as the program's may be for writing only. */
static void put_overwritten(const written *w, uint64_t at, uint64_t nbytes)
{
    static uint8_t bytes[PIECE]; /* whoever has the turn uses it */
    long fd = x86_sys6(SYS_open, (long)w->path, O_RDONLY | O_CLOEXEC, 0, 0, 0, 0);
    for (uint64_t end = at + nbytes; fd >= 0 && at < end;) {
        long n = x86_sys6(SYS_pread64, fd, (long)bytes, (long)(end - at < PIECE ? end - at : PIECE), (long)at, 0, 0);
        if (n <= 0)
            break;
        put(w, at, bytes, (size_t)n);
        at += (uint64_t)n;
    }
    if (fd >= 0)
        x86_sys6(SYS_close, fd, 0, 0, 0, 0, 0);
    else
        put_lost(w);
}

static uint64_t vector_nbytes(uint64_t vector, uint64_t n)
{
    struct iovec one;
    uint64_t nbytes = 0;
    for (uint64_t i = 0; i < n && x86_sys_peek(&one, vector + i * sizeof one, sizeof one) == sizeof one; i++)
        nbytes += one.iov_len;
    return nbytes;
}

/* Writes to a place that it names, *at, and leaves the descriptor where it stands. */
static bool is_placed(const uint64_t *r, uint64_t *at)
{
    const uint64_t arguments[X86_N_ARGUMENTS] = {r[X86_RDI], r[X86_RSI], r[X86_RDX], r[10], r[8], r[9]};
    return x86_call_is_placed(x86_call_row_of(r[X86_RAX]), arguments, at);
}

static bool appends(uint64_t fd)
{
    return x86_sys6(SYS_fcntl, (long)fd, F_GETFL, 0, 0, 0, 0) & O_APPEND;
}

static uint64_t place_of(const target *t, const uint64_t *r)
{
    if (t->appends)
        return t->size;
    uint64_t placed;
    long at = is_placed(r, &placed) ? (long)placed : x86_sys6(SYS_lseek, (long)t->fd, 0, SEEK_CUR, 0, 0, 0);
    return at < 0 ? 0 : (uint64_t)at;
}

static bool is_shared_with_ebb(const x86_ring *ring, const struct stat *st)
{
    for (unsigned i = 0; i < X86_RING_STREAMS; i++)
        if (ring->streams[i].device == st->st_dev && ring->streams[i].file == st->st_ino)
            return true;
    return false;
}

static void name_file(target *t, const struct stat *st)
{
    if (t->nbytes && t->device == st->st_dev && t->file == st->st_ino)
        return;
    t->device = st->st_dev, t->file = st->st_ino;
    t->nbytes = x86_link_of_fd((long)t->fd, t->path) + 1;
    t->path[t->nbytes - 1] = '\0';
}

/* A call that is none of the writes below: what it may have done to descriptors. */
static void look_at(const x86_tcb *tcb)
{
    const x86_call_row *row = x86_call_row_of(tcb->regs[X86_RAX]);
    uint8_t fds = row ? row->fds : X86_FDS_SETS;
    bool is_about_one = tcb->regs[X86_RAX] == SYS_close || (row && fds == X86_FDS_OFFSET && row->files == X86_FILES_NONE);
    has_copies |= fds == X86_FDS_COPIES;
    if (is_about_one && !has_copies)
        target_of(tcb->regs[X86_RDI])->is_known = target_of(tcb->regs[X86_RDI])->is_placed = false;
    else if (fds != X86_FDS_NONE || row->files != X86_FILES_NONE)
        forget_all(false);
}

/* Nobody else can have moved it: no other thread, and no process that was made. */
static bool is_alone(const x86_tcb *tcb)
{
    const x86_runtime *runtime = (const x86_runtime *)tcb->runtime;
    return runtime->n_threads == 1 && !runtime->has_forked;
}

/* The same file by another descriptor may be longer now. */
static void forget_others(const target *t)
{
    for (target *o = targets; o < targets + N_TARGETS; o++)
        if (o != t && o->device == t->device && o->file == t->file)
            o->is_placed = false;
}

static void ask_about(target *t, const x86_ring *ring, const uint64_t *r)
{
    struct stat st;
    uint32_t fd = (uint32_t)r[X86_RDI];
    if (t->fd != fd)
        t->nbytes = 0;
    t->fd = fd;
    t->is_known = x86_sys6(SYS_fstat, (long)fd, (long)&st, 0, 0, 0, 0) == 0;
    t->is_ours = t->is_known && S_ISREG(st.st_mode) && !is_shared_with_ebb(ring, &st);
    if (!t->is_ours)
        return;
    name_file(t, &st);
    t->size = (uint64_t)st.st_size;
    t->appends = appends(fd);
    t->at = place_of(t, r);
}

void x86_files_before(x86_tcb *tcb)
{
    const uint64_t *r = tcb->regs;
    x86_ring *ring = keeping_ring(tcb);
    target *t = target_of(r[X86_RDI]);
    uint64_t placed;
    written_to = NULL;
    if (!ring)
        return;
    const x86_pointer *source = written_by(r[X86_RAX]);
    if (!source) {
        look_at(tcb);
        return;
    }
    bool is_known = t->is_known && t->fd == (uint32_t)r[X86_RDI];
    if (!is_known || (t->is_ours && (!t->is_placed || is_placed(r, &placed) || !t->nbytes)))
        ask_about(t, ring, r);
    t->is_placed = false;
    if (!t->is_ours)
        return;
    forget_others(t);
    written_to = t;
    uint64_t nbytes = source->size == X86_SIZE_VECTOR ? vector_nbytes(r[X86_RSI], r[X86_RDX]) : r[X86_RDX];
    uint64_t end = t->at + nbytes < t->size ? t->at + nbytes : t->size;
    written w = {ring, x86_count_get(tcb), t->path, t->nbytes, t->size};
    if (t->at < end)
        put_overwritten(&w, t->at, end - t->at);
    else
        put(&w, t->at, NULL, 0); /* there is the size to be put back */
}

void x86_files_after(const x86_tcb *tcb, long result)
{
    target *t = written_to;
    uint64_t placed;
    written_to = NULL;
    if (!t || result < 0 || !written_by(tcb->regs[X86_RAX]) || is_placed(tcb->regs, &placed) || !is_alone(tcb))
        return;
    t->at += (uint64_t)result;
    if (t->size < t->at)
        t->size = t->at;
    if (t->appends)
        t->at = t->size;
    t->is_placed = true;
}
