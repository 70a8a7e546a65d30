/* replay.c - takes the answers of the world from the feed, and does again what they did to memory. */
#include "x86/inside/replay.h"
#include "x86/inside/asks.h"
#include "x86/inside/border.h"
#include "x86/inside/caught.h"
#include "x86/inside/own.h"
#include "x86/inside/scratch.h"
#include "x86/inside/sys.h"
#include "x86/recorded.h"

#include <asm/prctl.h>
#include <linux/sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static x86_feed *feed_of(x86_tcb *tcb)
{
    return &((x86_runtime *)tcb->runtime)->feed;
}

/* ---- the feed --------------------------------------------------------------------------------- */

/* The next event, and the cursor when it will have been taken. */
typedef struct upcoming {
    ebb_event event;
    ebb_cursor after;
} upcoming;

static bool peek(x86_tcb *tcb, upcoming *next)
{
    x86_feed *f = feed_of(tcb);
    return ebb_cursor_peek(&f->cursor, (const void *)f->bytes, &x86_recorded_kinds, x86_count_get(tcb), &next->event, &next->after) == EBB_PEEK_EVENT;
}

static void look_ahead(x86_tcb *tcb)
{
    upcoming next;
    uint64_t time = UINT64_MAX;
    if (peek(tcb, &next))
        time = x86_recorded_due(&next.event);
    else if (!feed_of(tcb)->is_last)
        time = x86_count_get(tcb); /* who knows when the next one is: ebb has to bring it first */
    x86_turn_set_event(&((x86_runtime *)tcb->runtime)->turn, tcb, time);
}

static void take(x86_tcb *tcb, const upcoming *next)
{
    ebb_cursor_take(&feed_of(tcb)->cursor, &next->after);
    look_ahead(tcb);
}

/* ---- text for people -------------------------------------------------------------------------- */

static x86_stuck diverged(x86_feed *f, const char *asked, uint64_t number, const ebb_event *found)
{
    char text[64];
    ebb_line what = ebb_line_in(text, sizeof text), why = ebb_line_in(f->why, sizeof f->why);
    ebb_line_text(&what, asked);
    ebb_line_number(&what, number);
    ebb_line_diverged(&why, &x86_recorded_kinds, text, found);
    return X86_STUCK_DIVERGED;
}

/* RE4 */
static x86_stuck no_memory(x86_feed *f, const ebb_event *event)
{
    ebb_line why = ebb_line_in(f->why, sizeof f->why);
    ebb_line_text(&why, "the memory of event ");
    ebb_line_number(&why, event->number);
    ebb_line_text(&why, " can't be had at its address");
    return X86_STUCK_DIVERGED;
}

/* ---- memory ----------------------------------------------------------------------------------- */

static bool map_fresh(uint64_t lo, uint64_t hi, int protection)
{
    long flags = MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE; /* a sanitizer's shadow is larger than any memory */
    return hi > lo && !x86_own_hit(lo, hi) && x86_sys6(SYS_mmap, (long)lo, (long)(hi - lo), protection, flags, -1, 0) == (long)lo;
}

static bool put_memory(x86_tcb *tcb, ebb_event *event)
{
    size_t nbytes;
    uint64_t at = ebb_values_u64(&event->values);
    const uint8_t *bytes = ebb_values_bytes(&event->values, &nbytes);
    if (!bytes || x86_own_hit(at, at + nbytes))
        return false;
    x86_undo_keep(tcb, at, nbytes);
    return x86_sys_poke(at, bytes, nbytes);
}

static bool make_fresh(x86_tcb *tcb, ebb_event *event)
{
    uint64_t lo = ebb_values_u64(&event->values), hi = ebb_values_u64(&event->values);
    uint64_t what = ebb_values_u64(&event->values);
    x86_undo_mapping(tcb, lo, hi);
    if (what == X86_FRESH_MAPPING)
        return map_fresh(lo, hi, PROT_READ | PROT_WRITE);
    if (x86_own_hit(lo, hi))
        return false;
    return !x86_call_failed(what == X86_FRESH_HOLE ? x86_sys6(SYS_munmap, (long)lo, (long)(hi - lo), 0, 0, 0, 0)
                                                   : x86_sys6(SYS_madvise, (long)lo, (long)(hi - lo), MADV_DONTNEED, 0, 0, 0));
}

