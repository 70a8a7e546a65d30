/* heap.c - allocation: blocks of one size class each, swept when a cell is needed. */
#include "jvm/heap/heap.h"

#include "base/check.h"
#include "base/log.h"
#include "base/sizes.h"
#include "jvm/classes/class.h"
#include "jvm/heap/heap_shape.h"
#include "jvm/classes/loader.h"
#include "jvm/threads/sanitizer.h"
#include "jvm/engine/throw.h"
#include "jvm/undo/keep.h"
#include "jvm/jvm.h"

#include <string.h>
#include <sys/mman.h>

jvm_heap jvm_heap_;
static jvm_heap *const heap = &jvm_heap_;


/* ---- set-up ---- */

static void add_sizes(void)
{
    uint32_t cell = 16, step = 8;
    uint32_t at = 0;
    while (cell <= JVM_MAX_SMALL) {
        ebb_check(heap->nsizes < JVM_NSIZES);
        jvm_size_class *sc = &heap->sizes[heap->nsizes];
        sc->cell = cell;
        for (; at <= cell / 8; at++)
            heap->size_of[at] = (uint8_t)heap->nsizes;
        heap->nsizes++;
        if (cell >= step * 16)
            step *= 2;
        cell += step;
    }
}

void jvm_heap_init(uint64_t max_bytes)
{
    size_t reserve = (size_t)max_bytes * 2 + ((size_t)256 << 20);
    reserve = (reserve + JVM_BLOCK_SIZE - 1) & ~(size_t)(JVM_BLOCK_SIZE - 1);
    /* A fixed place: the recording names objects by their address (record/record.h). */
    void *wish = (void *)JVM_REGION_FIRST; /* also where a sanitizer has the addresses below for itself */
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *p = mmap(wish, reserve, PROT_READ | PROT_WRITE, flags | MAP_FIXED_NOREPLACE, -1, 0);
    if (p == MAP_FAILED)
        p = mmap(NULL, reserve + JVM_BLOCK_SIZE, PROT_READ | PROT_WRITE, flags, -1, 0);
    ebb_check(p != MAP_FAILED);
    heap->base = (char *)(((uintptr_t)p + JVM_BLOCK_SIZE - 1) & ~(uintptr_t)(JVM_BLOCK_SIZE - 1));
    heap->reserved = reserve;
    heap->max_blocks = (uint32_t)(reserve >> JVM_BLOCK_SHIFT);
    heap->blocks = ebb_zalloc(heap->max_blocks * sizeof *heap->blocks);
    heap->max = max_bytes;
    heap->large_region.base = JVM_REGION_LARGE;
    heap->threshold = JVM_FIRST_COLLECTION_BYTES < max_bytes / 2 ? JVM_FIRST_COLLECTION_BYTES : max_bytes / 2;
    const char *stress = getenv("EBB_STRESS_GC"); /* for tests: collect after so many bytes */
    heap->stress = stress ? strtoull(stress, NULL, 0) : 0;
    if (heap->stress != 0)
        heap->threshold = heap->stress;
    add_sizes();
}

/* ---- blocks ---- */

/* What a block holds needs no keeping: taken again it is zeroed again. */
static uint32_t block_take(uint8_t size_class)
{
    uint32_t index;
    jvm_undo_keep(&heap->empty.n, sizeof heap->empty.n);
    jvm_undo_keep(&heap->nblocks, sizeof heap->nblocks);
    if (heap->empty.n > 0) {
        index = heap->empty.items[--heap->empty.n];
        jvm_heap_block *b = &heap->blocks[index];
        memset(heap->base + ((size_t)index << JVM_BLOCK_SHIFT), 0, b->fresh);
    } else if (heap->nblocks < heap->max_blocks) {
        index = heap->nblocks++;
        if (heap->blocks[index].marks == NULL) { /* else it was taken before, and that was undone */
            heap->blocks[index].marks = ebb_zalloc(JVM_MARK_WORDS * 8);
            heap->blocks[index].old_marks = ebb_zalloc(JVM_MARK_WORDS * 8);
            jvm_sanitizer_region_made(heap->base + ((size_t)index << JVM_BLOCK_SHIFT), JVM_BLOCK_SIZE);
        }
    } else {
        return UINT32_MAX;
    }
    jvm_heap_block *b = &heap->blocks[index];
    jvm_undo_keep(b, sizeof *b);
    b->size_class = size_class;
    b->in_use = true;
    b->unswept = false;
    b->fresh = 0;
    return index;
}

