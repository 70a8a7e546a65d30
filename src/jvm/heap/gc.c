/* Mark, then leave the sweeping to the allocator.  Marking uses an explicit stack; java.lang.ref
 * objects are set aside while marking and looked at in the order soft, weak, final, phantom. */
#include "jvm/heap/heap_shape.h"

#include "base/check.h"
#include "base/log.h"
#include "jvm/classes/class.h"
#include "jvm/heap/handles.h"
#include "jvm/heap/jstring_table.h"
#include "jvm/threads/monitor.h"
#include "jvm/heap/roots.h"
#include "jvm/threads/sanitizer.h"
#include "jvm/threads/thread.h"
#include "jvm/undo/keep.h"
#include "jvm/classes/unload.h"
#include "jvm/jvm.h"

#include <string.h>

static jvm_heap *const heap = &jvm_heap_;

static struct {
    EBB_VEC(jvm_obj *) stack;
    EBB_VEC(jvm_obj *) found[JVM_REF_PHANTOM + 1]; /* references with a referent not yet marked, by kind */
    uint64_t live;
    bool clear_soft;
    jvm_obj *last_pending;
} gc;

/* ---- marking ---- */

bool jvm_marked(const jvm_obj *o)
{
    if (!jvm_in_blocks(o))
        return jvm_large_of(o)->marked != 0;
    size_t at = (size_t)((const char *)o - heap->base);
    size_t i = (at & (JVM_BLOCK_SIZE - 1)) / 8;
    return heap->blocks[at >> JVM_BLOCK_SHIFT].marks[i / 64] >> (i % 64) & 1;
}

/* Sets the mark; false when it was set already. */
static inline bool mark_first(jvm_obj *o)
{
    if (!jvm_in_blocks(o)) {
        uint64_t *m = &jvm_large_of(o)->marked;
        bool first = *m == 0;
        *m = 1;
        return first;
    }
    size_t at = (size_t)((char *)o - heap->base);
    size_t i = (at & (JVM_BLOCK_SIZE - 1)) / 8;
    uint64_t *word = &heap->blocks[at >> JVM_BLOCK_SHIFT].marks[i / 64], mask = (uint64_t)1 << (i % 64);
    if (*word & mask)
        return false;
    *word |= mask;
    return true;
}

static inline void push(jvm_obj *o)
{
    if (o != NULL && mark_first(o))
        ebb_vec_push(&gc.stack, o);
}

static void visit_root(jvm_obj **slot, void *arg)
{
    push(*slot);
}

static void scan_offsets(jvm_obj *o, const uint32_t *offsets, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        push(jvm_get_ref(o, offsets[i]));
}

/* The referent is not followed if the reference may have to be cleared. */
static void scan_reference(jvm_obj *o)
{
    jvm_obj *referent = jvm_get_ref(o, jvm.fields.Reference_referent);
    if (referent == NULL || jvm_marked(referent))
        return;
    bool active = jvm_get_ref(o, jvm.fields.Reference_next) == NULL;
    if (!active || (o->cls->ref_kind == JVM_REF_SOFT && !gc.clear_soft))
        push(referent);
    else
        ebb_vec_push(&gc.found[o->cls->ref_kind], o);
}

static void scan_mirror(jvm_obj *o)
{
    jvm_class *cls = jvm_mirror_class(o);
    scan_offsets(o, cls->static_refs, cls->nstatic_refs);
    jvm_visit_class(cls, visit_root, NULL);
}

static void scan_loader(const jvm_obj *o)
{
    const jvm_loader *loader = (const jvm_loader *)(uintptr_t)jvm_get_i64(o, jvm.fields.ClassLoader_vmLoader);
    if (loader != NULL)
        jvm_visit_loader(loader, visit_root, NULL);
}

/* A stack trace names methods by their address (engine/trace.c): their classes must stay. */
static void scan_backtrace(const jvm_obj *throwable)
{
    const jvm_obj *trace = jvm_get_ref(throwable, jvm.fields.Throwable_backtrace);
    for (int32_t i = 0; trace != NULL && i + 1 < trace->length; i += 2) {
        const jvm_class *cls = jvm_token_method(((const int64_t *)jvm_array_data(trace))[i])->cls;
        if (cls->flags & JVM_CLASS_UNLOADABLE)
            push(cls->mirror);
    }
}

static void scan(jvm_obj *o)
{
    const jvm_class *cls = o->cls;
    gc.live += jvm_obj_size(o);
    if (cls->flags & JVM_CLASS_UNLOADABLE)
        push(cls->mirror);
    if (cls->kind == JVM_KIND_OBJECT_ARRAY) {
        jvm_obj **elems = jvm_array_data(o);
        for (int32_t i = 0; i < o->length; i++)
            push(elems[i]);
        return;
    }
    if (cls->kind != JVM_KIND_INSTANCE)
        return;
    scan_offsets(o, cls->ref_offsets, cls->nref_offsets);
    if (cls->ref_kind != JVM_REF_NONE)
        scan_reference(o);
    else if (cls == jvm.classes.Class)
        scan_mirror(o);
    else if (cls->flags & JVM_CLASS_IS_LOADER)
        scan_loader(o);
    else if (cls->depth > 0 && cls->supers[1] == jvm.classes.Throwable)
        scan_backtrace(o);
}