/* Does again what comes before the answer of that kind; *next is the answer then.  `asked` and its number are for people.  X86_NOT_STUCK, or why the
 * thread has to give up. */
static x86_stuck come_to(x86_tcb *tcb, unsigned kind, const char *asked, uint64_t number, upcoming *next)
{
    x86_feed *f = feed_of(tcb);
    while (peek(tcb, next)) {
        ebb_event *e = &next->event, whole = *e;
        bool is_memory = e->kind == X86_RECORDED_MEMORY, is_first = is_memory || e->kind == X86_RECORDED_FRESH;
        switch (ebb_cursor_match(&x86_recorded_kinds, e, is_first ? e->kind : kind, x86_count_get(tcb))) {
        case EBB_MATCHES_LATER: return X86_STUCK_EVENT;
        case EBB_DIVERGES: return diverged(f, asked, number, e);
        case EBB_MATCHES: break;
        }
        if (!is_first)
            return X86_NOT_STUCK;
        if (!(is_memory ? put_memory(tcb, e) : make_fresh(tcb, e)))
            return no_memory(f, &whole);
        take(tcb, next);
    }
    return X86_STUCK_FEED;
}

/* ---- what calls do to mappings (RE1) ---------------------------------------------------------- */

/* The heap is memory like any other: a process that was made to replay has it at another place than the kernel thinks. */
static uint64_t heap_end(const x86_feed *f)
{
    return f->brk ? f->brk : (uint64_t)x86_sys6(SYS_brk, 0, 0, 0, 0, 0, 0);
}

static bool redo_brk(x86_feed *f, uint64_t now)
{
    uint64_t was = heap_end(f);
    uint64_t old_end = x86_page_up(was), new_end = x86_page_up(now);
    f->brk = now;
    if (new_end > old_end)
        return map_fresh(old_end, new_end, PROT_READ | PROT_WRITE);
    return new_end == old_end || x86_sys6(SYS_munmap, (long)new_end, (long)(old_end - new_end), 0, 0, 0, 0) == 0;
}

uint64_t x86_replay_break(x86_tcb *tcb)
{
    return heap_end(feed_of(tcb));
}

bool x86_replay_set_break(x86_tcb *tcb, uint64_t end)
{
    return redo_brk(feed_of(tcb), end);
}

static bool redo_mmap(const uint64_t *r, uint64_t at)
{
    uint64_t end = at + x86_page_up(r[X86_RSI]);
    int protection = (int)r[X86_RDX];
    bool is_anonymous = r[10] & MAP_ANONYMOUS;
    if (is_anonymous)
        return map_fresh(at, end, protection);
    return x86_sys6(SYS_mprotect, (long)at, (long)(end - at), protection, 0, 0, 0) == 0; /* FRESH and MEMORY did the rest */
}

static bool redo_mremap(const uint64_t *r, uint64_t to)
{
    bool moves = to != r[X86_RDI];
    long flags = moves ? MREMAP_MAYMOVE | MREMAP_FIXED | (long)(r[10] & MREMAP_DONTUNMAP) : 0;
    return !x86_own_hit(to, to + r[X86_RDX]) && x86_sys6(SYS_mremap, (long)r[X86_RDI], (long)r[X86_RSI], (long)r[X86_RDX], flags, (long)to, 0) == (long)to;
}

static bool redo_again(const uint64_t *r)
{
    return !x86_call_failed(x86_sys6((long)r[X86_RAX], (long)r[X86_RDI], (long)r[X86_RSI], (long)r[X86_RDX], (long)r[10], (long)r[8], (long)r[9]));
}

