/* apart.c - taking back one thread's writes, stack and locks, in a copy in which the others stay (apart.h). */
#include "jvm/undo/apart.h"

#include "base/map.h"
#include "base/mem.h"
#include "jvm/heap/heap.h"
#include "jvm/engine/interp.h"
#include "jvm/threads/monitor.h"
#include "jvm/undo/internal.h"

#include <string.h>

/* ---- whose writes ---- */

typedef struct apart_write {
    char *at;
    const char *old; /* n bytes in the ring; NULL: `word` is it */
    size_t n;
    uint64_t word;
    const jvm_thread *by;
} apart_write;

typedef EBB_VEC(apart_write) apart_writes;

/* Of the program's data: not a lock word, not one of the machine's own variables. */
static bool is_write(const ebb_undo_record *r)
{
    const char *at = r->address;
    if (r->kind == JVM_SAVED_WORD)
        return true;
    bool is_mark = r->what == sizeof((jvm_obj *)NULL)->mark && jvm_heap_holds(at - offsetof(jvm_obj, mark));
    return r->kind == JVM_SAVED_BYTES && jvm_heap_has_address(at) && !is_mark;
}

/* A thread gets its turn: what is newer is its own, up to the checkpoint that follows. */
static bool is_turn(const ebb_undo_record *r)
{
    if (r->kind != JVM_SAVED_BYTES || r->what != sizeof(jvm_thread))
        return false;
    for (const jvm_thread *t = jvm_threads_first(); t != NULL; t = t->next_all)
        if (t == r->address)
            return true;
    return false;
}

/* All writes since that checkpoint, newest first.  Who made them is known when the log comes to where that thread's turn began. */
static apart_writes writes_since(const ebb_checkpoint *e)
{
    apart_writes all = {0};
    size_t open = 0; /* the first one of which it isn't known yet */
    ebb_undo_walk walk = ebb_undo_log_walk(&jvm_undo_log, e);
    for (ebb_undo_record r; ebb_undo_walk_back(&walk, &r);) {
        const jvm_thread *by = NULL;
        if (r.kind == JVM_SAVED_CHECKPOINT)
            memcpy(&by, r.bytes + offsetof(jvm_checkpoint, thread), sizeof by);
        else if (is_turn(&r))
            by = r.address;
        else if (is_write(&r))
            ebb_vec_push(&all, ((apart_write){.at = r.address, .old = r.bytes, .n = r.bytes ? r.what : sizeof r.what, .word = r.what}));
        for (; by != NULL && open < all.n; open++)
            all.items[open].by = by;
    }
    return all;
}

static size_t count_own(const apart_writes *all, const jvm_thread *t)
{
    size_t n = 0;
    for (size_t i = 0; i < all->n; i++)
        n += all->items[i].by == t;
    return n;
}

/* ---- taking them back ---- */

typedef struct apart_thread { /* one that went back already: */
    const jvm_thread *thread;
    size_t n; /* so many of its last writes are no more */
} apart_thread;

static EBB_VEC(apart_thread) taken;
static ebb_map *originals; /* word -> uint64_t *: what was in it when the threads parted, if it is another now */

static bool is_taken(const apart_write *w, size_t *counts)
{
    for (size_t i = 0; i < taken.n; i++)
        if (taken.items[i].thread == w->by)
            return counts[i]++ < taken.items[i].n;
    return false;
}

typedef struct word_state { /* of a word of the heap, at the write that is looked at: */
    uint64_t after;         /* what was in it afterwards */
    uint8_t is_others;      /* by byte: another thread has written it since, and that stays */
} word_state;

typedef struct taking_back {
    ebb_map *words; /* address -> word_state * */
    ebb_arena arena;
} taking_back;

static word_state *state_of(taking_back *b, uint64_t *word)
{
    word_state *state = ebb_map_get_u64(b->words, (uintptr_t)word);
    if (state != NULL)
        return state;
    const uint64_t *original = originals == NULL ? NULL : ebb_map_get_u64(originals, (uintptr_t)word);
    state = EBB_ARENA_NEW(&b->arena, word_state);
    *state = (word_state){.after = original != NULL ? *original : *word};
    ebb_map_set_u64(b->words, (uintptr_t)word, state);
    return state;
}

