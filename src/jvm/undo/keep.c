/* keep.c - keeping little pieces of the heap, and vectors that grow (keep.h). */
#include "jvm/undo/keep.h"

#include "base/mem.h"
#include "jvm/undo/ring.h"

#include <string.h>

void jvm_undo_keep_heap_(void *at, size_t nbytes)
{
    uintptr_t first = (uintptr_t)at, last = first + nbytes - 1;
    if (nbytes == 0)
        return;
    if (first / 8 == last / 8)
        jvm_undo_add_word(at);
    else
        jvm_undo_keep_(at, nbytes);
}

void *jvm_undo_grow(const void *items, size_t *cap, size_t item_size)
{
    size_t n = *cap;
    void *grown = ebb_vec_grow(NULL, cap, item_size);
    if (n > 0)
        memcpy(grown, items, n * item_size);
    return grown;
}