static bool redo_arch_prctl(x86_tcb *tcb)
{
    const uint64_t *r = tcb->regs;
    if (r[X86_RDI] == ARCH_SET_GS)
        tcb->guest_gs_base = r[X86_RSI];
    if (r[X86_RDI] == ARCH_SET_FS)
        x86_sys_set_fs(r[X86_RSI]);
    return true;
}

static void forget_code(x86_tcb *tcb, uint64_t number, uint64_t result)
{
    const uint64_t *r = tcb->regs;
    switch (number) {
    case SYS_mmap: x86_border_drop(tcb, result, r[X86_RSI]); break;
    case SYS_munmap:
    case SYS_mprotect:
    case SYS_pkey_mprotect: x86_border_drop(tcb, r[X86_RDI], r[X86_RSI]); break;
    case SYS_mremap:
        x86_border_drop(tcb, r[X86_RDI], r[X86_RSI]);
        x86_border_drop(tcb, result, r[X86_RDX]);
        break;
    }
}

/* What was mapped there is kept in the undo log. */
static void keep_mappings(x86_tcb *tcb, uint64_t number, uint64_t result)
{
    const uint64_t *r = tcb->regs;
    uint64_t first = r[X86_RDI], second = r[X86_RSI], end;
    switch (number) {
    case SYS_brk:
        end = x86_page_up(heap_end(feed_of(tcb)));
        x86_undo_mapping(tcb, end < result ? end : x86_page_up(result), end < result ? result : end);
        break;
    case SYS_mmap: x86_undo_mapping(tcb, result, result + second); break;
    case SYS_munmap: x86_undo_mapping(tcb, first, first + second); break;
    case SYS_mremap:
        x86_undo_mapping(tcb, first, first + second);
        x86_undo_mapping(tcb, result, result + r[X86_RDX]);
        break;
    case SYS_mprotect:
    case SYS_pkey_mprotect: x86_undo_protection(tcb, first, first + second); break;
    }
}

static bool redo(x86_tcb *tcb, uint64_t number, uint64_t result)
{
    const uint64_t *r = tcb->regs;
    keep_mappings(tcb, number, result);
    switch (number) {
    case SYS_brk: return redo_brk(feed_of(tcb), result);
    case SYS_mmap: return redo_mmap(r, result);
    case SYS_mremap: return redo_mremap(r, result);
    case SYS_munmap: return x86_border_unmap(r[X86_RDI], r[X86_RDI] + x86_page_up(r[X86_RSI])) == 0;
    case SYS_mprotect: return redo_again(r);
    case SYS_pkey_mprotect: return x86_sys6(SYS_mprotect, (long)r[X86_RDI], (long)r[X86_RSI], (long)r[X86_RDX], 0, 0, 0) == 0;
    case SYS_arch_prctl: return redo_arch_prctl(tcb);
    default: return true;
    }
}

/* ---- calls ------------------------------------------------------------------------------------ */

/* A call that ebb interrupted is made again under another name. */
static bool is_same_call(uint64_t asked, uint64_t recorded)
{
    return asked == recorded || recorded == SYS_restart_syscall || asked == SYS_restart_syscall;
}

static x86_stuck take_call(x86_tcb *tcb, long *result)
{
    upcoming next;
    uint64_t asked = tcb->regs[X86_RAX];
    x86_stuck why = come_to(tcb, X86_RECORDED_CALL, "system call ", asked, &next);
    if (why != X86_NOT_STUCK)
        return why;
    ebb_event whole = next.event;
    uint64_t number = ebb_values_u64(&next.event.values);
    *result = ebb_values_i64(&next.event.values);
    if (!is_same_call(asked, number))
        return diverged(feed_of(tcb), "system call ", asked, &whole);
    if (!x86_call_failed(*result) && !redo(tcb, number, (uint64_t)*result))
        return no_memory(feed_of(tcb), &whole);
    take(tcb, &next);
    if (!x86_call_failed(*result))
        forget_code(tcb, number, (uint64_t)*result);
    return X86_NOT_STUCK;
}

