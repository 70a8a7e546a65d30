/* Local handles are a stack in a reserved range per thread; a deleted one in the middle reads as null
 * until its native call returns. */
#include "jvm/heap/handles.h"

#include "base/check.h"
#include "base/mem.h"
#include "base/sizes.h"
#include "jvm/engine/frame.h"
#include "jvm/threads/thread.h"

enum { MAX_LOCALS = 1 << 20 };

jobject jvm_local(jvm_thread *t, jvm_obj *o)
{
    if (o == NULL)
        return NULL;
    ebb_check(t->nhandles < MAX_LOCALS);
    t->handles[t->nhandles] = o;
    return (jobject)&t->handles[t->nhandles++];
}

size_t jvm_handles_mark(jvm_thread *t)
{
    return t->nhandles;
}

void jvm_handles_release(jvm_thread *t, size_t mark)
{
    t->nhandles = mark;
}

void jvm_local_delete(jvm_thread *t, jobject local)
{
    jvm_obj **cell = (jvm_obj **)local;
    if (cell < t->handles || cell >= t->handles + t->nhandles)
        return; /* an argument's cell, or nonsense */
    *cell = NULL;
    if (cell == t->handles + t->nhandles - 1)
        t->nhandles--;
}

/* ---- global handles: chunks that never move, cells reused ---- */

typedef struct chunk {
    struct chunk *next; /* made before this one */
    size_t number;      /* of its first cell */
    jvm_obj *cells[JVM_HANDLE_CHUNK]; /* an object, or a link of the free list tagged with bit 0 */
} chunk;

typedef struct cell_pool {
    chunk *chunks;
    jvm_obj **free;
} cell_pool;

static cell_pool globals, weaks;

static jvm_obj **cell_take(cell_pool *pool)
{
    if (pool->free == NULL) {
        chunk *c = EBB_NEW(chunk);
        c->next = pool->chunks;
        c->number = c->next == NULL ? 0 : c->next->number + JVM_HANDLE_CHUNK;
        pool->chunks = c;
        for (int i = JVM_HANDLE_CHUNK; i-- > 0;) {
            c->cells[i] = (jvm_obj *)((uintptr_t)pool->free | 1);
            pool->free = &c->cells[i];
        }
    }
    jvm_obj **cell = pool->free;
    jvm_undo_keep(&pool->free, sizeof pool->free); /* a new chunk stays: its cells are given out again in the same order */
    jvm_undo_keep(cell, sizeof *cell);
    pool->free = (jvm_obj **)((uintptr_t)*cell & ~(uintptr_t)1);
    return cell;
}

static void cell_give(cell_pool *pool, jvm_obj **cell)
{
    jvm_undo_keep(&pool->free, sizeof pool->free);
    jvm_undo_keep(cell, sizeof *cell);
    *cell = (jvm_obj *)((uintptr_t)pool->free | 1);
    pool->free = cell;
}

static bool cell_is_free(jvm_obj *content)
{
    return ((uintptr_t)content & 1) != 0;
}

jobject jvm_global_new(jvm_obj *o)
{
    if (o == NULL)
        return NULL;
    jvm_obj **cell = cell_take(&globals);
    *cell = o;
    return (jobject)cell;
}

void jvm_global_delete(jobject global)
{
    if (global != NULL)
        cell_give(&globals, (jvm_obj **)global);
}

jweak jvm_weak_new(jvm_obj *o)
{
    if (o == NULL)
        return NULL;
    jvm_obj **cell = cell_take(&weaks);
    *cell = o;
    return (jweak)((uintptr_t)cell | 1);
}

void jvm_weak_delete(jweak weak)
{
    if (weak != NULL)
        cell_give(&weaks, (jvm_obj **)((uintptr_t)weak & ~(uintptr_t)1));
}

void jvm_handles_visit_globals(void (*visit)(jvm_obj **slot, void *arg), void *arg)
{
    for (chunk *c = globals.chunks; c != NULL; c = c->next)
        for (int i = 0; i < JVM_HANDLE_CHUNK; i++)
            if (!cell_is_free(c->cells[i]) && c->cells[i] != NULL)
                visit(&c->cells[i], arg);
}

void jvm_handles_clear_dead_weak(bool (*is_live)(const jvm_obj *o))
{
    for (chunk *c = weaks.chunks; c != NULL; c = c->next)
        for (int i = 0; i < JVM_HANDLE_CHUNK; i++)
            if (!cell_is_free(c->cells[i]) && c->cells[i] != NULL && !is_live(c->cells[i]))
                c->cells[i] = NULL;
}

static bool in_pool(const cell_pool *pool, jvm_obj **cell)
{
    for (const chunk *c = pool->chunks; c != NULL; c = c->next)
        if (cell >= (jvm_obj **)c->cells && cell < (jvm_obj **)c->cells + JVM_HANDLE_CHUNK)
            return !cell_is_free(*cell);
    return false;
}

jobjectRefType jvm_handle_kind(jvm_thread *t, jobject handle)
{
    if (handle == NULL)
        return JNIInvalidRefType;
    jvm_obj **cell = (jvm_obj **)((uintptr_t)handle & ~(uintptr_t)1);
    if (((uintptr_t)handle & 1) != 0)
        return in_pool(&weaks, cell) ? JNIWeakGlobalRefType : JNIInvalidRefType;
    if (cell >= t->handles && cell < t->handles + t->nhandles)
        return *cell != NULL ? JNILocalRefType : JNIInvalidRefType;
    if ((jvm_slot *)cell >= t->stack && (jvm_slot *)cell < t->stack_end)
        return JNILocalRefType;
    return in_pool(&globals, cell) ? JNIGlobalRefType : JNIInvalidRefType;
}

/* ---- numbers ---- */

size_t jvm_local_index(const jvm_thread *t, jobject local)
{
    jvm_obj **cell = (jvm_obj **)local;
    return cell >= t->handles && cell < t->handles + t->nhandles ? (size_t)(cell - t->handles) : SIZE_MAX;
}

jobject jvm_local_at(const jvm_thread *t, uint64_t index)
{
    return index < t->nhandles ? (jobject)&t->handles[index] : NULL;
}

size_t jvm_global_index(jobject handle)
{
    jvm_obj **cell = (jvm_obj **)((uintptr_t)handle & ~(uintptr_t)1);
    bool weak = ((uintptr_t)handle & 1) != 0;
    for (const chunk *c = weak ? weaks.chunks : globals.chunks; c != NULL; c = c->next)
        if (cell >= (jvm_obj **)c->cells && cell < (jvm_obj **)c->cells + JVM_HANDLE_CHUNK)
            return c->number + (size_t)(cell - (jvm_obj **)c->cells);
    return SIZE_MAX;
}

jobject jvm_global_at(uint64_t index, bool weak)
{
    for (chunk *c = weak ? weaks.chunks : globals.chunks; c != NULL; c = c->next)
        if (index >= c->number && index - c->number < JVM_HANDLE_CHUNK && !cell_is_free(c->cells[index - c->number]))
            return (jobject)((uintptr_t)&c->cells[index - c->number] | weak);
    return NULL;
}
