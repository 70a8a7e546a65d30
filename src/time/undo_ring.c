/* undo_ring.c - writing the ring forward, chunk by chunk, and reading it backward.  Freestanding (undo_ring.h). */
#include "time/undo_ring.h"

#include "base/check.h"
#include "base/sizes.h"

/* Sixteen: the writer's own chunk, a sixteenth of the memory, is all that is lost for the cheap test of room. */
enum { CHUNKS = 16 };

/* A longer record would push out so much that what is left reaches nowhere: its writer should rather cut the log. */
enum { LONGEST_SHARE = 4 };

static const uint64_t MOST_BYTES = (uint64_t)1 << 40;

enum { FILLING = EBB_UNDO_MOST_KIND + 1 }; /* the kind of what fills the end of the ring up */

static const uint64_t HAS_BYTES = (uint64_t)1 << 63;

/* ---- room ---- */

uint64_t ebb_undo_ring_room(uint64_t nbytes)
{
    if (nbytes == 0 || nbytes > MOST_BYTES)
        return 0;
    uint64_t chunk = nbytes / sizeof(ebb_undo_unit) / CHUNKS;
    return (chunk < EBB_UNDO_LEAST_CHUNK ? EBB_UNDO_LEAST_CHUNK : chunk) * CHUNKS * sizeof(ebb_undo_unit);
}

void ebb_undo_ring_init(ebb_undo_ring *r, void *memory, uint64_t nbytes)
{
    ebb_check(nbytes == ebb_undo_ring_room(nbytes) && (uintptr_t)memory % sizeof *r->base == 0);
    *r = (ebb_undo_ring){.base = memory, .n = nbytes / sizeof *r->base};
    r->chunk = r->n / CHUNKS;
    r->at = r->base;
    r->end = r->base + r->chunk;
}

/* The writer may go up to `end`. */
static void open_until(ebb_undo_ring *r, uint64_t end)
{
    if (end > r->n && end - r->n > r->tail)
        r->tail = end - r->n;
    r->end = r->base + (end - r->lap);
}

void ebb_undo_turn(ebb_undo_ring *r)
{
    if (r->at == r->base + r->n) {
        r->at = r->base;
        r->lap += r->n;
    }
    uint64_t position = ebb_undo_ring_position(r);
    open_until(r, position - position % r->chunk + r->chunk);
}

void ebb_undo_ring_go_to(ebb_undo_ring *r, uint64_t position)
{
    ebb_check(position >= r->tail && position <= ebb_undo_ring_position(r));
    r->lap = position - position % r->n;
    r->at = r->base + position % r->n;
    ebb_undo_turn(r);
}

/* ---- records with bytes ---- */

static uint64_t units_of(uint64_t nbytes)
{
    return (nbytes + sizeof(ebb_undo_unit) - 1) / sizeof(ebb_undo_unit);
}

static ebb_undo_unit last_unit(uint64_t where, uint64_t nbytes)
{
    return (ebb_undo_unit){where | HAS_BYTES, nbytes};
}

/* n units in one piece (UR1). */
static void make_room(ebb_undo_ring *r, uint64_t n, ebb_undo_claim *out)
{
    uint64_t left = r->n - (uint64_t)(r->at - r->base);
    out->filling = n > left ? &r->at[left - 1] : NULL;
    if (out->filling) {
        out->fills = last_unit(ebb_undo_where(FILLING, NULL), (left - 1) * sizeof *r->base);
        r->at += left;
        ebb_undo_turn(r);
    }
    uint64_t end = ebb_undo_ring_position(r) + n;
    if (r->at + n > r->end)
        open_until(r, (end + r->chunk - 1) / r->chunk * r->chunk);
}

bool ebb_undo_claim_room(ebb_undo_ring *r, uint64_t where, size_t nbytes, ebb_undo_claim *out)
{
    out->n = units_of(nbytes) + 1;
    if (out->n > r->n / LONGEST_SHARE)
        return false;
    make_room(r, out->n, out);
    out->at = r->at;
    out->last = last_unit(where, nbytes);
    r->at += out->n;
    if (r->at == r->end)
        ebb_undo_turn(r);
    return true;
}

bool ebb_undo_add(ebb_undo_ring *r, uint64_t where, ebb_undo_bytes a, ebb_undo_bytes b)
{
    ebb_undo_claim c;
    if (!ebb_undo_claim_room(r, where, a.n + b.n, &c))
        return false;
    if (c.filling)
        *c.filling = c.fills;
    __builtin_memcpy(c.at, a.data, a.n);
    if (b.n > 0)
        __builtin_memcpy((char *)c.at + a.n, b.data, b.n);
    c.at[c.n - 1] = c.last;
    return true;
}

/* ---- reading ---- */

static ebb_undo_record from_unit(const ebb_undo_unit *u)
{
    uint64_t address = u->where & (((uint64_t)1 << EBB_UNDO_KIND_SHIFT) - 1);
    return (ebb_undo_record){(unsigned)((u->where & ~HAS_BYTES) >> EBB_UNDO_KIND_SHIFT), (void *)(uintptr_t)address, u->what, NULL};
}

/* The record that ends at *position; *position becomes that of its beginning. */
static ebb_undo_record read_before(const ebb_undo_ring *r, uint64_t *position)
{
    uint64_t last = *position - 1;
    const ebb_undo_unit *u = &r->base[last % r->n];
    ebb_undo_record record = from_unit(u);
    if (u->where & HAS_BYTES) {
        record.bytes = (const char *)(u - units_of(u->what));
        last -= units_of(u->what);
    }
    *position = last;
    return record;
}

bool ebb_undo_walk_back(ebb_undo_walk *w, ebb_undo_record *out)
{
    ebb_check(w->until >= w->ring->tail);
    while (w->at > w->until) {
        *out = read_before(w->ring, &w->at);
        if (out->kind != FILLING)
            return true;
    }
    return false;
}