static bool bit(const uint64_t *marks, size_t i)
{
    return marks[i / 64] >> (i % 64) & 1;
}

/* Puts the dead cells of a block on the free list of its class; true when there were any.  The cells themselves need no
 * keeping: those of an unswept block are told apart by its marks, and swept again they make the same list. */
static bool block_sweep(jvm_size_class *sc, uint32_t index)
{
    jvm_heap_block *b = &heap->blocks[index];
    char *base = heap->base + ((size_t)index << JVM_BLOCK_SHIFT);
    jvm_free_cell **tail = &sc->free;
    jvm_undo_keep(b, sizeof *b);
    b->unswept = false;
    for (uint32_t off = 0; off < b->fresh; off += sc->cell) {
        if (bit(b->marks, off / 8))
            continue;
        jvm_free_cell *cell = (jvm_free_cell *)(base + off);
        cell->no_class = NULL;
        *tail = cell;
        tail = &cell->next;
    }
    *tail = NULL;
    return sc->free != NULL;
}

static bool sweep_next(jvm_size_class *sc, uint8_t index)
{
    while (sc->next_sweep < heap->nblocks) {
        uint32_t i = sc->next_sweep++;
        jvm_heap_block *b = &heap->blocks[i];
        if (b->in_use && b->unswept && b->size_class == index && block_sweep(sc, i))
            return true;
    }
    return false;
}

/* A cell when the free list and the bump area are both empty. */
static void *cell_slow(jvm_size_class *sc)
{
    uint8_t index = (uint8_t)(sc - heap->sizes);
    jvm_undo_keep(sc, sizeof *sc);
    if (sweep_next(sc, index)) {
        jvm_free_cell *cell = sc->free;
        sc->free = cell->next;
        return memset(cell, 0, sc->cell);
    }
    uint32_t block = block_take(index);
    if (block == UINT32_MAX)
        return NULL;
    char *base = heap->base + ((size_t)block << JVM_BLOCK_SHIFT);
    sc->bump_end = base + JVM_BLOCK_SIZE / sc->cell * sc->cell;
    sc->bump = base + sc->cell;
    heap->blocks[block].fresh = (uint32_t)(sc->bump_end - base);
    return base;
}

static void *large_new(size_t nbytes)
{
    size_t mapped = (nbytes + sizeof(jvm_large) + 4095) & ~(size_t)4095;
    jvm_large *l = jvm_region_take(&heap->large_region, mapped);
    if (l == NULL)
        return NULL;
    l->mapped = mapped;
    l->index = heap->large.n;
    ebb_vec_push(&heap->large, l);
    jvm_sanitizer_region_made(l, mapped);
    jvm_flow_mapped(l, mapped, true);
    return l + 1;
}

static inline jvm_size_class *size_class_of(size_t nbytes) { return &heap->sizes[heap->size_of[(nbytes + 7) / 8]]; }

static inline void *cell_new(size_t nbytes)
{
    jvm_size_class *sc = size_class_of(nbytes);
    jvm_free_cell *cell = sc->free;
    if (cell != NULL) {
        sc->free = cell->next;
        return memset(cell, 0, sc->cell);
    }
    if (sc->bump < sc->bump_end) {
        char *p = sc->bump;
        sc->bump += sc->cell;
        return p;
    }
    return cell_slow(sc);
}

