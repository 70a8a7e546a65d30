/* changes.c - userfaultfd and PAGEMAP_SCAN, without their headers, which are newer than some systems'. */
#include "x86/inside/changes.h"
#include "x86/inside/maps.h"
#include "x86/inside/own.h"
#include "x86/inside/sys.h"

#include <fcntl.h>
#include <sys/syscall.h>

/* linux/userfaultfd.h */
enum { USER_MODE_ONLY = 1, API = 0xaa, WP_UNPOPULATED = 1 << 13, WP_ASYNC = 1 << 15, MODE_WP = 2, PROTECT = 1 };
#define UFFDIO_API_ 0xc018aa3ful
#define UFFDIO_REGISTER_ 0xc020aa00ul
#define UFFDIO_WRITEPROTECT_ 0xc018aa06ul
/* linux/fs.h */
enum { PAGE_IS_WRITTEN_ = 2 };
#define PAGEMAP_SCAN_ 0xc0606610ul

typedef struct scan {
    uint64_t nbytes, flags, start, end, walk_end, vec, vec_len, max_pages, inverted, mask, any_of, told;
} scan;
_Static_assert(sizeof(scan) == 96, "struct pm_scan_arg");

static uint64_t owner_now; /* 0: nobody */
static long watching;      /* the descriptor */
static bool complete;

static long control(long fd, unsigned long command, void *argument)
{
    return x86_sys6(SYS_ioctl, fd, (long)command, (long)argument, 0, 0, 0);
}

/* ---- the program's memory --------------------------------------------------------------------- */

typedef bool on_part(void *context, uint64_t lo, uint64_t hi);
typedef struct walk {
    on_part *part;
    void *context;
} walk;

/* What is the guest's of a mapping that can be written. */
static bool visit(void *context, const x86_mapping *m)
{
    const walk *w = context;
    uint64_t lo = m->lo, end;
    bool goes_on = true;
    for (; m->writable && goes_on && x86_own_gap(&lo, m->hi, &end); lo = end)
        goes_on = w->part(w->context, lo, end);
    return goes_on;
}

static bool each_part(on_part *part, void *context)
{
    walk w = {part, context};
    return x86_maps_each(visit, &w);
}

/* ---- beginning -------------------------------------------------------------------------------- */

static bool protect(void *context, uint64_t lo, uint64_t hi)
{
    uint64_t place[4] = {lo, hi - lo, MODE_WP}, how[3] = {lo, hi - lo, PROTECT};
    complete = complete && control(watching, UFFDIO_REGISTER_, place) == 0 && control(watching, UFFDIO_WRITEPROTECT_, how) == 0;
    return complete;
}

/* Far from the numbers that the program would get meanwhile. */
static long open_far(void)
{
    enum { FAR = 900 };
    long fd = x86_sys6(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK | USER_MODE_ONLY, 0, 0, 0, 0, 0);
    long far = fd < 0 ? fd : x86_sys6(SYS_fcntl, fd, F_DUPFD_CLOEXEC, FAR, 0, 0, 0);
    if (far >= 0)
        x86_sys6(SYS_close, fd, 0, 0, 0, 0, 0);
    return far >= 0 ? far : fd;
}

static bool begin(void)
{
    uint64_t api[3] = {API, WP_ASYNC | WP_UNPOPULATED};
    watching = open_far();
    if (watching < 0)
        return false;
    complete = control(watching, UFFDIO_API_, api) == 0;
    complete = complete && each_part(protect, NULL) && complete;
    if (!complete)
        x86_sys6(SYS_close, watching, 0, 0, 0, 0, 0);
    return complete;
}

bool x86_changes_begin(uint64_t owner)
{
    if (owner_now)
        return owner_now == owner;
    if (begin())
        owner_now = owner;
    return owner_now != 0;
}

/* ---- ending ----------------------------------------------------------------------------------- */

typedef struct telling {
    void (*each)(void *context, uint64_t at, uint64_t nbytes);
    void *context;
    long pagemap;
} telling;

/* As many stretches at a time as there is room for. */
static bool tell_part(void *context, uint64_t lo, uint64_t hi)
{
    enum { ROOM = 32 };
    const telling *t = context;
    struct { uint64_t start, end, categories; } found[ROOM];
    while (lo < hi) {
        scan s = {.nbytes = sizeof s, .start = lo, .end = hi, .vec = (uint64_t)found, .vec_len = ROOM, .mask = PAGE_IS_WRITTEN_, .told = PAGE_IS_WRITTEN_};
        long n = control(t->pagemap, PAGEMAP_SCAN_, &s);
        if (n < 0) {
            complete = false;
            return true;
        }
        for (long i = 0; i < n; i++)
            t->each(t->context, found[i].start, found[i].end - found[i].start);
        lo = n < ROOM ? hi : s.walk_end;
    }
    return true;
}

bool x86_changes_end(uint64_t owner, void (*each)(void *context, uint64_t at, uint64_t nbytes), void *context)
{
    telling t = {each, context, -1};
    if (owner_now != owner)
        return false;
    t.pagemap = x86_sys6(SYS_openat, AT_FDCWD, (long)"/proc/self/pagemap", O_RDONLY | O_CLOEXEC, 0, 0, 0);
    complete = t.pagemap >= 0 && each_part(tell_part, &t) && complete;
    x86_sys6(SYS_close, t.pagemap, 0, 0, 0, 0, 0);
    x86_sys6(SYS_close, watching, 0, 0, 0, 0, 0);
    owner_now = 0;
    return complete;
}