static void drain(void)
{
    while (gc.stack.n > 0)
        scan(gc.stack.items[--gc.stack.n]);
}

/* ---- references ---- */

/* `next` pointing to itself means pending: the reference isn't active, no collection finds it again. */
static void enqueue(jvm_obj *ref)
{
    jvm_put_ref(ref, jvm.fields.Reference_next, ref);
    if (gc.last_pending == NULL)
        heap->pending = ref;
    else
        jvm_put_ref(gc.last_pending, jvm.fields.Reference_discovered, ref);
    gc.last_pending = ref;
}

static void process_kind(enum jvm_ref_kind kind, bool clear)
{
    for (size_t i = 0; i < gc.found[kind].n; i++) {
        jvm_obj *ref = gc.found[kind].items[i];
        jvm_obj *referent = jvm_get_ref(ref, jvm.fields.Reference_referent);
        if (referent == NULL || jvm_marked(referent))
            continue;
        if (clear)
            jvm_put_ref(ref, jvm.fields.Reference_referent, NULL);
        enqueue(ref);
    }
}

static void process_final(void)
{
    process_kind(JVM_REF_FINAL, false);
    for (size_t i = 0; i < gc.found[JVM_REF_FINAL].n; i++)
        push(jvm_get_ref(gc.found[JVM_REF_FINAL].items[i], jvm.fields.Reference_referent));
    drain();
}

static void process_references(void)
{
    gc.last_pending = heap->pending;
    while (gc.last_pending != NULL && jvm_get_ref(gc.last_pending, jvm.fields.Reference_discovered) != NULL)
        gc.last_pending = jvm_get_ref(gc.last_pending, jvm.fields.Reference_discovered);
    process_kind(JVM_REF_SOFT, true);
    process_kind(JVM_REF_WEAK, true);
    process_final();
    /* Finalizable objects came back to life and may have brought more references with them. */
    process_kind(JVM_REF_SOFT, true);
    process_kind(JVM_REF_WEAK, true);
    process_kind(JVM_REF_PHANTOM, true);
    for (int k = 0; k <= JVM_REF_PHANTOM; k++)
        gc.found[k].n = 0;
}

/* ---- before and after ---- */

static void clear_marks(void)
{
    for (uint32_t i = 0; i < heap->nblocks; i++) {
        jvm_heap_block *b = &heap->blocks[i];
        uint64_t *made = b->marks;
        b->marks = b->old_marks;
        b->old_marks = made;
        memset(b->marks, 0, JVM_MARK_WORDS * 8);
    }
    heap->marking = true;
    for (size_t i = 0; i < heap->large.n; i++)
        heap->large.items[i]->marked = 0;
}

static bool block_is_empty(const jvm_heap_block *b)
{
    for (int i = 0; i < JVM_MARK_WORDS; i++)
        if (b->marks[i] != 0)
            return false;
    return true;
}

static void release_blocks(void)
{
    for (uint32_t i = 0; i < heap->nsizes; i++) {
        jvm_size_class *sc = &heap->sizes[i];
        sc->free = NULL;
        sc->bump = sc->bump_end = NULL;
        sc->next_sweep = 0;
    }
    heap->empty.n = 0;
    for (uint32_t i = heap->nblocks; i-- > 0;) {
        jvm_heap_block *b = &heap->blocks[i];
        b->unswept = b->in_use = b->in_use && !block_is_empty(b);
        if (!b->in_use)
            ebb_vec_push(&heap->empty, i);
    }
}

static void release_large(void)
{
    size_t kept = 0;
    for (size_t i = 0; i < heap->large.n; i++) {
        jvm_large *l = heap->large.items[i];
        if (l->marked) {
            l->index = kept;
            heap->large.items[kept++] = l;
        } else {
            jvm_sanitizer_region_gone(l, l->mapped);
            jvm_flow_mapped(l, l->mapped, false);
            jvm_region_give(&heap->large_region, l, l->mapped);
        }
    }
    heap->large.n = kept;
}

static void set_threshold(void)
{
    uint64_t room = gc.live > (32u << 20) ? gc.live : 32u << 20;
    heap->used = gc.live;
    heap->threshold = gc.live + (heap->stress ? heap->stress : room);
    if (heap->threshold > heap->max)
        heap->threshold = heap->max;
}

void jvm_collect(jvm_thread *t, bool clear_soft)
{
    uint64_t before = heap->used;
    jvm_undo_cut("a collection"); /* undo/undo.h, UL4 */
    jvm_flow_settle();
    gc.live = 0;
    gc.clear_soft = clear_soft;
    clear_marks();
    jvm_visit_roots(visit_root, NULL);
    push(heap->pending);
    drain();
    process_references();
    jvm_handles_clear_dead_weak(jvm_marked);
    jvm_string_table_sweep(jvm_marked);
    jvm_monitors_sweep(jvm_marked);
    jvm_unload_dead(jvm_marked);
    heap->marking = false;
    release_blocks();
    release_large();
    set_threshold();
    jvm_flow_collect_after_heap();
    heap->ncollections++;
    ebb_log("collection %llu: %llu -> %llu bytes", (unsigned long long)heap->ncollections, (unsigned long long)before,
            (unsigned long long)heap->used);
    jvm_refs_wake_waiters();
}