/* ---- objects ---- */

static uint64_t hard_limit(void)
{
    return heap->max + heap->max / 8 + (8 << 20);
}

void (*jvm_alloc_hook)(jvm_obj *o, size_t nbytes);

jvm_obj *jvm_new_sized(jvm_thread *t, jvm_class *cls, size_t nbytes)
{
    jvm_obj *o = NULL;
    if (heap->used + nbytes <= hard_limit())
        o = nbytes <= JVM_MAX_SMALL ? cell_new(nbytes) : large_new(nbytes);
    if (o == NULL) {
        jvm_throw_oom(t, "Java heap space");
        return NULL;
    }
    heap->used += nbytes;
    heap->allocated_total += nbytes;
    o->cls = cls;
    jvm_undo_alloc(o);
    jvm_flow_made(o, nbytes);
    if (__builtin_expect(jvm_alloc_hook != NULL, 0))
        jvm_alloc_hook(o, nbytes);
    return o;
}

/* ---- taking back ---- */

static void cell_ungive(jvm_obj *o, size_t nbytes)
{
    jvm_size_class *sc = size_class_of(nbytes);
    if ((char *)o + sc->cell == sc->bump) { /* a block that is being bumped through has no cells on the free list */
        sc->bump = memset(o, 0, sc->cell);
        return;
    }
    *(jvm_free_cell *)o = (jvm_free_cell){NULL, sc->free};
    sc->free = (jvm_free_cell *)o;
}

static void large_ungive(jvm_obj *o)
{
    jvm_large *l = jvm_large_of(o);
    ebb_check(l->index == heap->large.n - 1);
    heap->large.n--;
    jvm_sanitizer_region_gone(l, l->mapped);
    jvm_region_give(&heap->large_region, l, l->mapped);
}

void jvm_heap_ungive(jvm_obj *o)
{
    size_t nbytes = jvm_obj_size(o);
    heap->used -= nbytes;
    heap->allocated_total -= nbytes;
    if (jvm_in_blocks(o))
        cell_ungive(o, nbytes);
    else
        large_ungive(o);
}

/* ---- by kind ---- */

jvm_obj *jvm_new_object(jvm_thread *t, jvm_class *cls)
{
    return jvm_new_sized(t, cls, cls->instance_size);
}

static size_t array_size(const jvm_class *array_class, int32_t length)
{
    return JVM_ARRAY_BASE + (size_t)length * java_type_size(array_class->element_type);
}

jvm_obj *jvm_new_array(jvm_thread *t, jvm_class *array_class, int32_t length)
{
    jvm_obj *o = jvm_new_sized(t, array_class, array_size(array_class, length));
    if (o != NULL)
        o->length = length;
    return o;
}

jvm_obj *jvm_new_prim_array(jvm_thread *t, char element_type, int32_t length)
{
    return jvm_new_array(t, jvm_prim_array_class(element_type), length);
}

size_t jvm_obj_size(const jvm_obj *o)
{
    if (jvm_class_is_array(o->cls))
        return array_size(o->cls, o->length);
    if (o->cls == jvm.classes.Class)
        return o->cls->instance_size + jvm_mirror_class(o)->statics_size;
    return o->cls->instance_size;
}

/* Fields of less than 4 bytes share what object flow knows of them. */
static size_t least_field(const jvm_class *cls)
{
    for (; cls != NULL; cls = cls->super)
        for (uint16_t i = 0; i < cls->nfields; i++)
            if (!(cls->fields[i].access & JVM_ACC_STATIC) && java_type_size(cls->fields[i].type) < 4)
                return 1;
    return 4;
}

