#include "jvm/undo_keep.h"

#include "base/mem.h"

#include <string.h>

void *jvm_undo_grow(const void *items, size_t *cap, size_t item_size)
{
    size_t n = *cap;
    void *grown = ebb_vec_grow(NULL, cap, item_size);
    if (n > 0)
        memcpy(grown, items, n * item_size);
    return grown;
}
