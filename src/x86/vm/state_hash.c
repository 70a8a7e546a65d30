/* state_hash.c - one number for all that the program can see of itself: registers and memory (machine/history.h).
 *
 * Memory that nobody can write is left out: it is what it was mapped from. */
#include "base/log.h"
#include "x86/mappings.h"
#include "x86/regs.h"
#include "x86/vm/caught.h"
#include "x86/vm/history.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 16, PAGE = 4096, PAGES = 1 << 15 };

/* Words are mixed as they come; the order matters, and zeros count too. */
static uint64_t mix(uint64_t hash, const void *bytes, size_t nbytes)
{
    const uint8_t *at = bytes;
    for (; nbytes >= 8; at += 8, nbytes -= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    for (; nbytes > 0; at++, nbytes--)
        hash = (hash ^ *at) * 0x9e3779b97f4a7c15u;
    return hash;
}

/* ---- memory ----------------------------------------------------------------------------------- */

static bool is_own(const x86_own *own, uint64_t at)
{
    for (uint64_t i = 0; i < own->n && i < X86_MAX_OWN; i++)
        if (at >= own->ranges[i].lo && at < own->ranges[i].hi)
            return true;
    return false;
}

/* Pages that are all zero leave no trace, so that one which was never touched is like one that was cleared. */
static uint64_t mix_page(uint64_t hash, uint64_t at, const uint8_t *page)
{
    static const uint8_t zeros[PAGE];
    if (memcmp(page, zeros, PAGE) == 0)
        return hash;
    hash = mix(hash, &at, sizeof at);
    return mix(hash, page, PAGE);
}

/* Which pages of a mapping were ever touched: a sanitizer's shadow has terabytes that were not. */
typedef struct touched {
    int fd; /* of /proc/PID/pagemap; -1: nobody knows */
    uint64_t first, n; /* the pages that `entries` are of */
    uint64_t entries[PAGES];
} touched;

static bool is_touched(touched *t, uint64_t at, size_t nbytes)
{
    enum { ENTRY = sizeof t->entries[0] };
    const uint64_t present = 1ull << 63, swapped = 1ull << 62;
    for (uint64_t page = at / PAGE; page < (at + nbytes) / PAGE; page++) {
        if (page - t->first >= t->n) {
            ssize_t got = pread(t->fd, t->entries, sizeof t->entries, (off_t)(page * ENTRY));
            t->first = page;
            t->n = got > 0 ? (uint64_t)got / ENTRY : 0;
            if (t->n == 0)
                return true;
        }
        if (t->entries[page - t->first] & (present | swapped))
            return true;
    }
    return false;
}

static touched *open_touched(pid_t pid)
{
    char path[64];
    touched *t = EBB_NEW(touched);
    snprintf(path, sizeof path, "/proc/%d/pagemap", (int)pid);
    t->fd = open(path, O_RDONLY | O_CLOEXEC);
    return t;
}

/* Memory of nobody else's that comes from no file is zero until it is touched. */
static bool begins_as_zeros(const x86_mapping *m, const char *name)
{
    return !m->shared && *name != '/';
}

static uint64_t mix_range(x86_vm *vm, const x86_own *own, touched *pages, uint64_t hash, uint64_t lo, uint64_t hi)
{
    static uint8_t bytes[PIECE];
    for (uint64_t at = lo; at < hi; at += PIECE) {
        size_t n = hi - at < PIECE ? hi - at : PIECE;
        if (pages && !is_touched(pages, at, n))
            continue;
        if (machine_read(vm->native, at, bytes, n, NULL) != EBB_OK)
            continue;
        for (size_t i = 0; i < n; i += PAGE)
            if (!is_own(own, at + i))
                hash = mix_page(hash, at + i, bytes + i);
    }
    return hash;
}

static ebb_status mix_memory(x86_vm *vm, uint64_t *hash, ebb_error *err)
{
    x86_own own;
    x86_mapping m;
    const char *name;
    EBB_TRY(machine_read(vm->native, vm->exports.own, &own, sizeof own, err));
    x86_mappings all = x86_mappings_open(x86_of(vm->native)->pid);
    if (!all.file)
        return ebb_fail_errno(err, "can't read the list of the program's memory");
    touched *pages = open_touched(x86_of(vm->native)->pid);
    while (x86_mappings_next(&all, &m, &name))
        if (m.writable)
            *hash = mix_range(vm, &own, begins_as_zeros(&m, name) ? pages : NULL, *hash, m.lo, m.hi);
    x86_mappings_close(&all);
    close(pages->fd);
    free(pages);
    return EBB_OK;
}

/* ---- registers -------------------------------------------------------------------------------- */

/* What the CPU does with these is not the program's to see, or depends on how the thread was stopped. */
static struct user_regs_struct plain(const struct user_regs_struct *regs)
{
    enum { FLAG_RESUME = 0x10000, FLAG_ALWAYS = 2 };
    struct user_regs_struct r = *regs;
    r.eflags = (r.eflags & ~(uint64_t)FLAG_RESUME) | FLAG_ALWAYS;
    r.orig_rax = 0;
    return r;
}

/* A thread that had no turn since its system call: whether the kernel has answered yet is not visible, and live it may stand after the call,
 * in a copy before it. */
static void forget_call(x86_vm *vm, struct user_regs_struct *r)
{
    if (vm_is_syscall_at(vm, r->rip - 2))
        r->rip -= 2;
    if (vm_is_syscall_at(vm, r->rip))
        r->rax = r->rcx = r->r11 = 0;
}

static ebb_status mix_thread(x86_vm *vm, machine_tid tid, uint64_t *hash, ebb_error *err)
{
    enum { VECTORS = 32 };
    x86_task *t = vm_task(vm, tid);
    EBB_TRY(x86_regs_fetch_all(t, err));
    struct user_regs_struct outside = t->regs, r;
    (void)vm_caught_is_shown(vm, vm_thread_find(vm, tid), &outside);
    r = plain(&outside);
    if (tid != vm->last)
        forget_call(vm, &r);
    *hash = mix(*hash, &tid, sizeof tid);
    *hash = mix(*hash, &r, sizeof r);
    ebb_log("thread %ld at 0x%lx: %016lx", (long)tid, (unsigned long)r.rip, (unsigned long)*hash);
    for (unsigned i = 0; i < VECTORS; i++) {
        uint8_t bytes[64];
        x86_vector_get(t, i, bytes);
        *hash = mix(*hash, bytes, sizeof bytes);
    }
    return EBB_OK;
}

ebb_status vm_state_hash(machine *m, uint64_t *hash, ebb_error *err)
{
    x86_vm *vm = vm_of(m);
    *hash = vm->time;
    for (size_t i = 0; i < vm->threads.n; i++)
        if (!vm->threads.items[i].has_left)
            EBB_TRY(mix_thread(vm, vm->threads.items[i].tid, hash, err));
    EBB_TRY(mix_memory(vm, hash, err));
    ebb_log("%s at %lu, thread %ld: %016lx", vm->replaying ? "copy" : "live", (unsigned long)vm->time, (long)vm->last, (unsigned long)*hash);
    return EBB_OK;
}
