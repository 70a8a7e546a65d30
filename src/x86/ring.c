/* ring.c - writing to the ring, and waiting at both of its ends. */
#include "x86/ring.h"
#include "x86/inside/sys.h"

#include <linux/futex.h>
#include <sys/syscall.h>

enum { MUCH = X86_RING_BYTES / 4 };

long x86_ring_futex(uint32_t *word, int operation, uint32_t value, const void *timeout)
{
    return x86_sys6(SYS_futex, (long)word, operation, value, (long)timeout, 0, 0);
}

static void wake(uint32_t *word)
{
    __atomic_add_fetch(word, 1, __ATOMIC_SEQ_CST);
    x86_ring_futex(word, FUTEX_WAKE, INT32_MAX, NULL);
}

static bool has_room(const x86_ring *ring, size_t nbytes)
{
    return ring->written + nbytes - __atomic_load_n(&ring->taken, __ATOMIC_SEQ_CST) <= X86_RING_BYTES;
}

static bool has_ended(const x86_ring *ring)
{
    return __atomic_load_n(&ring->ended, __ATOMIC_SEQ_CST) != 0;
}

/* RN4 */
static void wait_for_room(x86_ring *ring, size_t nbytes)
{
    uint32_t seen = __atomic_load_n(&ring->room, __ATOMIC_SEQ_CST);
    __atomic_store_n(&ring->room_wanted, 1, __ATOMIC_SEQ_CST);
    if (has_room(ring, nbytes) || has_ended(ring))
        return;
    wake(&ring->news);
    x86_ring_futex(&ring->room, FUTEX_WAIT, seen, NULL);
}

bool x86_ring_begin(x86_ring *ring, size_t nbytes, ebb_event_writer *w)
{
    while (!has_ended(ring) && !has_room(ring, nbytes))
        wait_for_room(ring, nbytes);
    if (has_ended(ring))
        return false;
    ebb_event_writer_init(w, x86_ring_at(ring, ring->written), nbytes, ring->timestamp);
    return true;
}

/* RN2, RN3 */
void x86_ring_end(x86_ring *ring, const ebb_event_writer *w)
{
    ring->timestamp = w->timestamp;
    uint64_t written = ring->written + (uint64_t)(w->at - w->start);
    __atomic_store_n(&ring->written, written, __ATOMIC_SEQ_CST);
    if (written - ring->taken >= MUCH && __atomic_exchange_n(&ring->news_wanted, 0, __ATOMIC_SEQ_CST))
        wake(&ring->news);
}

void x86_ring_ask(x86_ring *ring, uint64_t time, x86_ask_kind kind, const uint64_t words[4])
{
    ebb_event_writer w;
    if (!x86_ring_begin(ring, EBB_EVENT_HEAD_MAX_BYTES + 5 * EBB_VARINT_MAX_BYTES, &w))
        return;
    ebb_event_begin(&w, X86_RECORDED_ASK, time);
    ebb_event_u64(&w, kind);
    for (unsigned i = 0; i < 4; i++)
        ebb_event_u64(&w, words[i]);
    ebb_event_end(&w);
    x86_ring_end(ring, &w);
}

void x86_ring_switch(x86_ring *ring, uint64_t time, uint64_t place, uint32_t to)
{
    ebb_event_writer w;
    if (!x86_ring_begin(ring, EBB_EVENT_HEAD_MAX_BYTES + 2 * EBB_VARINT_MAX_BYTES, &w))
        return;
    ebb_event_begin(&w, X86_RECORDED_SWITCH, time);
    ebb_event_u64(&w, to);
    ebb_event_u64(&w, place);
    ebb_event_end(&w);
    x86_ring_end(ring, &w);
}

void x86_ring_taken(x86_ring *ring, uint64_t count)
{
    __atomic_store_n(&ring->taken, count, __ATOMIC_SEQ_CST);
    if (__atomic_exchange_n(&ring->room_wanted, 0, __ATOMIC_SEQ_CST))
        wake(&ring->room);
}
