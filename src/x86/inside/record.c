/* record.c - events, and when they are written. */
#include "x86/inside/record.h"
#include "x86/inside/aside.h"
#include "x86/inside/border.h"
#include "x86/inside/changes.h"
#include "x86/inside/sys.h"
#include "x86/inside/wake.h"
#include "x86/ring.h"

#include <errno.h>
#include <linux/sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#ifndef PR_GET_TID_ADDRESS
#define PR_GET_TID_ADDRESS 40
#endif

_Static_assert(sizeof(x86_called) <= sizeof ((x86_tcb *)0)->call, "there is room in the control block");

static x86_ring *ring_of(const x86_tcb *tcb)
{
    x86_ring *ring = (x86_ring *)((const x86_runtime *)tcb->runtime)->ring;
    return ring && !ring->ended ? ring : NULL;
}

/* ---- memory ----------------------------------------------------------------------------------- */

/* How much of it could be read; it is written if that is all. */
static size_t note_piece(const x86_note *note, uint64_t at, size_t nbytes)
{
    ebb_event_writer w;
    if (!nbytes || !x86_ring_begin(note->ring, EBB_EVENT_PAIR_MAX_BYTES + nbytes, &w))
        return 0;
    uint8_t *to = ebb_event_with_bytes(&w, X86_RECORDED_MEMORY, note->time, at, nbytes);
    size_t there = note->carefully ? x86_sys_peek(to, at, nbytes) : x86_inside_copy(to, at, nbytes);
    if (there == nbytes)
        x86_ring_end(note->ring, &w);
    return there;
}

/* As far as it can be read: nor did the kernel come any further. */
static void note_memory(void *context, uint64_t at, uint64_t nbytes)
{
    const x86_note *note = context;
    for (size_t piece, there; nbytes; at += piece, nbytes -= piece) {
        piece = nbytes < X86_RECORDED_MAX_PIECE ? nbytes : X86_RECORDED_MAX_PIECE;
        there = note_piece(note, at, piece);
        if (there < piece) {
            note_piece(note, at, there);
            return;
        }
    }
}

/* ---- calls ------------------------------------------------------------------------------------ */

static x86_called *called(x86_tcb *tcb)
{
    return (x86_called *)tcb->call;
}

static void suspect(x86_ring *ring, uint64_t number)
{
    if (!ring->unknown_call)
        ring->unknown_call = (uint32_t)number + 1;
}

static void note_doubt(const x86_note *note, uint64_t about, uint32_t *is_told)
{
    ebb_event_writer w;
    if (*is_told || !x86_ring_begin(note->ring, EBB_EVENT_PAIR_MAX_BYTES, &w))
        return;
    *is_told = 1;
    ebb_event_begin(&w, X86_RECORDED_DOUBT, note->time);
    ebb_event_u64(&w, about);
    ebb_event_end(&w);
    x86_ring_end(note->ring, &w);
}

void x86_note_unknown(const x86_note *note, uint64_t number)
{
    suspect(note->ring, number);
    note_doubt(note, note->ring->unknown_call, &note->ring->told_unknown);
}

void x86_note_shared(const x86_note *note)
{
    note->ring->shares = 1;
    note_doubt(note, 0, &note->ring->told_shares);
}

/* The kernel was told to go on with the call before. */
static bool goes_on(const x86_tcb *tcb)
{
    return tcb->regs[X86_RAX] == SYS_restart_syscall && tcb->called_end == tcb->target;
}

/* The child of a vfork goes on in its parent's memory, natively. */
static bool lends_memory(const x86_called *call)
{
    uint64_t flags = call->arguments[0], both = CLONE_VM | CLONE_VFORK;
    if (call->number == SYS_clone3 && x86_sys_peek(&flags, call->arguments[0], sizeof flags) != sizeof flags)
        return false;
    return call->number == SYS_vfork || ((call->number == SYS_clone || call->number == SYS_clone3) && (flags & both) == both);
}

/* What nobody can tell beforehand is found out afterwards (RX3). */
static void watch_memory(x86_tcb *tcb)
{
    const x86_called *call = called(tcb);
    tcb->watches_all = !x86_call_is_known(call) || lends_memory(call);
    if (tcb->watches_all && !x86_changes_begin(tcb->self))
        suspect(ring_of(tcb), call->number); /* noted with its answer */
}

/* Whether a call is about the program itself is found out by the numbers that the kernel has. */
static void name_really(x86_tcb *tcb)
{
    const x86_runtime *runtime = (const x86_runtime *)tcb->runtime;
    const x86_call_row *row = runtime->n_numbers ? x86_call_row_of(called(tcb)->number) : NULL;
    for (unsigned i = 0; row && i < X86_MAX_POINTERS; i++)
        if (row->pointers[i].way == X86_WHO) {
            uint64_t *argument = &called(tcb)->arguments[row->pointers[i].argument - 1];
            *argument = x86_border_real_number(runtime, *argument);
        }
}

void x86_record_begins(x86_tcb *tcb)
{
    if (!ring_of(tcb))
        return;
    x86_note_outputs();
    if (!goes_on(tcb)) {
        x86_aside_forget(tcb);
        x86_call_begins(called(tcb), tcb->regs);
        name_really(tcb);
        watch_memory(tcb);
    }
    tcb->called_end = tcb->target;
    tcb->called = 1;
}