static uint64_t stay(x86_tcb *tcb, x86_stuck why)
{
    x86_border_stay(tcb);
    tcb->outside = X86_HAS_TURN;
    return x86_give_up(tcb, why);
}

/* What clone and clone3 say of a thread; false: they make a process. */
static bool describe_birth(const uint64_t *r, x86_birth *b)
{
    struct clone_args args = {.flags = r[X86_RDI], .stack = r[X86_RSI], .tls = r[8]};
    if (x86_border_of(r[X86_RAX]) == X86_BORDER_CLONE3) {
        args = (struct clone_args){0};
        x86_sys_peek(&args, r[X86_RDI], CLONE_ARGS_SIZE_VER0);
        args.stack += args.stack_size;
    } else if (x86_border_of(r[X86_RAX]) != X86_BORDER_CLONE) {
        return false;
    }
    *b = (x86_birth){.stack = args.stack, .fs_base = args.tls, .has_fs_base = (args.flags & CLONE_SETTLS) != 0};
    return (args.flags & CLONE_VM) && !(args.flags & CLONE_VFORK);
}

static uint64_t answer_scratch(x86_tcb *tcb)
{
    if (tcb->regs[X86_RAX] == SYS_exit)
        return stay(tcb, X86_STUCK_END);
    tcb->open_at = 0;
    x86_border_finish(tcb, x86_scratch_call(tcb));
    return x86_dispatch_watched(tcb);
}

uint64_t x86_replay_syscall(x86_tcb *tcb)
{
    long result;
    uint64_t number = tcb->regs[X86_RAX];
    if (!feed_of(tcb)->is_scratch && x86_caught_call(tcb))
        return stay(tcb, X86_STUCK_CALLS);
    if (x86_border_of(number) == X86_BORDER_SIGRETURN)
        return x86_border_sigreturn(tcb);
    if (number == SYS_exit_group)
        return stay(tcb, X86_STUCK_END);
    if (feed_of(tcb)->is_scratch)
        return answer_scratch(tcb);
    x86_stuck why = take_call(tcb, &result);
    if (why != X86_NOT_STUCK)
        return stay(tcb, why);
    if (number == SYS_exit)
        return stay(tcb, X86_STUCK_LEFT);
    x86_birth birth;
    bool is_birth = result > 0 && describe_birth(tcb->regs, &birth);
    tcb->open_at = 0;
    if (number == SYS_prctl)
        x86_border_note_name(tcb, result);
    x86_border_finish(tcb, result);
    if (!is_birth)
        return x86_caught_answer(tcb, number, result);
    tcb->told_at = 0;
    ((x86_runtime *)tcb->runtime)->answered = number + 1;
    birth.thread = (uint64_t)result;
    feed_of(tcb)->birth = birth;
    return x86_give_up(tcb, X86_STUCK_BIRTH);
}

bool x86_replay_ask(x86_tcb *tcb, uint64_t words[4], x86_stuck *why)
{
    if (feed_of(tcb)->is_scratch) {
        *why = X86_STUCK_STEP; /* which the CPU itself can answer */
        return x86_ask_cpu(tcb, words);
    }
    upcoming next;
    static const char asked[] = "an answer of the CPU, of kind ";
    *why = come_to(tcb, X86_RECORDED_ASK, asked, tcb->ask.kind, &next);
    if (*why != X86_NOT_STUCK)
        return false;
    ebb_event whole = next.event;
    if (ebb_values_u64(&next.event.values) != tcb->ask.kind) {
        *why = diverged(feed_of(tcb), asked, tcb->ask.kind, &whole);
        return false;
    }
    for (unsigned i = 0; i < 4; i++)
        words[i] = ebb_values_u64(&next.event.values);
    take(tcb, &next);
    return true;
}
