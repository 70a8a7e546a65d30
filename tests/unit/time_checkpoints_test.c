/* The list of checkpoints: a small machine of words goes back by it, and is then what it was. */
#include "base/mem.h"
#include "time/undo_log.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

enum { WORD, CHECKPOINT };

enum { WORDS = 16, INTERVAL = 50 };

typedef struct words {
    uint64_t at[WORDS];
} words;

/* Its place is the timestamp's own count of steps, so that some moments share a timestamp. */
typedef struct toy {
    ebb_undo_log log;
    uint64_t time, place;
    words now;
    char ballast[2000]; /* of a checkpoint */
    size_t n_ballast;
} toy;

typedef struct toy_payload {
    uint64_t time, place;
} toy_payload;

static toy *make(uint64_t nbytes)
{
    toy *t = EBB_NEW(toy);
    uint64_t room = ebb_undo_ring_room(nbytes);
    size_t cap = ebb_undo_log_most(room, sizeof(toy_payload));
    ebb_undo_ring_init(&t->log.ring, aligned_alloc(16, room), room);
    ebb_checkpoints_init(&t->log.list, ebb_zalloc(cap * sizeof(ebb_checkpoint)), cap, INTERVAL);
    return t;
}

static void unmake(toy *t)
{
    free(t->log.ring.base);
    free(t->log.list.items);
    free(t);
}

static bool checkpoint(toy *t)
{
    toy_payload own = {t->time, t->place};
    return ebb_undo_log_checkpoint(&t->log, t->time, ebb_undo_where(CHECKPOINT, NULL), (ebb_undo_bytes){&own, sizeof own},
                               (ebb_undo_bytes){t->ballast, t->n_ballast});
}

static void store(toy *t, size_t i, uint64_t value)
{
    ebb_undo_add_unit(&t->log.ring, ebb_undo_where(WORD, &t->now.at[i]), t->now.at[i]);
    t->now.at[i] = value;
}

static toy_payload payload_of(const toy *t, const ebb_checkpoint *c)
{
    toy_payload own;
    ebb_undo_record r = ebb_undo_log_record(&t->log, c);
    assert_int_equal(r.kind, CHECKPOINT);
    memcpy(&own, r.bytes, sizeof own);
    return own;
}

static uint64_t place_of(const ebb_checkpoint *c, void *self) { return payload_of(self, c).place; }

static bool find(toy *t, uint64_t time, uint64_t place, size_t *i)
{
    return ebb_checkpoints_find(ebb_undo_log_get_list(&t->log), (ebb_position){time, place}, place_of, t, i);
}

static void go_back(toy *t, size_t i)
{
    ebb_undo_walk w = ebb_undo_log_walk(&t->log, ebb_checkpoints_at(&t->log.list, i));
    toy_payload own = {0};
    for (ebb_undo_record r; ebb_undo_walk_back(&w, &r);)
        if (r.kind == WORD)
            *(uint64_t *)r.address = r.what;
        else
            memcpy(&own, r.bytes, sizeof own);
    t->time = own.time;
    t->place = own.place;
    ebb_undo_log_went_back(&t->log, i);
}

static void run(toy *t, uint64_t ticks)
{
    for (uint64_t i = 0; i < ticks; i++) {
        t->time++;
        if (t->log.list.due <= t->time)
            checkpoint(t);
        store(t, t->time % WORDS, t->time);
    }
}

/* ---- when ---- */

static void when_due(void **state)
{
    toy *t = make(1);
    assert_true(t->log.list.due == EBB_CHECKPOINT_NEVER);
    assert_true(ebb_checkpoints_next(&t->log.list, 7) == EBB_CHECKPOINT_NEVER);
    t->log.list.due = 3;
    assert_int_equal(ebb_checkpoints_next(&t->log.list, 1), 3);
    assert_int_equal(ebb_checkpoints_next(&t->log.list, 3), 4); /* it is late: as soon as somebody looks */
    assert_int_equal(ebb_checkpoints_next(&t->log.list, 9), 10);
    t->time = 9;
    assert_true(checkpoint(t));
    assert_int_equal(t->log.list.due, 9 + INTERVAL);
    ebb_checkpoints_put_off(&t->log.list, 20);
    assert_int_equal(t->log.list.due, 20 + INTERVAL);
    unmake(t);
}