static void change_byte(char *at, char to)
{
    uint64_t *word = (uint64_t *)((uintptr_t)at & ~(uintptr_t)7);
    if (originals == NULL)
        originals = ebb_map_new();
    if (ebb_map_get_u64(originals, (uintptr_t)word) == NULL) {
        uint64_t *original = EBB_NEW(uint64_t);
        *original = *word;
        ebb_map_set_u64(originals, (uintptr_t)word, original);
    }
    *at = to;
}

enum whose { OWN, OTHERS, NOBODYS }; /* the last: taken back already */

static void look_at_byte(taking_back *b, char *at, char old, enum whose whose)
{
    size_t k = (uintptr_t)at & 7;
    word_state *state = state_of(b, (uint64_t *)(at - k));
    char *after = (char *)&state->after + k;
    if (*after != old && whose == OTHERS)
        state->is_others |= (uint8_t)(1u << k);
    if (*after != old && whose == OWN && !(state->is_others & 1u << k))
        change_byte(at, old);
    *after = old;
}

static void take_back(const apart_writes *all, const jvm_thread *t, size_t how_many)
{
    taking_back b = {.words = ebb_map_new()};
    size_t *counts = ebb_zalloc((taken.n + 1) * sizeof *counts), left = how_many;
    for (size_t i = 0; i < all->n && left > 0; i++) {
        const apart_write *w = &all->items[i];
        const char *old = w->old != NULL ? w->old : (const char *)&w->word;
        enum whose whose = is_taken(w, counts) ? NOBODYS : w->by == t ? OWN : OTHERS;
        for (size_t k = 0; k < w->n; k++)
            look_at_byte(&b, w->at + k, old[k], whose);
        left -= w->by == t;
    }
    ebb_vec_push(&taken, ((apart_thread){t, how_many}));
    free(counts);
    ebb_map_free(b.words);
    ebb_arena_fini(&b.arena);
}

/* ---- locks ---- */

typedef struct holding {
    const jvm_thread *thread;
    EBB_VEC(jvm_wire_held_lock) locks;
} holding;

static void note_held(jvm_obj *o, void *arg)
{
    holding *h = arg;
    if ((o->mark & 1) != 0 && jvm_monitor_owner(o) == h->thread)
        ebb_vec_push(&h->locks, ((jvm_wire_held_lock){.object = (uintptr_t)o, .count = jvm_monitor_count(o)}));
}

static holding locks_of(const jvm_thread *t)
{
    holding h = {.thread = t};
    jvm_heap_each(note_held, &h);
    return h;
}

static uint64_t count_then(const jvm_wire_thread_state *then, uint64_t object)
{
    for (size_t i = 0; i < then->locks.n; i++)
        if (then->locks.items[i].object == object)
            return then->locks.items[i].count;
    return 0;
}

/* UA1 */
static ebb_status check_locks(const jvm_thread *t, const jvm_wire_thread_state *then, ebb_error *err)
{
    for (size_t i = 0; i < then->locks.n; i++) {
        jvm_obj *o = (jvm_obj *)(uintptr_t)then->locks.items[i].object;
        const jvm_thread *owner = jvm_heap_holds(o) ? jvm_monitor_owner(o) : NULL;
        if (owner == NULL || owner == t)
            continue;
        char *name = jvm_class_external_name(o->cls);
        ebb_status status = ebb_fail(err, EBB_BAD_INPUT, "Thread %u can't go back alone: it held the lock of %s@%p then, and thread %u holds it now.",
                                     t->id, name, (void *)o, owner->id);
        free(name);
        return status;
    }
    return EBB_OK;
}

static void put_locks(jvm_thread *t, const jvm_wire_thread_state *then)
{
    holding now = locks_of(t);
    for (size_t i = 0; i < now.locks.n; i++)
        for (uint64_t n = now.locks.items[i].count; n > count_then(then, now.locks.items[i].object); n--)
            (void)jvm_monitor_exit(t, (jvm_obj *)(uintptr_t)now.locks.items[i].object);
    for (size_t i = 0; i < then->locks.n; i++) {
        jvm_obj *o = (jvm_obj *)(uintptr_t)then->locks.items[i].object;
        while (jvm_heap_holds(o) && (jvm_monitor_owner(o) == t ? jvm_monitor_count(o) : 0) < then->locks.items[i].count)
            if (!jvm_monitor_try_enter(t, o))
                break;
    }
    ebb_vec_fini(&now.locks);
}