static void note_wrote(x86_note *note, x86_tcb *tcb, long result)
{
    const x86_called *call = called(tcb);
    note->carefully = result < 0; /* EFAULT, above all */
    bool known = x86_call_wrote(call, result, note_memory, note);
    bool seen = tcb->watches_all && x86_changes_end(tcb->self, note_memory, note);
    if ((!known || tcb->watches_all) && !seen)
        x86_note_unknown(note, call->number);
    tcb->watches_all = 0;
    x86_note_mapped(note, call, result);
}

static void note_call(x86_note *note, x86_tcb *tcb, long result)
{
    ebb_event_writer w;
    const x86_called *call = called(tcb);
    note_wrote(note, tcb, result);
    if (!x86_ring_begin(note->ring, EBB_EVENT_PAIR_MAX_BYTES, &w))
        return;
    ebb_event_pair(&w, X86_RECORDED_CALL, note->time, call->number, result);
    x86_ring_end(note->ring, &w);
    x86_note_output(note, call, result); /* whoever replays passes over it as soon as the call is done */
    x86_note_kept(note, call, result);
}

void x86_record_called(x86_tcb *tcb)
{
    bool is_over = tcb->called && tcb->target == tcb->called_end;
    x86_note note = {.ring = ring_of(tcb), .time = x86_count_get(tcb), .thread = tcb->thread};
    if (is_over)
        tcb->regs[X86_RAX] = (uint64_t)x86_aside_end(tcb, (long)tcb->regs[X86_RAX]);
    tcb->called = 0;
    if (is_over && note.ring)
        note_call(&note, tcb, (long)tcb->regs[X86_RAX]);
}

/* What the kernel leaves there of a call that it will make again, or that a handler ends; no program sees it. */
static bool is_interrupted(uint64_t result)
{
    enum { FIRST = 512, LAST = 516 };
    return -(int64_t)result >= FIRST && -(int64_t)result <= LAST;
}

uint64_t x86_record_parked(x86_tcb *tcb, uint64_t result)
{
    x86_note note = {.ring = ring_of(tcb), .time = tcb->counter, .thread = tcb->thread};
    bool is_open = tcb->called && note.ring;
    if (tcb->called && !is_interrupted(result))
        x86_aside_end(tcb, (long)result);
    tcb->called = 0;
    if (is_open && is_interrupted(result))
        note_wrote(&note, tcb, -EINTR);
    else if (is_open)
        note_call(&note, tcb, (long)result);
    return 0;
}

/* ---- what is not for the kernel to do --------------------------------------------------------- */

bool x86_record_refuses(const x86_tcb *tcb, long *answer)
{
    if (!ring_of(tcb))
        return false;
    bool is_refused = x86_call_word(x86_call_row_of(tcb->regs[X86_RAX]), X86_REFUSED) != NULL;
    bool frees = tcb->regs[X86_RAX] == SYS_madvise && tcb->regs[X86_RDX] == MADV_FREE; /* what is there afterwards is the kernel's choice, as late as it likes */
    *answer = is_refused ? -ENOSYS : -EINVAL;
    return is_refused || frees;
}

/* The word that the thread has asked the kernel to clear, and to wake who waits for that; false: only the kernel knows which. */
static bool clear_word(x86_tcb *tcb, x86_note *note)
{
    uint64_t word = 0;
    uint32_t zero = 0;
    static uint32_t nobodys;
    if (x86_sys6(SYS_prctl, PR_GET_TID_ADDRESS, (long)&word, 0, 0, 0, 0) != 0)
        return false;
    if (!word || !x86_sys_poke(word, &zero, sizeof zero))
        return true;
    x86_sys6(SYS_set_tid_address, (long)&nobodys, 0, 0, 0, 0, 0);
    note_memory(note, word, sizeof zero);
    x86_wake_at_end(&((x86_runtime *)tcb->runtime)->turn, tcb, word);
    return true;
}

/* The kernel would mark the mutexes that the thread still holds. */
static bool holds_robust_mutexes(void)
{
    uint64_t head = 0, nbytes = 0, first = 0;
    x86_sys6(SYS_get_robust_list, 0, (long)&head, (long)&nbytes, 0, 0, 0);
    return head && x86_sys_peek(&first, head, sizeof first) == sizeof first && first != head;
}

bool x86_record_tells_end(const x86_tcb *tcb)
{
    const x86_ring *ring = ring_of(tcb);
    return ring && ring->tells_end;
}

void x86_record_ends(x86_tcb *tcb)
{
    x86_note note = {.ring = ring_of(tcb), .time = x86_count_get(tcb), .thread = tcb->thread};
    if (!note.ring || tcb->ends) /* it may be made again, if ebb wants the thread */
        return;
    tcb->ends = 1;
    if (tcb->regs[X86_RAX] == SYS_exit && (!clear_word(tcb, &note) || holds_robust_mutexes()))
        x86_note_unknown(&note, called(tcb)->number);
    note_call(&note, tcb, 0);
}

/* ---- the rest --------------------------------------------------------------------------------- */

void x86_record_ask(x86_tcb *tcb, const uint64_t words[4])
{
    x86_ring *ring = ring_of(tcb);
    if (ring)
        x86_ring_ask(ring, x86_count_get(tcb), (x86_ask_kind)tcb->ask.kind, words);
}

void x86_record_switch(const x86_tcb *tcb, uint64_t time, uint64_t place)
{
    x86_ring *ring = ring_of(tcb);
    if (ring)
        x86_ring_switch(ring, time, place, tcb->thread);
}
