/* keep.h - for those who destroy something: what the undo log (undo.h) has to be told.
 *
 * Apart from undo.h because heap/object.h, at the bottom of everything, needs it.  All of it does nothing unless the log is kept.
 *
 * UK1  the bytes are kept before they change, and memory that was kept is not freed or given to others without a cut;
 * UK2  a cut comes at or before the change that it is about, with no Java code run in between. */
#ifndef EBB_JVM_UNDO_KEEP_H
#define EBB_JVM_UNDO_KEEP_H

#include <stdbool.h>
#include <stddef.h>

struct jvm_obj;

extern bool jvm_undo_on; /* the log is kept; read by everybody who is about to destroy something */

void jvm_undo_keep_(void *at, size_t nbytes); /* its bytes, as they are now */
void jvm_undo_keep_heap_(void *at, size_t nbytes); /* the same for the Java heap, cheaper if it is little: words are put back whole */
void jvm_undo_alloc_(struct jvm_obj *o);      /* o was just given out by the heap */
void jvm_undo_cut_(const char *why);          /* a literal: what can't be put back, as a person would say it */

static inline void jvm_undo_keep(void *at, size_t nbytes)
{
    if (__builtin_expect(jvm_undo_on, 0))
        jvm_undo_keep_(at, nbytes);
}

static inline void jvm_undo_keep_heap(void *at, size_t nbytes)
{
    if (__builtin_expect(jvm_undo_on, 0))
        jvm_undo_keep_heap_(at, nbytes);
}

static inline void jvm_undo_alloc(struct jvm_obj *o)
{
    if (__builtin_expect(jvm_undo_on, 0))
        jvm_undo_alloc_(o);
}

static inline void jvm_undo_cut(const char *why)
{
    if (__builtin_expect(jvm_undo_on, 0))
        jvm_undo_cut_(why);
}

/* Before ebb_vec_push.  The item after the last one is nobody's.  A vector that is full grows without its old items being
 * freed: they are found again when that is undone.  (All of them together are no more than those that it has.) */
#define jvm_undo_keep_push(vec)                                                                    \
    do {                                                                                           \
        jvm_undo_keep(vec, sizeof *(vec));                                                         \
        if (jvm_undo_on && (vec)->n == (vec)->cap)                                                 \
            (vec)->items = jvm_undo_grow((vec)->items, &(vec)->cap, sizeof *(vec)->items);         \
    } while (0)
void *jvm_undo_grow(const void *items, size_t *cap, size_t item_size);

#endif
