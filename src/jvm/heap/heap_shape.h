/* heap_shape.h - the shape of the heap, shared by heap.c (allocation), gc.c (collection) and the interpreter, which looks whether one is due.
 *
 * Blocks of BLOCK_SIZE bytes come from one reserved range; each holds cells of one size class.  A
 * free cell has a NULL class word and the link of the free list after it.  Cells from `fresh` on
 * were never given out and are zero.  One mark bit per 8 bytes lies beside the block. */
#ifndef EBB_JVM_HEAP_HEAP_SHAPE_H
#define EBB_JVM_HEAP_HEAP_SHAPE_H

#include "base/mem.h"
#include "jvm/heap/heap.h"
#include "jvm/heap/region.h"

enum {
    JVM_BLOCK_SHIFT = 18,
    JVM_BLOCK_SIZE = 1 << JVM_BLOCK_SHIFT,
    JVM_MARK_WORDS = JVM_BLOCK_SIZE / 8 / 64,
    JVM_MAX_SMALL = 32 * 1024, /* larger objects have a mapping of their own */
    JVM_NSIZES = 96,
};

typedef struct jvm_free_cell {
    jvm_class *no_class; /* NULL */
    struct jvm_free_cell *next;
} jvm_free_cell;

typedef struct jvm_heap_block {
    uint8_t size_class;
    bool in_use, unswept;
    uint32_t fresh;      /* offset of the first cell never given out */
    uint64_t *marks;     /* JVM_MARK_WORDS words */
    uint64_t *old_marks; /* while unswept: what lived at the collection before */
} jvm_heap_block;

typedef struct jvm_size_class {
    uint32_t cell;             /* bytes */
    jvm_free_cell *free;
    char *bump, *bump_end;     /* zeroed, never used cells of one block */
    uint32_t next_sweep;       /* blocks before this index have been looked at since the collection */
} jvm_size_class;

typedef struct jvm_large { /* in front of a large object */
    size_t mapped;
    size_t index;              /* in heap.large */
    uint64_t marked;
    uint64_t pad[5];
} jvm_large;

typedef struct jvm_heap {
    char *base;
    size_t reserved;
    jvm_heap_block *blocks;
    uint32_t nblocks, max_blocks;
    EBB_VEC(uint32_t) empty;          /* blocks in no size class */
    jvm_size_class sizes[JVM_NSIZES];
    uint32_t nsizes;
    uint8_t size_of[JVM_MAX_SMALL / 8 + 1]; /* bytes / 8 -> size class */
    EBB_VEC(jvm_large *) large;
    jvm_region large_region;
    uint64_t max, used, threshold;    /* used: bytes given out and not found dead */
    uint64_t allocated_total, ncollections;
    bool marking;
    uint64_t stress;                  /* bytes between forced collections, or 0 */
    jvm_obj *pending;                 /* references to enqueue, linked by `discovered` */
    EBB_VEC(jvm_roots_fn *) roots;
} jvm_heap;
extern jvm_heap jvm_heap_;

static inline bool jvm_in_blocks(const void *p)
{
    return (size_t)((const char *)p - jvm_heap_.base) < (size_t)jvm_heap_.nblocks << JVM_BLOCK_SHIFT;
}
static inline jvm_large *jvm_large_of(const jvm_obj *o) { return (jvm_large *)o - 1; }

bool jvm_marked(const jvm_obj *o);
void jvm_collect(jvm_thread *t, bool clear_soft);

#endif
