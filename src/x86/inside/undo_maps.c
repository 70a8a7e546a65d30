/* undo_maps.c - records about whole mappings. */
#include "x86/inside/border.h"
#include "x86/inside/maps.h"
#include "x86/inside/own.h"
#include "x86/inside/sys.h"
#include "x86/inside/undo.h"

#include <sys/mman.h>
#include <sys/syscall.h>

enum { MOST_BYTES = 256 << 20 }; /* that are looked at for one call */

typedef struct look {
    x86_undo *log;
    uint64_t lo, hi;
    bool with_contents;
    bool failed; /* a cut */
} look;

/* ---- keeping ---------------------------------------------------------------------------------- */

static uint64_t protection_of(const x86_mapping *m)
{
    return (m->readable ? PROT_READ : 0) | (m->writable ? PROT_WRITE : 0) | (m->executable ? PROT_EXEC : 0);
}

static bool is_zero(const uint64_t words[X86_UNDO_PIECE_WORDS])
{
    uint64_t any = 0;
    for (unsigned i = 0; i < X86_UNDO_PIECE_WORDS; i++)
        any |= words[i];
    return !any;
}

static void add_pages(x86_undo *log, unsigned kind, uint64_t at, uint64_t what)
{
    ebb_undo_add_unit(&log->ring, x86_undo_where(kind, at), what);
}

static bool keep_contents(x86_undo *log, uint64_t lo, uint64_t hi)
{
    uint64_t words[X86_UNDO_PIECE_WORDS];
    for (uint64_t at = lo; at < hi; at += sizeof words) {
        if (x86_inside_copy(words, at, sizeof words) != sizeof words)
            return false;
        if (!is_zero(words))
            x86_undo_add_bytes(log, at, words, sizeof words);
    }
    return true;
}

static bool keep_mapping(void *context, const x86_mapping *m)
{
    look *l = context;
    uint64_t lo = m->lo > l->lo ? m->lo : l->lo, hi = m->hi < l->hi ? m->hi : l->hi;
    if (lo >= hi)
        return m->lo < l->hi;
    l->failed |= x86_own_hit(lo, hi) || (l->with_contents && (m->shared || !m->readable));
    if (l->failed)
        return false;
    add_pages(l->log, X86_SAVED_PROTECTION, lo, (hi - lo) | protection_of(m));
    if (l->with_contents) {
        l->failed |= !keep_contents(l->log, lo, hi);
        add_pages(l->log, X86_SAVED_MAPPING, lo, hi - lo);
    }
    return !l->failed;
}

static void keep(x86_tcb *tcb, uint64_t lo, uint64_t hi, bool with_contents)
{
    x86_runtime *runtime = (x86_runtime *)tcb->runtime;
    look l = {&runtime->undo, lo, hi, with_contents, false};
    if (!runtime->options.undoing || lo >= hi)
        return;
    x86_undo_begin(runtime);
    if ((with_contents && hi - lo > MOST_BYTES) || !x86_maps_each(keep_mapping, &l) || l.failed)
        x86_undo_cut(tcb);
    else if (with_contents)
        add_pages(&runtime->undo, X86_SAVED_EMPTINESS, lo, hi - lo);
}

void x86_undo_mapping(x86_tcb *tcb, uint64_t lo, uint64_t hi)
{
    keep(tcb, lo, x86_page_up(hi), true);
}

void x86_undo_protection(x86_tcb *tcb, uint64_t lo, uint64_t hi)
{
    keep(tcb, lo, x86_page_up(hi), false);
}

/* ---- going back ------------------------------------------------------------------------------- */

void x86_undo_map_back(x86_runtime *runtime, const ebb_undo_record *r)
{
    uint64_t at = (uint64_t)r->address, nbytes = r->what & ~(uint64_t)X86_UNDO_PROTECTION;
    switch (r->kind) {
    case X86_SAVED_EMPTINESS: x86_border_unmap(at, at + nbytes); break;
    case X86_SAVED_MAPPING: x86_sys6(SYS_mmap, (long)at, (long)nbytes, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); break;
    default: x86_sys6(SYS_mprotect, (long)at, (long)nbytes, (long)(r->what & X86_UNDO_PROTECTION), 0, 0, 0);
    }
    x86_code_forget(&runtime->code, at, at + nbytes);
    x86_cache_drop_range(&runtime->cache, at, at + nbytes);
}
