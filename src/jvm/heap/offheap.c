/* Small blocks come in sizes of powers of two from chunks and go to one free list per size; large ones
 * have pages of their own.  Each block has its size in front of it. */
#include "jvm/heap/offheap.h"

#include "base/check.h"
#include "base/sizes.h"
#include "jvm/heap/region.h"
#include "jvm/undo/keep.h"

#include <string.h>

enum { SMALLEST = 5, LARGEST = 16 }; /* logarithms of the sizes, their heads included */

typedef struct head {
    size_t nbytes;     /* of the block, the head included */
    struct head *next; /* while free */
} head;
_Static_assert(sizeof(head) == 16, "blocks are aligned to 16 bytes");

static jvm_region region = {.base = JVM_REGION_OFFHEAP};
static head *free_blocks[LARGEST + 1];
static char *chunk, *chunk_end;
static const char mapped[] = "new memory outside of the heap"; /* for the undo log */

static int size_class(size_t nbytes)
{
    int log = SMALLEST;
    while ((size_t)1 << log < nbytes)
        log++;
    return log;
}

static head *small_new(int log)
{
    head *h = free_blocks[log];
    jvm_undo_keep(&free_blocks[log], sizeof free_blocks[log]);
    if (h != NULL) {
        free_blocks[log] = h->next;
        return h;
    }
    size_t nbytes = (size_t)1 << log;
    if ((size_t)(chunk_end - chunk) < nbytes) {
        jvm_undo_cut(mapped);
        char *more = jvm_region_take(&region, JVM_OFFHEAP_CHUNK_BYTES);
        if (more == NULL)
            return NULL;
        chunk = more; /* what is left of the old chunk is too small for most and forgotten */
        chunk_end = more + JVM_OFFHEAP_CHUNK_BYTES;
    }
    h = (head *)chunk;
    jvm_undo_keep(&chunk, sizeof chunk);
    chunk += nbytes;
    h->nbytes = nbytes;
    return h;
}

static head *large_new(size_t nbytes)
{
    jvm_undo_cut(mapped);
    head *h = jvm_region_take(&region, nbytes);
    if (h != NULL)
        h->nbytes = nbytes;
    return h;
}

void *jvm_offheap_alloc(size_t nbytes)
{
    size_t whole = nbytes + sizeof(head);
    if (whole < nbytes || whole > (size_t)1 << 46)
        return NULL;
    head *h = whole <= (size_t)1 << LARGEST ? small_new(size_class(whole)) : large_new(whole);
    return h == NULL ? NULL : h + 1;
}

void jvm_offheap_free(void *p)
{
    if (p == NULL)
        return;
    head *h = (head *)p - 1;
    if (h->nbytes > (size_t)1 << LARGEST) {
        jvm_undo_cut("the end of memory outside of the heap");
        jvm_region_give(&region, h, h->nbytes);
        return;
    }
    int log = size_class(h->nbytes);
    jvm_undo_keep(&free_blocks[log], sizeof free_blocks[log]);
    jvm_undo_keep(&h->next, sizeof h->next);
    h->next = free_blocks[log];
    free_blocks[log] = h;
}

void *jvm_offheap_realloc(void *p, size_t nbytes)
{
    void *more = jvm_offheap_alloc(nbytes);
    if (p == NULL || more == NULL)
        return more;
    size_t old = ((head *)p - 1)->nbytes - sizeof(head);
    jvm_undo_keep(more, old < nbytes ? old : nbytes);
    memcpy(more, p, old < nbytes ? old : nbytes);
    jvm_offheap_free(p);
    return more;
}

bool jvm_offheap_holds(const void *at, size_t nbytes)
{
    return jvm_region_holds(&region, at, nbytes);
}

void jvm_offheap_keep(void *at, size_t nbytes)
{
    if (!jvm_undo_on)
        return;
    if (jvm_offheap_holds(at, nbytes))
        jvm_undo_keep(at, nbytes);
    else
        jvm_undo_cut("a write to memory that is not Java's");
}
