#include "x86/inside/watch.h"
#include "x86/inside/runtime.h"
#include "x86/inside/sys.h"

/* ---- the table -------------------------------------------------------------------------------- */

static void mark(uint8_t *table, const x86_watch_range *r)
{
    uint64_t first = (r->addr - (X86_WATCH_MAX_STORE - 1)) / X86_WATCH_LINE_BYTES;
    uint64_t last = (r->addr + r->nbytes - 1) / X86_WATCH_LINE_BYTES;
    if (last - first >= X86_WATCH_TABLE_BYTES)
        last = first + X86_WATCH_TABLE_BYTES - 1;
    for (uint64_t line = first; line <= last; line++)
        table[line % X86_WATCH_TABLE_BYTES] = 1;
}

void x86_watch_refresh(x86_runtime *runtime)
{
    x86_watches *w = &runtime->watches;
    uint8_t *table = runtime->cache.watch_table;
    __builtin_memset(table, 0, X86_WATCH_TABLE_BYTES);
    for (uint64_t i = 0; i < w->n; i++) {
        x86_sys_peek(w->copies + w->ranges[i].copy_at, w->ranges[i].addr, w->ranges[i].nbytes);
        mark(table, &w->ranges[i]);
    }
    w->refresh = 0;
}

/* ---- comparing -------------------------------------------------------------------------------- */

/* Whether `n` bytes differ from the copy, which they become. */
static bool renew(uint8_t *copy, const uint8_t *now, uint64_t n)
{
    bool differs = __builtin_memcmp(copy, now, n) != 0;
    if (differs)
        __builtin_memcpy(copy, now, n);
    return differs;
}

/* A range that may not be mapped at all. */
static bool has_changed(const x86_watches *w, const x86_watch_range *r)
{
    uint8_t piece[1024];
    bool changed = false;
    for (uint64_t done = 0; done < r->nbytes;) {
        uint64_t n = r->nbytes - done < sizeof piece ? r->nbytes - done : sizeof piece;
        n = x86_sys_peek(piece, r->addr + done, n);
        if (!n)
            break;
        changed |= renew(w->copies + r->copy_at + done, piece, n);
        done += n;
    }
    return changed;
}

/* The part of a range that a store has just been written to. */
static bool has_changed_within(const x86_watches *w, const x86_watch_range *r, uint64_t lo, uint64_t hi)
{
    uint64_t from = lo > r->addr ? lo : r->addr, to = hi < r->addr + r->nbytes ? hi : r->addr + r->nbytes;
    return from < to && renew(w->copies + r->copy_at + (from - r->addr), (const uint8_t *)from, to - from);
}

static bool check(const x86_tcb *tcb, const x86_watches *w)
{
    bool changed = false;
    for (uint64_t i = 0; i < w->n; i++)
        changed |= tcb->watch_nbytes
                       ? has_changed_within(w, &w->ranges[i], tcb->watch_address, tcb->watch_address + tcb->watch_nbytes)
                       : has_changed(w, &w->ranges[i]);
    return changed;
}

/* Whether the repetitions to come write to a range; the longest element has 8 bytes. */
static bool will_touch(const x86_tcb *tcb, const x86_watches *w)
{
    enum { DIRECTION = 0x400 };
    uint64_t n = 8 * tcb->regs[X86_RCX], lo = tcb->regs[X86_RDI], hi = lo + n;
    if (tcb->rflags & DIRECTION)
        hi = lo + 8, lo = hi - n;
    bool touches = false;
    for (uint64_t i = 0; i < w->n; i++)
        touches |= w->ranges[i].addr < hi && w->ranges[i].addr + w->ranges[i].nbytes > lo;
    return touches;
}

static uint64_t before_repetitions(x86_tcb *tcb, const x86_watches *w)
{
    bool touches = will_touch(tcb, w);
    if (!touches && !tcb->stop_wanted)
        return tcb->watch_address;
    tcb->skip_at = tcb->target;
    tcb->link = tcb->stop_wanted ? 0 : X86_STEP_IT;
    return x86_dispatch(tcb);
}

/* Behind a store, or an instruction that may have stored anything (watch_nbytes is 0). */
uint64_t x86_watched(x86_tcb *tcb)
{
    const x86_runtime *runtime = (const x86_runtime *)tcb->runtime;
    if (tcb->watch_nbytes == X86_WATCH_REPETITIONS)
        return before_repetitions(tcb, &runtime->watches);
    tcb->link = 0;
    return check(tcb, &runtime->watches) ? x86_give_up(tcb, X86_STUCK_WATCH) : x86_dispatch(tcb);
}

uint64_t x86_dispatch_watched(x86_tcb *tcb)
{
    const x86_runtime *runtime = (const x86_runtime *)tcb->runtime;
    if (!runtime->options.watching || tcb->stop_wanted)
        return x86_dispatch(tcb);
    tcb->watch_nbytes = 0;
    return x86_watched(tcb);
}
