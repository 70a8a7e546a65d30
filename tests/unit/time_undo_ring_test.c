/* The undo ring: what was added last is read first, however often the ring has gone round. */
#include "base/mem.h"
#include "time/undo_ring.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

enum { WORD, BYTES, MARK };

static ebb_undo_ring make(uint64_t nbytes)
{
    ebb_undo_ring r;
    uint64_t room = ebb_undo_ring_room(nbytes);
    ebb_undo_ring_init(&r, aligned_alloc(16, room), room);
    return r;
}

static void unmake(ebb_undo_ring *r) { free(r->base); }

static void add_word(ebb_undo_ring *r, uint64_t n) { ebb_undo_add_unit(r, ebb_undo_where(WORD, (void *)(n * 8)), n); }

static bool add_bytes(ebb_undo_ring *r, uint64_t address, const void *data, size_t n)
{
    return ebb_undo_add(r, ebb_undo_where(BYTES, (void *)address), (ebb_undo_bytes){data, n}, (ebb_undo_bytes){0});
}

static ebb_undo_walk walk_to(const ebb_undo_ring *r, uint64_t until)
{
    return (ebb_undo_walk){r, ebb_undo_ring_position(r), until};
}

/* ---- sizes ---- */

static void sizes(void **state)
{
    assert_int_equal(ebb_undo_ring_room(0), 0);
    assert_int_equal(ebb_undo_ring_room(UINT64_MAX), 0);
    uint64_t least = ebb_undo_ring_room(1);
    assert_true(least > 0);
    assert_int_equal(ebb_undo_ring_room(least), least);
    for (uint64_t want = least; want < least * 9; want += 1001) {
        uint64_t room = ebb_undo_ring_room(want);
        assert_true(room <= want && want - room < 16 * sizeof(ebb_undo_unit));
        assert_int_equal(ebb_undo_ring_room(room), room); /* what was rounded once stays */
    }
    ebb_undo_ring none;
    ebb_undo_ring_init(&none, NULL, 0);
    assert_int_equal(ebb_undo_ring_nbytes(&none), 0);
}

/* ---- one after the other ---- */

static void newest_first(void **state)
{
    ebb_undo_ring r = make(1);
    for (uint64_t n = 0; n < 100; n++)
        add_word(&r, n);
    ebb_undo_walk w = walk_to(&r, 0);
    ebb_undo_record record;
    for (uint64_t n = 100; n-- > 0;) {
        assert_true(ebb_undo_walk_back(&w, &record));
        assert_int_equal(record.kind, WORD);
        assert_int_equal((uintptr_t)record.address, n * 8);
        assert_int_equal(record.what, n);
        assert_null(record.bytes);
    }
    assert_false(ebb_undo_walk_back(&w, &record));
    unmake(&r);
}

static void bytes_of_any_length(void **state)
{
    ebb_undo_ring r = make(1);
    char data[100];
    for (size_t n = 0; n < sizeof data; n++)
        data[n] = (char)n;
    for (size_t n = 0; n <= sizeof data; n++) /* in two parts, one of which may be empty */
        assert_true(ebb_undo_add(&r, ebb_undo_where(BYTES, data + n), (ebb_undo_bytes){data, n / 3}, (ebb_undo_bytes){data + n / 3, n - n / 3}));
    ebb_undo_walk w = walk_to(&r, 0);
    ebb_undo_record record;
    for (size_t n = sizeof data + 1; n-- > 0;) {
        assert_true(ebb_undo_walk_back(&w, &record));
        assert_ptr_equal(record.address, data + n);
        assert_int_equal(record.what, n);
        assert_memory_equal(record.bytes, data, n);
    }
    assert_int_equal(w.at, 0);
    unmake(&r);
}

/* ---- round and round ---- */

static void wrap_around(void **state)
{
    ebb_undo_ring r = make(1);
    uint64_t last_tail = 0;
    for (uint64_t n = 0; n < 5 * r.n + 7; n++) {
        assert_int_equal(ebb_undo_ring_position(&r), n);
        add_word(&r, n);
        assert_true(r.tail >= last_tail); /* UR3 */
        last_tail = r.tail;
        assert_true(n + 1 - r.tail <= r.n);
        assert_true(n + 1 < r.n || n + 1 - r.tail >= r.n - r.chunk); /* no more than a chunk is given up */
    }
    ebb_undo_walk w = walk_to(&r, r.tail);
    ebb_undo_record record;
    uint64_t n = 5 * r.n + 7;
    while (ebb_undo_walk_back(&w, &record))
        assert_int_equal(record.what, --n);
    assert_int_equal(n, r.tail);
    unmake(&r);
}

