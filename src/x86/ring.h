/* ring.h - events on their way from a debuggee to its recording, in memory that the debuggee and ebb share.
 *
 * The memory is a page with an x86_ring (shared.h), and X86_RING_BYTES that are mapped twice in a row, so that an event is always in one piece.
 * Two counts of bytes, which only grow, say how much was written and how much was taken.  Whoever finds no room waits until something
 * was taken: nothing is ever lost.  Both sides use the same functions: the runtime writes while the program runs, ebb while it stands
 * still.  Freestanding.
 *
 * RN1  only one writes at a time: the thread that has the turn, or ebb while every thread stands still;
 * RN2  what is between `taken` and `written` are whole events: `written` moves when an event is complete;
 * RN3  who takes is not waked for every event: when there is much to take, and whenever it looks by itself;
 * RN4  waiting has no time-out (inside/turn.h, TU4): who takes does not end without saying so (`ended`). */
#ifndef EBB_X86_RING_H
#define EBB_X86_RING_H

#include "base/sizes.h"
#include "time/event.h"
#include "x86/recorded.h"
#include "x86/shared.h"

enum { X86_RING_HEAD_BYTES = 4096, X86_RING_MAPPED_BYTES = X86_RING_HEAD_BYTES + 2 * X86_RING_BYTES };
/* Of one event at most. */
enum { X86_RING_MAX_EVENT = X86_RECORDED_MAX_PIECE + 4096 };
_Static_assert((int)X86_RING_MAX_EVENT < (int)X86_RING_BYTES, "an event fits");

static inline uint8_t *x86_ring_at(const x86_ring *ring, uint64_t count)
{
    return (uint8_t *)ring + X86_RING_HEAD_BYTES + count % X86_RING_BYTES;
}

/* Room for one event or several of `nbytes` in all; *w writes there.  False: there is nobody to write for. */
bool x86_ring_begin(x86_ring *ring, size_t nbytes, ebb_event_writer *w);
/* What was written since is there to be taken. */
void x86_ring_end(x86_ring *ring, const ebb_event_writer *w);

/* An answer of the CPU (inside/asks.h). */
void x86_ring_ask(x86_ring *ring, uint64_t time, x86_ask_kind kind, const uint64_t words[4]);
/* Another thread gets the turn, which was given away at that position. */
void x86_ring_switch(x86_ring *ring, uint64_t time, uint64_t place, uint32_t to);

/* For whoever takes: so many bytes were taken in all; who waits for room looks again. */
void x86_ring_taken(x86_ring *ring, uint64_t count);

/* futex(2), between processes. */
long x86_ring_futex(uint32_t *word, int operation, uint32_t value, const void *timeout);

#endif