/* ---- both halves ---- */

static ebb_status find_checkpoint(uint64_t time, uint64_t place, const ebb_checkpoint **e, ebb_error *err)
{
    if (!jvm_undo_reaches(time, place))
        return ebb_fail(err, EBB_NO_HISTORY, "The undo log doesn't reach back to where the thread was then.");
    *e = undo_reached();
    return EBB_OK;
}

ebb_status jvm_apart_get(jvm_thread *t, uint64_t time, uint64_t place, jvm_wire_thread_state *out, ebb_arena *arena, ebb_error *err)
{
    const ebb_checkpoint *e = NULL;
    EBB_TRY(find_checkpoint(time, place, &e, err));
    apart_writes all = writes_since(e);
    holding held = locks_of(t);
    *out = (jvm_wire_thread_state){.tid = t->id, .time = time, .place = place, .n_writes = count_own(&all, t),
        .activation = (uintptr_t)t->activation, .frame = (uintptr_t)t->frame, .exception = (uintptr_t)t->exception,
        .n_handles = t->nhandles, .handles_free = t->handles_free};
    size_t nbytes = t->frame == NULL ? 0 : (size_t)((char *)t->frame->sp - (char *)t->stack);
    out->stack.data = memcpy(ebb_arena_alloc(arena, nbytes + 1), t->stack, nbytes);
    out->stack.n = (uint32_t)nbytes;
    out->locks.items = EBB_ARENA_ARRAY(arena, jvm_wire_held_lock, held.locks.n + 1);
    for (size_t i = 0; i < held.locks.n; i++)
        out->locks.items[out->locks.n++] = held.locks.items[i];
    ebb_vec_fini(&held.locks);
    ebb_vec_fini(&all);
    return EBB_OK;
}

/* UA2 */
static ebb_status check_thread(const jvm_thread *t, const jvm_wire_thread_state *then, ebb_error *err)
{
    if ((uintptr_t)t->activation != then->activation || t->activation == NULL)
        return ebb_fail(err, EBB_UNSUPPORTED, "Thread %u can't go back alone: there is native code between then and now.", t->id);
    if (t != jvm_self && !t->runnable)
        return ebb_fail(err, EBB_UNSUPPORTED, "Thread %u can't go back alone: it is waiting.", t->id);
    if (then->stack.n > (size_t)((char *)t->stack_end - (char *)t->stack))
        return ebb_fail(err, EBB_BAD_INPUT, "A stack of thread %u that it never had.", t->id);
    return EBB_OK;
}

ebb_status jvm_apart_put(jvm_thread *t, const jvm_wire_thread_state *then, ebb_error *err)
{
    const ebb_checkpoint *e = NULL;
    EBB_TRY(check_thread(t, then, err));
    EBB_TRY(find_checkpoint(then->time, then->place, &e, err));
    EBB_TRY(check_locks(t, then, err));
    apart_writes all = writes_since(e);
    size_t own = count_own(&all, t);
    if (own < then->n_writes) {
        ebb_vec_fini(&all);
        return ebb_fail(err, EBB_SYSTEM, "What thread %u wrote is not in the undo log.", t->id);
    }
    take_back(&all, t, own - then->n_writes);
    ebb_vec_fini(&all);
    bool was_on = jvm_undo_on; /* what follows is no part of the log that other threads may still have to go back by */
    jvm_undo_on = false;
    put_locks(t, then);
    memcpy(t->stack, then->stack.data, then->stack.n);
    t->frame = (jvm_frame *)(uintptr_t)then->frame;
    t->exception = (jvm_obj *)(uintptr_t)then->exception;
    t->thrown = NULL;
    t->nhandles = then->n_handles;
    t->handles_free = then->handles_free;
    jvm_undo_on = was_on;
    return EBB_OK;
}
