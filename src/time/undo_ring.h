/* undo_ring.h - the ring that an undo log lies in: what the last moments destroyed, in memory of bounded size.
 *
 * A machine that is about to destroy something adds a record of it; to go back, it reads the records newest first and puts the old
 * contents back.  What kinds of records there are, and what putting one back means, is the machine's own.
 *
 * The ring is an array of units of 16 bytes.  A position is the number of units ever written before it, so positions only grow, and
 * the ring's size turns one into an address.  The writer owns one chunk (a sixteenth of the ring) at a time.  What a chunk held is
 * lost as soon as the writer enters it: so looking whether there is room costs one comparison per record, and nothing is looked for.
 *
 * A record is one unit, or bytes followed by the unit that says what they are: the log is only ever read backward.
 *
 * Freestanding: the memory is the caller's.  The program that it is linked into supplies memcpy, memset and ebb_check_failed (base/check.h).  It may also be
 * another program's: a debugger that has read its debuggee's ring claims room in it, and writes there by its own means.
 *
 * UR1  a record lies in one piece: where the end of the ring is too near, filling takes the rest of it, which no reader ever sees;
 * UR2  there is always room for one unit at `at`;
 * UR3  what lies between the tail and the writer can be read; the tail only grows, also when the writer goes back. */
#ifndef EBB_TIME_UNDO_RING_H
#define EBB_TIME_UNDO_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ebb_undo_unit {
    uint64_t where; /* an address, and in the highest byte the kind of the record, and whether it has bytes */
    uint64_t what;  /* old contents, or how many bytes lie before this unit */
} ebb_undo_unit;

typedef struct ebb_undo_ring {
    ebb_undo_unit *at, *end; /* the next unit; where ebb_undo_turn must be called */
    ebb_undo_unit *base;
    uint64_t n, chunk;       /* units; 0: there is no ring, and nothing may be added */
    uint64_t lap;            /* position of base[0] as the writer sees it */
    uint64_t tail;           /* what lies before is lost */
} ebb_undo_ring;

/* ---- making ---- */

/* How many bytes of memory a ring of about that many takes; 0: so large a ring can't be. */
uint64_t ebb_undo_ring_room(uint64_t nbytes);

/* An empty ring in that memory, aligned to 16 bytes, as large as ebb_undo_ring_room said.  NULL and 0: no ring. */
void ebb_undo_ring_init(ebb_undo_ring *r, void *memory, uint64_t nbytes);

/* ---- adding ---- */

/* `at` has come to `end`. */
void ebb_undo_turn(ebb_undo_ring *r);

/* An address of a program has at most 56 bits.  Kinds are the machine's, from 0 to the most. */
enum { EBB_UNDO_KIND_SHIFT = 56, EBB_UNDO_MOST_KIND = 0x7e };

static inline uint64_t ebb_undo_where(unsigned kind, const void *address)
{
    return (uintptr_t)address | (uint64_t)kind << EBB_UNDO_KIND_SHIFT;
}

/* A record without bytes. */
static inline void ebb_undo_add_unit(ebb_undo_ring *r, uint64_t where, uint64_t what)
{
    ebb_undo_unit *u = r->at;
    *u++ = (ebb_undo_unit){where, what};
    r->at = u;
    if (__builtin_expect(u == r->end, 0))
        ebb_undo_turn(r);
}

typedef struct ebb_undo_bytes {
    const void *data;
    size_t n;
} ebb_undo_bytes;

/* A record with bytes, those of a and then those of b.  False: it is too long for this ring (more than a quarter of it), and nothing
 * was added. */
bool ebb_undo_add(ebb_undo_ring *r, uint64_t where, ebb_undo_bytes a, ebb_undo_bytes b);

typedef struct ebb_undo_claim {
    ebb_undo_unit *at; /* the bytes begin here */
    uint64_t n;        /* units; `last` is the last of them */
    ebb_undo_unit last;
    ebb_undo_unit *filling; /* NULL, or where `fills` belongs (UR1) */
    ebb_undo_unit fills;
} ebb_undo_claim;

/* The same, for who writes it himself: the ring goes on after the record, but none of its memory is touched. */
bool ebb_undo_claim_room(ebb_undo_ring *r, uint64_t where, size_t nbytes, ebb_undo_claim *out);

/* ---- positions ---- */

static inline uint64_t ebb_undo_ring_nbytes(const ebb_undo_ring *r) { return r->n * sizeof *r->base; }
static inline uint64_t ebb_undo_ring_position(const ebb_undo_ring *r) { return r->lap + (uint64_t)(r->at - r->base); }
void ebb_undo_ring_go_to(ebb_undo_ring *r, uint64_t position); /* what lies after it is forgotten */

/* ---- reading ---- */

typedef struct ebb_undo_record {
    unsigned kind;
    void *address;
    uint64_t what;
    const char *bytes; /* `what` of them, in the ring; NULL: it has none */
} ebb_undo_record;

typedef struct ebb_undo_walk { /* backward: from where a record ends to where one begins, both not before the tail */
    const ebb_undo_ring *ring;
    uint64_t at, until;
} ebb_undo_walk;

bool ebb_undo_walk_back(ebb_undo_walk *w, ebb_undo_record *out); /* the record that ends there; false: there is no other */

#endif
