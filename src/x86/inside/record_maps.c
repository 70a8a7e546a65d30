/* record_maps.c - what is in memory that a system call has mapped: the bytes of files belong into the recording.
 *
 * A file is read through its descriptor: a mapping may be one that can't be read (yet), and the end of the file is no fault there.  What is
 * all zero is left out, for that is what memory holds that replay makes. */
#include "x86/inside/record.h"
#include "x86/inside/sys.h"
#include "x86/page.h"
#include "x86/ring.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>

enum { PAGE = 4096 };

/* ---- pages ------------------------------------------------------------------------------------ */

static bool is_zero(const uint8_t *page)
{
    const uint64_t *words = (const uint64_t *)page;
    for (size_t i = 0; i < PAGE / sizeof *words; i++)
        if (words[i])
            return false;
    return true;
}

static void note_bytes(const x86_note *note, uint64_t at, const uint8_t *bytes, size_t nbytes)
{
    ebb_event_writer w;
    if (!x86_ring_begin(note->ring, EBB_EVENT_PAIR_MAX_BYTES + nbytes, &w))
        return;
    __builtin_memcpy(ebb_event_with_bytes(&w, X86_RECORDED_MEMORY, note->time, at, nbytes), bytes, nbytes);
    x86_ring_end(note->ring, &w);
}

/* Those of its pages that are not all zero, each run of them as one event. */
static void note_pages(const x86_note *note, uint64_t at, const uint8_t *bytes, size_t nbytes)
{
    for (size_t from = 0, to; from < nbytes; from = to) {
        for (to = from; to < nbytes && !is_zero(bytes + to); to += PAGE)
            ;
        if (to > from)
            note_bytes(note, at + from, bytes + from, to - from);
        else
            to += PAGE;
    }
}

/* With the turn: one for all. */
static uint8_t piece[X86_RECORDED_MAX_PIECE] __attribute__((aligned(PAGE)));

static void clear_after(size_t nbytes)
{
    __builtin_memset(piece + nbytes, 0, sizeof piece - nbytes);
}

/* ---- where the bytes are ---------------------------------------------------------------------- */

static bool is_regular(long fd)
{
    struct stat st;
    return x86_sys6(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) == 0 && S_ISREG(st.st_mode);
}