static void copy_fields(jvm_obj *to, const jvm_obj *from, size_t nbytes)
{
    bool is_array = jvm_class_is_array(from->cls);
    size_t first = is_array ? JVM_ARRAY_BASE : JVM_HEADER_SIZE;
    if (jvm_flow_on)
        jvm_flow_copied((char *)to + first, (const char *)from + first, nbytes - first,
                        is_array ? java_type_size(from->cls->element_type) : least_field(from->cls));
    memcpy((char *)to + JVM_HEADER_SIZE, (const char *)from + JVM_HEADER_SIZE, nbytes - JVM_HEADER_SIZE);
}

jvm_obj *jvm_clone(jvm_thread *t, jvm_obj *o)
{
    size_t nbytes = jvm_obj_size(o);
    jvm_obj *copy = jvm_new_sized(t, o->cls, nbytes);
    if (copy != NULL && nbytes > JVM_HEADER_SIZE)
        copy_fields(copy, o, nbytes);
    return copy;
}

/* ---- GC points ---- */

void jvm_gc_point(jvm_thread *t)
{
    if (heap->used >= heap->threshold)
        jvm_collect(t, false);
}

void jvm_gc(jvm_thread *t)
{
    jvm_collect(t, false);
}

bool jvm_gc_reserve(jvm_thread *t, uint64_t nbytes)
{
    if (heap->used + nbytes < heap->threshold)
        return true;
    if (nbytes <= heap->max)
        jvm_collect(t, false);
    if (heap->used + nbytes > heap->max && nbytes <= heap->max)
        jvm_collect(t, true);
    if (heap->used + nbytes <= heap->max)
        return true;
    jvm_throw_oom(t, "Java heap space");
    return false;
}

void jvm_heap_add_roots(jvm_roots_fn *roots)
{
    ebb_vec_push(&heap->roots, roots);
}

jvm_heap_stats jvm_heap_get_stats(void)
{
    return (jvm_heap_stats){heap->max, heap->used, (uint64_t)heap->nblocks << JVM_BLOCK_SHIFT, heap->allocated_total,
                            heap->ncollections};
}

/* ---- walking ---- */

/* During a collection the marks are being made anew: the old ones tell what unswept cells are. */
static bool cell_is_object(const jvm_heap_block *b, uint32_t off, const jvm_obj *o)
{
    const uint64_t *marks = heap->marking ? b->old_marks : b->marks;
    return o->cls != NULL && (!b->unswept || bit(marks, off / 8));
}

bool jvm_heap_has_address(const void *p)
{
    return (size_t)((const char *)p - jvm_heap_.base) < jvm_heap_.reserved;
}

bool jvm_heap_holds(const void *p)
{
    if (((uintptr_t)p & 7) != 0)
        return false;
    if (jvm_in_blocks(p)) {
        size_t at = (size_t)((const char *)p - heap->base);
        const jvm_heap_block *b = &heap->blocks[at >> JVM_BLOCK_SHIFT];
        uint32_t off = (uint32_t)(at & (JVM_BLOCK_SIZE - 1));
        return b->in_use && off < b->fresh && off % heap->sizes[b->size_class].cell == 0 && cell_is_object(b, off, p);
    }
    for (size_t i = 0; i < heap->large.n; i++)
        if ((const void *)(heap->large.items[i] + 1) == p)
            return true;
    return false;
}

void jvm_heap_each(void (*visit)(jvm_obj *o, void *arg), void *arg)
{
    for (uint32_t i = 0; i < heap->nblocks; i++) {
        const jvm_heap_block *b = &heap->blocks[i];
        char *base = heap->base + ((size_t)i << JVM_BLOCK_SHIFT);
        uint32_t cell = heap->sizes[b->size_class].cell;
        for (uint32_t off = 0; b->in_use && off < b->fresh; off += cell)
            if (cell_is_object(b, off, (jvm_obj *)(base + off)))
                visit((jvm_obj *)(base + off), arg);
    }
    for (size_t i = 0; i < heap->large.n; i++)
        visit((jvm_obj *)(heap->large.items[i] + 1), arg);
}
