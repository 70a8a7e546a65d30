/* threads.c - threads and frames of a stock JVM. */
#include "jvm/stock/internal.h"

#include <string.h>

machine_tid stock_tid(stock *k, uint64_t thread)
{
    for (size_t i = 0; i < k->threads.n; i++)
        if (k->threads.items[i].object == thread)
            return (machine_tid)i + 1;
    ebb_vec_push(&k->threads, ((stock_thread){.object = thread}));
    return (machine_tid)k->threads.n;
}

uint64_t stock_thread_of(const stock *k, machine_tid tid)
{
    return tid > 0 && (size_t)tid <= k->threads.n ? k->threads.items[tid - 1].object : 0;
}

static ebb_status need_thread(const stock *k, uint64_t tid, uint64_t *thread, ebb_error *err)
{
    *thread = stock_thread_of(k, (machine_tid)tid);
    return *thread ? EBB_OK : ebb_fail(err, EBB_NOT_FOUND, "No thread %lu is there.", (unsigned long)tid);
}

/* ---- threads ---- */

static const char *ask_text(stock *k, jdwp_command command, uint64_t object)
{
    ebb_arena arena = {0};
    jdwp_in in;
    const char *text = NULL;
    if (object && stock_ask(k, &arena, &in, NULL, command, "o", object) == EBB_OK)
        text = jdwp_text(&in, &k->for_good);
    ebb_arena_fini(&arena);
    return text;
}

static const char *group_of(stock *k, uint64_t thread)
{
    ebb_arena arena = {0};
    jdwp_in in;
    const char *name = NULL;
    if (stock_ask(k, &arena, &in, NULL, JDWP_THREAD_GROUP, "o", thread) == EBB_OK)
        name = ask_text(k, JDWP_GROUP_NAME, jdwp_object(&in));
    ebb_arena_fini(&arena);
    return name;
}

/* -1: it has ended. */
static int state_of(stock *k, ebb_arena *arena, uint64_t thread)
{
    jdwp_in in;
    if (stock_ask(k, arena, &in, NULL, JDWP_THREAD_STATUS, "o", thread) != EBB_OK)
        return -1;
    uint32_t state = jdwp_u32(&in);
    return state == 0 ? -1 : (int)state;
}

static void add_locks(stock *k, ebb_arena *arena, uint64_t thread, jvm_wire_thread *a)
{
    jdwp_in in;
    if (stock_ask(k, arena, &in, NULL, JDWP_THREAD_HELD, "o", thread) == EBB_OK) {
        uint32_t n = jdwp_count(&in, 1 + k->j.sizes.n_object);
        a->held.items = EBB_ARENA_ARRAY(arena, jvm_wire_number, n + 1u);
        for (; a->held.n < n; a->held.n++) {
            jdwp_u8(&in);
            a->held.items[a->held.n].value = stock_ref(k, jdwp_object(&in));
        }
    }
    if (stock_ask(k, arena, &in, NULL, JDWP_THREAD_AWAITED, "o", thread) != EBB_OK)
        return;
    jdwp_u8(&in);
    uint64_t awaited = jdwp_object(&in);
    a->blocked_on = stock_ref(k, awaited);
    if (awaited && stock_ask(k, arena, &in, NULL, JDWP_OBJECT_MONITOR, "o", awaited) == EBB_OK) {
        uint64_t owner = jdwp_object(&in);
        a->blocked_by = owner ? (uint64_t)stock_tid(k, owner) : 0;
    }
}

/* False: it has ended. */
static bool describe(stock *k, ebb_arena *arena, uint64_t thread, bool with_locks, jvm_wire_thread *a)
{
    static const char *const states[] = {"TERMINATED", "RUNNABLE", "TIMED_WAITING (sleeping)", "BLOCKED", "WAITING"};
    size_t i = (size_t)stock_tid(k, thread) - 1;
    int state = with_locks ? state_of(k, arena, thread) : 1; /* asked at every stop: only who there is */
    if (state < 0)
        return false;
    if (!k->threads.items[i].name || with_locks)
        k->threads.items[i].name = ask_text(k, JDWP_THREAD_NAME, thread);
    if (!k->threads.items[i].group)
        k->threads.items[i].group = group_of(k, thread);
    *a = (jvm_wire_thread){.tid = i + 1, .name = k->threads.items[i].name, .group = k->threads.items[i].group,
        .object = stock_ref(k, thread), .state = states[state < 5 ? state : 1]};
    if (with_locks)
        add_locks(k, arena, thread, a);
    return true;
}