static void filling_is_not_seen(void **state)
{
    ebb_undo_ring r = make(1);
    char data[160];
    memset(data, 'x', sizeof data);
    uint64_t n = 0;
    while (ebb_undo_ring_position(&r) < r.n - 5) /* its 11 units don't fit there */
        add_word(&r, n++);
    uint64_t before = ebb_undo_ring_position(&r);
    assert_true(add_bytes(&r, 64, data, sizeof data));
    assert_int_equal(ebb_undo_ring_position(&r), r.n + 11);
    ebb_undo_walk w = walk_to(&r, before);
    ebb_undo_record record;
    assert_true(ebb_undo_walk_back(&w, &record));
    assert_int_equal(record.kind, BYTES);
    assert_memory_equal(record.bytes, data, sizeof data);
    assert_ptr_equal(record.bytes, r.base); /* UR1 */
    assert_false(ebb_undo_walk_back(&w, &record));
    w = walk_to(&r, before - 1);
    assert_true(ebb_undo_walk_back(&w, &record));
    assert_true(ebb_undo_walk_back(&w, &record));
    assert_int_equal(record.what, n - 1);
    unmake(&r);
}

/* A record of every length at every distance from the end of the ring: it lies in one piece, and `at` has room again (UR2). */
static void every_end(void **state)
{
    ebb_undo_ring r = make(1);
    static char data[40 * sizeof(ebb_undo_unit)];
    for (uint64_t distance = 0; distance < 40; distance++)
        for (size_t length = 0; length < sizeof data; length += 13) {
            while (ebb_undo_ring_position(&r) % r.n != (r.n - distance) % r.n)
                add_word(&r, 0);
            assert_true(add_bytes(&r, 8, data, length));
            assert_true(r.at < r.end && r.end <= r.base + r.n);
            ebb_undo_walk w = walk_to(&r, r.tail);
            ebb_undo_record record;
            assert_true(ebb_undo_walk_back(&w, &record));
            assert_true(record.bytes >= (char *)r.base && record.bytes + length <= (char *)(r.base + r.n));
        }
    unmake(&r);
}

static void too_long(void **state)
{
    ebb_undo_ring r = make(1);
    size_t most = (r.n / 4 - 1) * sizeof(ebb_undo_unit);
    char *data = ebb_zalloc(most + 1);
    add_word(&r, 1);
    uint64_t before = ebb_undo_ring_position(&r);
    assert_false(add_bytes(&r, 8, data, most + 1));
    assert_int_equal(ebb_undo_ring_position(&r), before);
    for (int i = 0; i < 20; i++) { /* the longest ones: each may push others out, never itself */
        before = ebb_undo_ring_position(&r);
        assert_true(add_bytes(&r, 8, data, most));
        assert_true(before >= r.tail);
    }
    free(data);
    unmake(&r);
}

/* ---- from outside ---- */

/* As a debugger adds to its debuggee's ring: nothing but the claim tells where to write. */
static void add_from_outside(ebb_undo_ring *r, uint64_t address, const void *data, size_t n)
{
    ebb_undo_claim c;
    assert_true(ebb_undo_claim_room(r, ebb_undo_where(BYTES, (void *)address), n, &c));
    if (c.filling)
        *c.filling = c.fills;
    memcpy(c.at, data, n);
    c.at[c.n - 1] = c.last;
}

static void assert_next_is(ebb_undo_walk *w, const char *data, size_t n)
{
    ebb_undo_record record;
    assert_true(ebb_undo_walk_back(w, &record));
    assert_int_equal(record.kind, BYTES);
    assert_int_equal(record.what, n);
    assert_memory_equal(record.bytes, data, n);
}

static void claims(void **state)
{
    ebb_undo_ring r = make(1);
    char data[160];
    for (size_t n = 0; n < sizeof data; n++)
        data[n] = (char)(n + 1);
    for (size_t i = 0; r.lap < 3 * r.n; i++) {
        size_t n = i * 37 % sizeof data;
        ebb_undo_unit before = *r.at;
        ebb_undo_ring copy = r;
        ebb_undo_claim c;
        assert_true(ebb_undo_claim_room(&copy, ebb_undo_where(BYTES, data), n, &c));
        assert_memory_equal(r.at, &before, sizeof before); /* who only claims writes nothing */
        add_from_outside(&r, 8 * i, data, n);
        assert_true(r.at == copy.at && r.end == copy.end && r.tail == copy.tail);
        assert_true(add_bytes(&r, 8 * i, data, n));
        ebb_undo_walk w = walk_to(&r, r.tail);
        assert_next_is(&w, data, n);
        assert_next_is(&w, data, n);
    }
    unmake(&r);
}

static void claims_too_much(void **state)
{
    ebb_undo_ring r = make(1);
    ebb_undo_claim c;
    assert_false(ebb_undo_claim_room(&r, 0, ebb_undo_ring_nbytes(&r) / 4, &c));
    assert_int_equal(ebb_undo_ring_position(&r), 0);
    unmake(&r);
}

/* ---- going back ---- */

