/* undo_maps.c - entries about whole mappings. */
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

static bool keep_contents(x86_undo *log, uint64_t lo, uint64_t hi)
{
    uint64_t words[64];
    for (uint64_t at = lo; at < hi; at += sizeof words) {
        if (x86_inside_copy(words, at, sizeof words) != sizeof words)
            return false;
        for (unsigned i = 0; i < 64; i++)
            if (words[i])
                x86_undo_add(log, x86_undo_where(at + i * sizeof *words, sizeof *words), words[i]);
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
    x86_undo_add(l->log, x86_undo_where(lo, X86_UNDO_PROTECTS), (hi - lo) | protection_of(m));
    if (l->with_contents) {
        l->failed |= !keep_contents(l->log, lo, hi);
        x86_undo_add(l->log, x86_undo_where(lo, X86_UNDO_MAPS), hi - lo);
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
        x86_undo_add(&runtime->undo, x86_undo_where(lo, X86_UNDO_EMPTIES), hi - lo);
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

void x86_undo_map_back(x86_runtime *runtime, const x86_undo_entry *entry)
{
    uint64_t at = entry->where << 8 >> 8, nbytes = entry->was & ~(uint64_t)X86_UNDO_PROTECTION;
    switch (entry->where >> X86_UNDO_NBYTES_SHIFT) {
    case X86_UNDO_EMPTIES: x86_border_unmap(at, at + nbytes); break;
    case X86_UNDO_MAPS: x86_sys6(SYS_mmap, (long)at, (long)nbytes, PROT_READ | PROT_WRITE, MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); break;
    default: x86_sys6(SYS_mprotect, (long)at, (long)nbytes, (long)(entry->was & X86_UNDO_PROTECTION), 0, 0, 0);
    }
    x86_code_forget(&runtime->code, at, at + nbytes);
    x86_cache_drop_range(&runtime->cache, at, at + nbytes);
}
