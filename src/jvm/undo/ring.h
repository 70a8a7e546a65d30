/* ring.h - the ring that the undo log lies in (undo.h).
 *
 * The ring is an array of units of 16 bytes; a position is the number of units ever written before it, so positions only grow and
 * the ring's size turns one into an address.  What is behind the writer's chunk (a sixteenth of the ring) is lost as soon as the writer
 * enters it: looking whether there is room costs one comparison per record, and nothing is looked for.
 *
 * A record is one unit, or bytes followed by the unit that says what they are: the log is only ever read backward.
 *
 * UR1  a record lies in one piece: where the end of the ring is too near, a SKIP fills it up;
 * UR2  there is always room for one unit at jvm_undo_at. */
#ifndef EBB_JVM_UNDO_RING_H
#define EBB_JVM_UNDO_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct jvm_undo_unit {
    uint64_t where; /* an address, and the kind of the record in the upper 16 bits */
    uint64_t what;  /* old contents, or how many bytes lie before this unit */
} jvm_undo_unit;

enum { JVM_KEPT_SHIFT = 48 };

enum jvm_kept {
#define JVM_KEPT(name, has_bytes) JVM_KEPT_##name,
#include "jvm/undo/undo.def"
#undef JVM_KEPT
    JVM_NKEPT
};

extern jvm_undo_unit *jvm_undo_at, *jvm_undo_end; /* the next unit; where jvm_undo_turn must be called */

/* jvm_undo_at has come to jvm_undo_end. */
void jvm_undo_turn(void);

static inline void jvm_undo_add_unit(uint64_t where, uint64_t what)
{
    *jvm_undo_at = (jvm_undo_unit){where, what};
    if (__builtin_expect(++jvm_undo_at == jvm_undo_end, 0))
        jvm_undo_turn();
}

/* The aligned 8 bytes around `at`, as they are: the whole word belongs to the Java heap. */
static inline void jvm_undo_add_word(const void *at)
{
    const uint64_t *word = (const uint64_t *)((uintptr_t)at & ~(uintptr_t)7);
    jvm_undo_add_unit((uintptr_t)word, *word);
}

bool jvm_undo_ring_make(uint64_t nbytes); /* empty; 0: none.  False: there is no room for it, and none is there */
void *jvm_undo_map(size_t nbytes);        /* memory that is there when it is touched; NULL: none */
uint64_t jvm_undo_ring_nbytes(void);
uint64_t jvm_undo_ring_position(void);    /* of jvm_undo_at */
uint64_t jvm_undo_ring_tail(void);        /* what lies before is lost */
void jvm_undo_ring_go_to(uint64_t position); /* what lies behind it is forgotten */

/* A record with bytes in two parts; the second may be empty.  False: it is too long for this ring, nothing was added. */
bool jvm_undo_add(enum jvm_kept kind, const void *address, const void *a, size_t na, const void *b, size_t nb);

/* The record that ends at *position; *position becomes that of its beginning. */
typedef struct jvm_undo_record {
    enum jvm_kept kind;
    void *address;
    uint64_t what;
    const char *bytes; /* `what` of them; NULL: it has none */
} jvm_undo_record;
jvm_undo_record jvm_undo_before(uint64_t *position);

#endif