static void going_back(void **state)
{
    ebb_undo_ring r = make(1);
    for (uint64_t lap = 0; lap < 3 * r.n; lap += 101) {
        uint64_t position = ebb_undo_ring_position(&r);
        for (uint64_t n = 0; n < 300; n++)
            add_word(&r, n);
        uint64_t tail = r.tail;
        ebb_undo_ring_go_to(&r, position);
        assert_int_equal(ebb_undo_ring_position(&r), position);
        assert_int_equal(r.tail, tail); /* UR3: what was overwritten stays lost */
        for (uint64_t n = 0; n < 101; n++)
            add_word(&r, lap + n);
        ebb_undo_walk w = walk_to(&r, position);
        ebb_undo_record record;
        for (uint64_t n = 101; n-- > 0;) {
            assert_true(ebb_undo_walk_back(&w, &record));
            assert_int_equal(record.what, lap + n);
        }
        assert_false(ebb_undo_walk_back(&w, &record));
    }
    unmake(&r);
}

/* ---- at random, against a plain list ---- */

typedef struct model_record {
    uint64_t begin, end; /* positions; a filling is between two */
    unsigned kind;
    uint64_t address, what;
    char *bytes;
} model_record;

typedef struct model {
    ebb_undo_ring ring;
    EBB_VEC(model_record) all;
    uint64_t seed;
} model;

static uint64_t draw(model *m, uint64_t below)
{
    m->seed = m->seed * 6364136223846793005u + 1442695040888963407u;
    return (m->seed >> 33) % below;
}

static void random_unit(model *m)
{
    model_record r = {.begin = ebb_undo_ring_position(&m->ring), .kind = draw(m, 2) ? WORD : MARK, .address = draw(m, 1u << 30), .what = draw(m, 1u << 30)};
    ebb_undo_add_unit(&m->ring, ebb_undo_where(r.kind, (void *)r.address), r.what);
    r.end = ebb_undo_ring_position(&m->ring);
    ebb_vec_push(&m->all, r);
}

static void random_bytes(model *m)
{
    uint64_t most = draw(m, 10) == 0 ? m->ring.n * sizeof(ebb_undo_unit) / 3 : 200;
    model_record r = {.begin = ebb_undo_ring_position(&m->ring), .kind = BYTES, .address = draw(m, 1u << 30), .what = draw(m, most)};
    r.bytes = ebb_zalloc(r.what + 1);
    for (uint64_t i = 0; i < r.what; i++)
        r.bytes[i] = (char)draw(m, 256);
    bool added = add_bytes(&m->ring, r.address, r.bytes, r.what);
    assert_int_equal(added, (r.what + 15) / 16 + 1 <= m->ring.n / 4);
    r.end = ebb_undo_ring_position(&m->ring);
    if (added)
        ebb_vec_push(&m->all, r);
    else
        free(r.bytes);
}

static void forget_last(model *m)
{
    free(m->all.items[--m->all.n].bytes);
}

static void random_return(model *m)
{
    for (uint64_t n = draw(m, 200); n > 0 && m->all.n > 0 && m->all.items[m->all.n - 1].begin >= m->ring.tail; n--)
        forget_last(m);
    if (m->all.n > 0 && m->all.items[m->all.n - 1].end >= m->ring.tail)
        ebb_undo_ring_go_to(&m->ring, m->all.items[m->all.n - 1].end);
}

static void assert_same(model *m)
{
    size_t first = m->all.n; /* of those that are all there */
    while (first > 0 && m->all.items[first - 1].begin >= m->ring.tail)
        first--;
    if (first == m->all.n)
        return;
    ebb_undo_walk w = walk_to(&m->ring, m->all.items[first].begin);
    ebb_undo_record record;
    for (size_t i = m->all.n; i-- > first;) {
        const model_record *r = &m->all.items[i];
        assert_true(ebb_undo_walk_back(&w, &record));
        assert_int_equal(record.kind, r->kind);
        assert_int_equal((uintptr_t)record.address, r->address);
        assert_int_equal(record.what, r->what);
        if (r->kind == BYTES)
            assert_memory_equal(record.bytes, r->bytes, r->what);
    }
    assert_false(ebb_undo_walk_back(&w, &record));
}

static void at_random(void **state)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        model m = {.ring = make(draw(&(model){.seed = seed}, 200000) + 1), .seed = seed};
        for (int step = 0; step < 30000; step++) {
            uint64_t dice = draw(&m, 1000);
            if (dice < 700)
                random_unit(&m);
            else if (dice < 990)
                random_bytes(&m);
            else if (dice < 995)
                random_return(&m);
            else
                assert_same(&m);
        }
        assert_same(&m);
        assert_true(m.ring.lap > 0);
        while (m.all.n > 0)
            forget_last(&m);
        ebb_vec_fini(&m.all);
        unmake(&m.ring);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),       cmocka_unit_test(newest_first), cmocka_unit_test(bytes_of_any_length),
        cmocka_unit_test(wrap_around), cmocka_unit_test(filling_is_not_seen), cmocka_unit_test(every_end),
        cmocka_unit_test(too_long),    cmocka_unit_test(going_back),   cmocka_unit_test(at_random),
        cmocka_unit_test(claims),      cmocka_unit_test(claims_too_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
