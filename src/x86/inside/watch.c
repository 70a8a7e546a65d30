/* watch.c - a table with a byte for 256 bytes of memory says where the runtime has to compare. */
#include "x86/inside/watch.h"
#include "x86/inside/reals.h"
#include "x86/inside/runtime.h"
#include "x86/inside/sys.h"
#include "x86/inside/touch.h"
#include "x86/run_code.h"

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

/* The bytes of a range, as far as a word holds them; if changes are looked for, its copy has them. */
static uint64_t word_of(const x86_watches *w, const x86_watch_range *r)
{
    uint64_t word = 0;
    uint64_t nbytes = r->nbytes < sizeof word ? r->nbytes : sizeof word;
    if (r->on & X86_WATCH_ON_CHANGE)
        __builtin_memcpy(&word, w->copies + r->copy_at, nbytes);
    else
        x86_inside_copy(&word, r->addr, nbytes);
    return word;
}

/* By an access, or anywhere if its place is not known (nbytes 0). */
static bool is_changed(const x86_watches *w, x86_watch_range *r, uint64_t at, uint64_t nbytes)
{
    uint64_t was = word_of(w, r);
    bool changed = nbytes ? has_changed_within(w, r, at, at + nbytes) : has_changed(w, r);
    changed = changed && (!r->bits || ((was ^ word_of(w, r)) & r->bits));
    r->was = changed ? was : r->was;
    return changed;
}

/* What an access did to a range; nobody knows what it did if its place is not known (nbytes 0), except for changes. */
static bool is_hit(const x86_tcb *tcb, const x86_watches *w, x86_watch_range *r)
{
    uint64_t nbytes = tcb->watch_nbytes & X86_WATCH_NBYTES, lo = tcb->watch_address, hi = lo + nbytes;
    bool is_there = lo < r->addr + r->nbytes && hi > r->addr;
    if (nbytes && !is_there)
        return false; /* mostly: it is only near */
    if ((r->on & X86_WATCH_ON_CHANGE) && is_changed(w, r, lo, nbytes))
        return true;
    bool done = ((r->on & X86_WATCH_ON_READ) && (tcb->watch_nbytes & X86_WATCH_READS)) ||
                ((r->on & X86_WATCH_ON_WRITE) && (tcb->watch_nbytes & X86_WATCH_WRITES));
    return done && is_there;
}

/* ---- conditions ------------------------------------------------------------------------------- */

static bool load(const void *self, uint64_t addr, void *bytes, size_t nbytes)
{
    (void)self;
    return x86_inside_copy(bytes, addr, nbytes) == nbytes;
}

static bool read_register(const void *self, unsigned number, uint64_t *value)
{
    *value = ((const x86_tcb *)self)->regs[number];
    return true;
}

/* WS4 */
static bool holds(const x86_tcb *tcb, const x86_watch_range *r)
{
    x86_code_world world = {.self = tcb, .load = load, .reg = read_register, .real = x86_real, .place = tcb->target, .thread = tcb->thread};
    return x86_code_holds(&world, r->condition, r->n_condition);
}

static bool is_ignored(const x86_watch_range *r)
{
    if (!r->left || !*r->left)
        return false;
    --*r->left;
    return true;
}

/* Whether the thread has to leave. */
static bool check(const x86_tcb *tcb, x86_runtime *runtime)
{
    const x86_watches *w = &runtime->watches;
    bool told = false;
    for (uint64_t i = 0; i < w->n; i++) {
        x86_watch_range *r = &w->ranges[i];
        if (!is_hit(tcb, w, r) || !holds(tcb, r) || is_ignored(r))
            continue;
        if (r->note) {
            x86_note_add(runtime, tcb, r->note, &(x86_noted_data){word_of(w, r), x86_watch_toucher(tcb)});
        } else {
            r->hit = 1;
            told = true;
        }
    }
    return told;
}

/* ---- asking before ---------------------------------------------------------------------------- */

struct ahead {
    const x86_tcb *tcb;
    uint64_t fs_base;
    x86_touch *touches;
    size_t n;
};

static void look(void *argument)
{
    struct ahead *a = argument;
    bool writable;
    uint8_t code[15];
    x86_code *known = &((x86_runtime *)a->tcb->runtime)->code;
    x86_touch_cpu cpu = {.rip = a->tcb->target, .flags = a->tcb->rflags, .fs_base = a->fs_base, .gs_base = a->tcb->guest_gs_base, .all_repetitions = true};
    __builtin_memcpy(cpu.regs, a->tcb->regs, sizeof cpu.regs);
    a->n = x86_touches_of(code, x86_code_read(known, code, a->tcb->target, sizeof code, &writable), &cpu, a->touches);
}

size_t x86_touches_ahead(x86_tcb *tcb, x86_touch touches[X86_MAX_TOUCHES])
{
    struct ahead a = {.tcb = tcb, .fs_base = x86_sys_get_fs(), .touches = touches};
    x86_with_decoder(look, &a, tcb);
    return a.n;
}

static bool is_watched(const x86_watches *w, const x86_touch *touch)
{
    for (uint64_t i = 0; i < w->n; i++) {
        bool counts = touch->writes || (w->ranges[i].on & X86_WATCH_ON_READ);
        if (counts && x86_touch_overlaps(touch, w->ranges[i].addr, w->ranges[i].nbytes))
            return true;
    }
    return false;
}

static uint64_t before(x86_tcb *tcb, const x86_watches *w)
{
    x86_touch touches[X86_MAX_TOUCHES];
    size_t n = x86_touches_ahead(tcb, touches), i = 0;
    while (i < n && !is_watched(w, &touches[i]))
        i++;
    if (i == n && !tcb->stop_wanted)
        return tcb->watch_address;
    tcb->skip_at = tcb->target;
    tcb->link = tcb->stop_wanted ? 0 : X86_STEP_IT;
    return x86_dispatch(tcb);
}

/* After an access, or an instruction that may have stored anything (watch_nbytes is 0). */
uint64_t x86_watched(x86_tcb *tcb)
{
    x86_runtime *runtime = (x86_runtime *)tcb->runtime;
    if (tcb->watch_nbytes == X86_WATCH_BEFORE)
        return before(tcb, &runtime->watches);
    if (tcb->watch_nbytes == X86_UNDO_BEFORE || tcb->watch_nbytes == X86_UNDO_LINE)
        return x86_undo_before(tcb);
    if (tcb->watch_nbytes & X86_WATCH_NOTE)
        return x86_note_here(tcb);
    tcb->link = 0;
    if (check(tcb, runtime))
        return x86_give_up(tcb, X86_STUCK_WATCH);
    if (runtime->notes.n && x86_notes_are_full(runtime))
        return x86_give_up(tcb, X86_STUCK_NOTES);
    bool is_within_block = tcb->watch_nbytes & X86_WATCH_NBYTES;
    return is_within_block && !tcb->stop_wanted ? tcb->answer : x86_dispatch(tcb);
}

bool x86_watch_call_wrote(x86_tcb *tcb)
{
    x86_runtime *runtime = (x86_runtime *)tcb->runtime;
    tcb->watch_nbytes = 0;
    return runtime->options.watching && check(tcb, runtime);
}

uint64_t x86_dispatch_watched(x86_tcb *tcb)
{
    const x86_runtime *runtime = (const x86_runtime *)tcb->runtime;
    if (!runtime->options.watching || tcb->stop_wanted)
        return x86_dispatch(tcb);
    tcb->watch_nbytes = 0;
    return x86_watched(tcb);
}