static void taken_at_intervals(void **state)
{
    toy *t = make(1 << 20);
    t->log.list.due = 0;
    run(t, 10 * INTERVAL);
    assert_int_equal(ebb_undo_log_get_list(&t->log)->n, 10);
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(ebb_checkpoints_at(&t->log.list, i)->time, 1 + i * INTERVAL);
    assert_int_equal(ebb_checkpoints_oldest(&t->log.list), 1);
    assert_int_equal(ebb_undo_log_used(&t->log), ebb_undo_ring_position(&t->log.ring) * sizeof(ebb_undo_unit));
    unmake(t);
}

/* ---- how far ---- */

static void the_oldest_goes_with_the_tail(void **state)
{
    toy *t = make(1);
    ebb_checkpoints_cut(&t->log.list, "a test", 0);
    assert_true(ebb_checkpoints_oldest(&t->log.list) == UINT64_MAX);
    assert_int_equal(ebb_undo_log_used(&t->log), 0);
    run(t, 10);
    assert_string_equal(t->log.list.cut_by, "a test");
    run(t, t->log.ring.n * 3);
    assert_true(ebb_undo_log_get_list(&t->log)->n > 0);
    const ebb_checkpoint *oldest = ebb_checkpoints_at(&t->log.list, 0);
    assert_true(oldest->position >= t->log.ring.tail);
    assert_true(oldest->position < t->log.ring.tail + 2 * INTERVAL); /* none was given up that is there */
    assert_null(t->log.list.cut_by); /* it is the ring that ends there */
    assert_true(ebb_undo_log_used(&t->log) <= ebb_undo_ring_nbytes(&t->log.ring));
    unmake(t);
}

/* Nothing but checkpoints, with nobody who looks: the list has room for all that the ring has room for. */
static void as_many_as_fit(void **state)
{
    toy *t = make(1);
    for (t->time = 0; ebb_undo_ring_position(&t->log.ring) < 5 * t->log.ring.n; t->time++)
        assert_true(checkpoint(t));
    uint64_t units = sizeof(toy_payload) / sizeof(ebb_undo_unit) + 1;
    assert_true(ebb_undo_log_get_list(&t->log)->n >= (t->log.ring.n - t->log.ring.chunk) / units - 1);
    unmake(t);
}

static void a_long_gap_loses_all(void **state)
{
    toy *t = make(1);
    checkpoint(t);
    for (uint64_t n = 0; n < 2 * t->log.ring.n; n++)
        store(t, 0, n);
    size_t i;
    assert_int_equal(ebb_undo_log_get_list(&t->log)->n, 0);
    assert_false(find(t, UINT64_MAX, 0, &i));
    unmake(t);
}

static void cut(void **state)
{
    toy *t = make(1 << 20);
    t->log.list.due = 0;
    run(t, 1000);
    ebb_checkpoints_cut(&t->log.list, "a collection", t->time);
    assert_int_equal(ebb_undo_log_get_list(&t->log)->n, 0);
    assert_string_equal(t->log.list.cut_by, "a collection");
    assert_int_equal(t->log.list.due, t->time);
    size_t i;
    assert_false(find(t, t->time, UINT64_MAX, &i));
    run(t, 1);
    assert_true(find(t, t->time, UINT64_MAX, &i));
    assert_int_equal(ebb_checkpoints_oldest(&t->log.list), t->time);
    unmake(t);
}

static void too_long_for_the_ring(void **state)
{
    toy *t = make(1);
    checkpoint(t);
    t->time = 100;
    uint64_t position = ebb_undo_ring_position(&t->log.ring);
    char *much = ebb_zalloc(ebb_undo_ring_nbytes(&t->log.ring));
    assert_false(ebb_undo_log_checkpoint(&t->log, t->time, ebb_undo_where(CHECKPOINT, NULL), (ebb_undo_bytes){much, ebb_undo_ring_nbytes(&t->log.ring)}, (ebb_undo_bytes){0}));
    assert_int_equal(ebb_undo_log_get_list(&t->log)->n, 1); /* the one before it serves */
    assert_int_equal(ebb_undo_ring_position(&t->log.ring), position);
    assert_int_equal(t->log.list.due, 100 + INTERVAL);
    free(much);
    unmake(t);
}

/* ---- which ---- */

static void the_last_not_after(void **state)
{
    static const toy_payload at[] = {{5, 10}, {5, 20}, {5, 20}, {7, 3}, {9, 9}};
    toy *t = make(1);
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        t->time = at[i].time;
        t->place = at[i].place;
        checkpoint(t);
    }
    static const struct { uint64_t time, place; long found; } asked[] = {
        {4, 99, -1}, {5, 9, -1}, {5, 10, 0}, {5, 19, 0}, {5, 20, 2}, {6, 0, 2}, {7, 2, 2}, {7, 3, 3}, {8, 0, 3}, {9, 8, 3}, {9, 9, 4}, {99, 0, 4},
    };
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        size_t found = 0;
        assert_int_equal(find(t, asked[i].time, asked[i].place, &found), asked[i].found >= 0);
        if (asked[i].found >= 0)
            assert_int_equal(found, asked[i].found);
    }
    unmake(t);
}