static int by_tid(const void *x, const void *y)
{
    const jvm_wire_thread *a = x, *b = y;
    return (a->tid > b->tid) - (a->tid < b->tid);
}

ebb_status stock_serve_threads(stock *k, const jvm_wire_number *q, jvm_wire_threads *a, ebb_arena *arena, ebb_error *err)
{
    jdwp_in in;
    EBB_TRY(stock_ask(k, arena, &in, err, JDWP_VM_ALL_THREADS, ""));
    uint32_t n = jdwp_count(&in, k->j.sizes.n_object);
    a->list.items = EBB_ARENA_ARRAY(arena, jvm_wire_thread, n + 1u);
    for (; n > 0; n--)
        if (describe(k, arena, jdwp_object(&in), q->value != 0, &a->list.items[a->list.n]))
            a->list.n++;
    qsort(a->list.items, a->list.n, sizeof *a->list.items, by_tid);
    return EBB_OK;
}

/* Whom a thread waits for, and whom that one waits for, until one comes again. */
ebb_status stock_serve_deadlock(stock *k, const jvm_wire_nothing *q, jvm_wire_numbers *a, ebb_arena *arena, ebb_error *err)
{
    jvm_wire_number with_locks = {.value = 1};
    jvm_wire_threads all = {0};
    EBB_TRY(stock_serve_threads(k, &with_locks, &all, arena, err));
    a->list.items = EBB_ARENA_ARRAY(arena, jvm_wire_number, all.list.n + 1);
    for (size_t i = 0; i < all.list.n; i++) {
        uint64_t at = all.list.items[i].blocked_by;
        for (size_t steps = 0; at && at != all.list.items[i].tid && steps < all.list.n; steps++) {
            uint64_t next = 0;
            for (size_t t = 0; t < all.list.n; t++)
                if (all.list.items[t].tid == at)
                    next = all.list.items[t].blocked_by;
            at = next;
        }
        if (at && at == all.list.items[i].tid)
            a->list.items[a->list.n++].value = at;
    }
    return EBB_OK;
}

/* ---- frames ---- */

uint32_t stock_depth(stock *k, uint64_t thread)
{
    ebb_arena arena = {0};
    jdwp_in in;
    uint32_t n = 0;
    if (stock_ask(k, &arena, &in, NULL, JDWP_THREAD_FRAME_COUNT, "o", thread) == EBB_OK)
        n = jdwp_u32(&in);
    ebb_arena_fini(&arena);
    return n;
}

static uint64_t id_of(stock *k, uint64_t thread, uint32_t depth)
{
    return (uint64_t)stock_tid(k, thread) << 44 | (uint64_t)depth << 16;
}

uint64_t stock_frame_id(stock *k, uint64_t thread, uint32_t level)
{
    uint32_t depth = stock_depth(k, thread);
    return level < depth ? id_of(k, thread, depth - level) : 0;
}

machine_place stock_thread_place(stock *k, uint64_t thread)
{
    ebb_arena arena = {0};
    jdwp_in in;
    machine_place place = 0;
    if (stock_ask(k, &arena, &in, NULL, JDWP_THREAD_FRAMES, "oii", thread, (uint64_t)0, (uint64_t)1) == EBB_OK && jdwp_count(&in, 1) > 0) {
        jdwp_frame(&in);
        place = stock_read_place(k, &in);
    }
    ebb_arena_fini(&arena);
    return place;
}

/* Of a class that the JVM made up for a lambda: its name has a part that no source could have. */
static bool is_hidden(const stock *k, machine_place place)
{
    const stock_class *cls = stock_class_by_serial(k, java_place_class(place));
    return cls && (strchr(cls->signature, '.') || strstr(cls->signature, "$$Lambda"));
}

