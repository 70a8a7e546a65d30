/* ring.h - the ring of the Java machine's undo log (undo.h): the kinds of its records, and adding the most frequent one.
 *
 * How such a ring works: time/undo_ring.h; with its checkpoints: time/undo_log.h. */
#ifndef EBB_JVM_UNDO_RING_H
#define EBB_JVM_UNDO_RING_H

#include "time/undo_log.h"

enum jvm_saved {
#define JVM_SAVED(name) JVM_SAVED_##name,
#include "jvm/undo/undo.def"
#undef JVM_SAVED
    JVM_NSAVED
};

extern ebb_undo_log jvm_undo_log;

/* The aligned 8 bytes around `at`, as they are: the whole word belongs to the Java heap. */
static inline void jvm_undo_add_word(const void *at)
{
    const uint64_t *word = (const uint64_t *)((uintptr_t)at & ~(uintptr_t)7);
    ebb_undo_add_unit(&jvm_undo_log.ring, ebb_undo_where(JVM_SAVED_WORD, word), *word);
}

#endif