static void forgetting_the_newer(void **state)
{
    toy *t = make(1 << 20);
    t->log.list.due = 0;
    run(t, 500);
    uint64_t serial = t->log.list.serial;
    size_t n = ebb_undo_log_get_list(&t->log)->n;
    run(t, 500);
    go_back(t, n + 2);
    assert_int_equal(t->log.list.due, t->time + INTERVAL);
    run(t, 100); /* serial numbers don't come again (CK3) */
    ebb_checkpoints_forget_since(&t->log.list, serial);
    assert_int_equal(ebb_undo_log_get_list(&t->log)->n, n);
    ebb_checkpoints_init(&t->log.list, t->log.list.items, t->log.list.cap, INTERVAL);
    checkpoint(t);
    assert_true(t->log.list.serial > serial);
    unmake(t);
}

/* ---- at random: a list of whole states is the model ---- */

typedef struct moment {
    uint64_t time, place;
    words state;
} moment;

typedef struct wander {
    toy *toy;
    EBB_VEC(moment) moments; /* of the checkpoints since the last cut, lost ones too */
    uint64_t seed;
} wander;

static uint64_t draw(wander *w, uint64_t below)
{
    w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
    return (w->seed >> 33) % below;
}

static void go_on(wander *w)
{
    toy *t = w->toy;
    for (uint64_t n = draw(w, 300); n > 0; n--) {
        if (draw(w, 3) == 0) {
            t->time++;
            t->place = draw(w, 100);
        } else
            t->place += 1 + draw(w, 3);
        if (t->log.list.due <= t->time || draw(w, 20) == 0) {
            t->n_ballast = draw(w, sizeof t->ballast);
            assert_true(checkpoint(t));
            ebb_vec_push(&w->moments, ((moment){t->time, t->place, t->now}));
        }
        for (uint64_t stores = draw(w, 4); stores > 0; stores--)
            store(t, draw(w, WORDS), draw(w, 1u << 30));
    }
}

/* The list holds the newest of the model's moments, as many as the ring has room for. */
static void assert_newest(wander *w)
{
    size_t n = ebb_undo_log_get_list(&w->toy->log)->n;
    assert_true(n <= w->moments.n);
    for (size_t i = 0; i < n; i++) {
        const moment *m = &w->moments.items[w->moments.n - n + i];
        toy_payload own = payload_of(w->toy, ebb_checkpoints_at(&w->toy->log.list, i));
        assert_int_equal(own.time, m->time);
        assert_int_equal(own.place, m->place);
    }
}

static void return_somewhere(wander *w)
{
    toy *t = w->toy;
    size_t n = ebb_undo_log_get_list(&t->log)->n, i;
    if (n == 0)
        return;
    moment to = w->moments.items[w->moments.n - 1 - draw(w, n)];
    assert_true(find(t, to.time, to.place, &i));
    go_back(t, i);
    assert_int_equal(t->time, to.time);
    assert_int_equal(t->place, to.place);
    assert_memory_equal(&t->now, &to.state, sizeof to.state);
    w->moments.n -= n - 1 - i;
    assert_int_equal(ebb_undo_log_get_list(&t->log)->n, i + 1);
}

static void at_random(void **state)
{
    for (uint64_t seed = 1; seed <= 30; seed++) {
        wander w = {.toy = make(seed % 3 * 30000 + 1), .seed = seed};
        for (int step = 0; step < 400; step++) {
            go_on(&w);
            assert_newest(&w);
            if (draw(&w, 3) == 0)
                return_somewhere(&w);
            if (draw(&w, 40) == 0) {
                ebb_checkpoints_cut(&w.toy->log.list, "chance", w.toy->time);
                w.moments.n = 0;
            }
        }
        assert_true(w.toy->log.ring.lap > 0);
        ebb_vec_fini(&w.moments);
        unmake(w.toy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(when_due),
        cmocka_unit_test(taken_at_intervals),
        cmocka_unit_test(the_oldest_goes_with_the_tail),
        cmocka_unit_test(as_many_as_fit),
        cmocka_unit_test(a_long_gap_loses_all),
        cmocka_unit_test(cut),
        cmocka_unit_test(too_long_for_the_ring),
        cmocka_unit_test(the_last_not_after),
        cmocka_unit_test(forgetting_the_newer),
        cmocka_unit_test(at_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