ebb_status stock_serve_frames(stock *k, const jvm_wire_frame_span *q, jvm_wire_frames *a, ebb_arena *arena, ebb_error *err)
{
    uint64_t thread;
    jdwp_in in;
    EBB_TRY(need_thread(k, q->tid, &thread, err));
    uint32_t depth = stock_depth(k, thread), count = q->count;
    if (q->first >= depth)
        return EBB_OK;
    if (count > depth - q->first)
        count = depth - q->first;
    EBB_TRY(stock_ask(k, arena, &in, err, JDWP_THREAD_FRAMES, "oii", thread, (uint64_t)q->first, (uint64_t)count));
    uint32_t n = jdwp_count(&in, 1);
    a->list.items = EBB_ARENA_ARRAY(arena, jvm_wire_frame, n + 1u);
    for (; a->list.n < n && !in.bad; a->list.n++) {
        jdwp_frame(&in);
        machine_place place = stock_read_place(k, &in);
        a->list.items[a->list.n] = (jvm_wire_frame){.id = id_of(k, thread, depth - q->first - (uint32_t)a->list.n), .place = place,
            .next = stock_next_place(k, place), .is_native = java_place_bci(place) == 0xffff, .is_hidden = is_hidden(k, place)};
    }
    return in.bad ? stock_nonsense(err) : EBB_OK;
}

/* ---- local variables ---- */

static ebb_status frame_of(stock *k, ebb_arena *arena, uint64_t thread, uint32_t level, uint64_t *frame, ebb_error *err)
{
    jdwp_in in;
    EBB_TRY(stock_ask(k, arena, &in, err, JDWP_THREAD_FRAMES, "oii", thread, (uint64_t)level, (uint64_t)1));
    if (jdwp_count(&in, 1) == 0)
        return ebb_fail(err, EBB_NOT_FOUND, "There is no frame %u.", level);
    *frame = jdwp_frame(&in);
    return EBB_OK;
}

ebb_status stock_serve_local_get(stock *k, const jvm_wire_local_at *q, jvm_wire_word *a, ebb_arena *arena, ebb_error *err)
{
    uint64_t thread, frame;
    jdwp_in in;
    EBB_TRY(need_thread(k, q->tid, &thread, err));
    EBB_TRY(frame_of(k, arena, thread, q->level, &frame, err));
    EBB_TRY(stock_ask(k, arena, &in, err, JDWP_FRAME_GET_VALUES, "oFiib", thread, frame, (uint64_t)1, (uint64_t)q->slot, (uint64_t)q->type));
    jdwp_u32(&in);
    *a = stock_read_value(k, &in);
    return in.bad ? stock_nonsense(err) : EBB_OK;
}

ebb_status stock_serve_local_set(stock *k, const jvm_wire_local_at *q, jvm_wire_nothing *a, ebb_arena *arena, ebb_error *err)
{
    uint64_t thread, frame;
    jdwp_in in;
    ebb_buf out = {0};
    EBB_TRY(need_thread(k, q->tid, &thread, err));
    EBB_TRY(frame_of(k, arena, thread, q->level, &frame, err));
    stock_put(k, &out, "oFii", thread, frame, (uint64_t)1, (uint64_t)q->slot);
    ebb_status status = stock_put_value(k, &out, true, q->type, q->bits, err);
    if (status == EBB_OK)
        return jdwp_ask(&k->j, JDWP_FRAME_SET_VALUES, &out, arena, &in, err);
    ebb_buf_fini(&out);
    return status;
}

/* Operand stacks can't be seen; but what a method that was finished returned lies on top, and is known. */
ebb_status stock_serve_slots(stock *k, const jvm_wire_frame_span *q, jvm_wire_slots *a, ebb_arena *arena, ebb_error *err)
{
    if (!k->returned.is_known)
        return EBB_OK;
    bool is_wide = k->returned.value.type == 'J' || k->returned.value.type == 'D';
    a->stack.items = EBB_ARENA_ARRAY(arena, jvm_wire_word, 2);
    a->stack.items[a->stack.n++] = k->returned.value;
    if (is_wide)
        a->stack.items[a->stack.n++] = (jvm_wire_word){.type = 'V'};
    return EBB_OK;
}