static size_t read_at(long fd, uint64_t offset, size_t nbytes)
{
    size_t done = 0;
    while (done < nbytes) {
        long n = x86_sys6(SYS_pread64, fd, (long)(piece + done), (long)(nbytes - done), (long)(offset + done), 0, 0);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    return done;
}

static void note_file(const x86_note *note, uint64_t at, uint64_t nbytes, long fd, uint64_t offset)
{
    for (uint64_t done = 0; done < nbytes; done += sizeof piece) {
        size_t want = nbytes - done < sizeof piece ? nbytes - done : sizeof piece;
        size_t there = read_at(fd, offset + done, want);
        clear_after(there);
        note_pages(note, at + done, piece, x86_page_up(there));
        if (there < want)
            return; /* the end of the file */
    }
}

/* What can't be read is passed over, page by page. */
static void note_contents(const x86_note *note, uint64_t at, uint64_t nbytes)
{
    for (uint64_t done = 0; done < nbytes;) {
        size_t want = nbytes - done < sizeof piece ? nbytes - done : sizeof piece;
        size_t there = x86_sys_peek(piece, at + done, want);
        note_pages(note, at + done, piece, there);
        done += there < want ? there + PAGE : there;
    }
}

/* ---- what was there before is gone ------------------------------------------------------------ */

static void note_fresh(const x86_note *note, uint64_t at, uint64_t nbytes, x86_fresh what)
{
    ebb_event_writer w;
    if (!nbytes || !x86_ring_begin(note->ring, EBB_EVENT_HEAD_MAX_BYTES + 3 * EBB_VARINT_MAX_BYTES, &w))
        return;
    ebb_event_begin(&w, X86_RECORDED_FRESH, note->time);
    ebb_event_u64(&w, at);
    ebb_event_u64(&w, at + nbytes);
    ebb_event_u64(&w, what);
    ebb_event_end(&w);
    x86_ring_end(note->ring, &w);
}

/* ---- memory that is nobody else's -------------------------------------------------------------- */

/* Private memory without a file, as the program's own calls made it: what is discarded of it is zero afterwards, and need not be looked at, which would
 * give it pages again.  Memory that is not in the list may be such, too. */
enum { MAX_PLAIN = 64 };
static struct {
    uint64_t lo, hi;
} plain[MAX_PLAIN];
static unsigned next_plain;

static void add_plain(uint64_t lo, uint64_t hi)
{
    plain[next_plain].lo = lo;
    plain[next_plain].hi = hi;
    next_plain = (next_plain + 1) % MAX_PLAIN;
}

/* Something else is there now. */
static void drop_plain(uint64_t lo, uint64_t hi)
{
    for (unsigned i = 0; i < MAX_PLAIN; i++)
        if (plain[i].lo < hi && lo < plain[i].hi)
            plain[i].lo = plain[i].hi = 0;
}

static bool is_plain(uint64_t lo, uint64_t hi)
{
    for (unsigned i = 0; i < MAX_PLAIN; i++)
        if (plain[i].lo <= lo && hi <= plain[i].hi)
            return true;
    return false;
}

/* ---- calls ------------------------------------------------------------------------------------ */

/* A file that this program can write can be written by others, too.  What is nobody's but its children's counts when it has some. */
static bool has_common_memory;

static void note_shared(const x86_note *note, const x86_called *call)
{
    enum { KINDS = 3 }; /* of MAP_SHARED, MAP_PRIVATE, MAP_SHARED_VALIDATE */
    uint64_t flags = call->arguments[3];
    if ((flags & KINDS) == MAP_PRIVATE)
        return;
    if (flags & MAP_ANONYMOUS)
        has_common_memory = true;
    else if ((x86_sys6(SYS_fcntl, (int32_t)call->arguments[4], F_GETFL, 0, 0, 0, 0) & O_ACCMODE) == O_RDWR)
        x86_note_shared(note);
}

/* Its symbols are in the file: ebb puts that into the recording (vm/embedded.h). */
static void note_module(const x86_note *note, uint64_t at, uint64_t nbytes, long fd)
{
    static char path[PAGE];
    char link[40] = "/proc/self/fd/";
    char *end = link + sizeof "/proc/self/fd/" - 1, digits[12], *d = digits + sizeof digits;
    for (*--d = '\0'; fd || !*d; fd /= 10)
        *--d = (char)('0' + fd % 10);
    __builtin_memcpy(end, d, (size_t)(digits + sizeof digits - d));
    ebb_event_writer w;
    long n = x86_sys6(SYS_readlink, (long)link, (long)path, sizeof path, 0, 0, 0);
    if (n <= 0 || !x86_ring_begin(note->ring, EBB_EVENT_HEAD_MAX_BYTES + 3 * EBB_VARINT_MAX_BYTES + (size_t)n, &w))
        return;
    ebb_event_begin(&w, X86_RECORDED_MODULE, note->time);
    ebb_event_u64(&w, at);
    ebb_event_u64(&w, at + nbytes);
    ebb_event_bytes(&w, path, (size_t)n);
    ebb_event_end(&w);
    x86_ring_end(note->ring, &w);
}

static void note_mmap(const x86_note *note, const x86_called *call, uint64_t at)
{
    uint64_t nbytes = x86_page_up(call->arguments[1]), flags = call->arguments[3];
    long fd = (int32_t)call->arguments[4];
    drop_plain(at, at + nbytes);
    if ((flags & MAP_ANONYMOUS) && !(flags & MAP_SHARED))
        add_plain(at, at + nbytes);
    if (flags & MAP_ANONYMOUS)
        return;
    note_fresh(note, at, nbytes, X86_FRESH_MAPPING);
    if (call->arguments[2] & PROT_EXEC)
        note_module(note, at, nbytes, fd);
    if (is_regular(fd))
        note_file(note, at, nbytes, fd, call->arguments[5]);
    else
        note_contents(note, at, nbytes);
}

/* A file's bytes come back. */
static void note_discarded(const x86_note *note, const x86_called *call)
{
    uint64_t advice = call->arguments[2];
    uint64_t nbytes = x86_page_up(call->arguments[1]);
    if (advice != MADV_DONTNEED && advice != MADV_REMOVE && advice != MADV_DONTNEED_LOCKED)
        return;
    note_fresh(note, call->arguments[0], nbytes, X86_FRESH_CONTENTS);
    if (!is_plain(call->arguments[0], call->arguments[0] + nbytes))
        note_contents(note, call->arguments[0], nbytes);
}

static bool makes_process(const x86_called *call)
{
    uint64_t flags = call->arguments[0];
    if (call->number == SYS_clone3 && x86_sys_peek(&flags, call->arguments[0], sizeof flags) != sizeof flags)
        return true;
    return call->number == SYS_fork || call->number == SYS_vfork || !(flags & CLONE_VM);
}

static void note_process(const x86_note *note, const x86_called *call)
{
    if (has_common_memory && makes_process(call))
        x86_note_shared(note);
}

/* Segments that are attached: shmdt says only where one begins. */
enum { MAX_ATTACHED = 64 };
static struct {
    uint64_t at, nbytes;
} attached[MAX_ATTACHED];

static uint64_t attached_nbytes(long id)
{
    struct shmid_ds segment;
    return x86_sys6(SYS_shmctl, id, IPC_STAT, (long)&segment, 0, 0, 0) == 0 ? x86_page_up(segment.shm_segsz) : 0;
}

static void note_attached(const x86_note *note, long id, uint64_t at)
{
    uint64_t nbytes = attached_nbytes(id);
    unsigned i = 0;
    while (i < MAX_ATTACHED && attached[i].nbytes && attached[i].at != at)
        i++;
    drop_plain(at, at + nbytes);
    x86_note_shared(note);
    if (!nbytes || i == MAX_ATTACHED) {
        x86_note_unknown(note, SYS_shmat);
        return;
    }
    attached[i].at = at;
    attached[i].nbytes = nbytes;
    note_fresh(note, at, nbytes, X86_FRESH_MAPPING);
    note_contents(note, at, nbytes);
}

static void note_detached(const x86_note *note, uint64_t at)
{
    for (unsigned i = 0; i < MAX_ATTACHED; i++)
        if (attached[i].nbytes && attached[i].at == at) {
            note_fresh(note, at, attached[i].nbytes, X86_FRESH_HOLE);
            attached[i].nbytes = 0;
        }
}

void x86_note_mapped(const x86_note *note, const x86_called *call, long result)
{
    if (result < 0 && result >= -4095)
        return;
    switch (call->number) {
    case SYS_fork:
    case SYS_clone:
    case SYS_clone3:
    case SYS_vfork: note_process(note, call); break;
    case SYS_mmap: note_shared(note, call), note_mmap(note, call, (uint64_t)result); break;
    case SYS_madvise: note_discarded(note, call); break;
    case SYS_mremap: drop_plain((uint64_t)result, (uint64_t)result + call->arguments[2]); break;
    case SYS_shmat: note_attached(note, (long)call->arguments[0], (uint64_t)result); break;
    case SYS_shmdt: note_detached(note, call->arguments[0]); break;
    case SYS_remap_file_pages: x86_note_unknown(note, call->number); break;
    default: break;
    }
}
