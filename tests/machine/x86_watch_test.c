/* x86_watch_test.c - data points: by debug registers, by single steps, and both at once. */
#include "x86_test.h"

static machine *at_main(const char *fixture, const char *mode, machine_tid *thread)
{
    machine *m = fixture_start(fixture, mode);
    machine_point_id id = break_at(m, "main");
    machine_stop stop = run_on(m, 0, 0);
    assert_stop(stop, "point");
    assert_ok(m->ops->point_clear(m, id, err));
    *thread = stop.thread;
    return m;
}

/* set_watched writes i/2 to watched[i%4], i = 0..7: element 0 gets 0 (no change) and then 2. */
static void only_changes_are_told(void **state)
{
    machine_tid t;
    machine *m = at_main("x86_basic", "watch", &t);
    machine_point_id id = point_at(m, MACHINE_POINT_WRITE, symbol(m, "watched"), 8);
    assert_true(m->ops->point_is_cheap(m, id));
    machine_stop stop = run_on(m, t, 0);
    assert_stop(stop, "point");
    assert_int_equal(stop.n_points, 1);
    assert_int_equal(stop.points[0], id);
    assert_int_equal(read_number(m, symbol(m, "watched"), 8), 2);
    uint64_t f = symbol(m, "set_watched");
    assert_true(stop.place > f && stop.place < f + 64); /* behind the instruction that wrote */
    assert_exits(m, run_on(m, t, 0), 2 + 2 + 3 + 3);
}

static int count_stops(machine *m, machine_tid t, machine_stop *last)
{
    int n = 0;
    for (*last = run_on(m, t, 0); last->kind == MACHINE_STOP_POINT; *last = run_on(m, t, 0))
        n++;
    return n;
}

static void reads_and_accesses(void **state)
{
    machine_tid t;
    machine_stop last;
    machine *m = at_main("x86_basic", "watch", &t);
    point_at(m, MACHINE_POINT_ACCESS, symbol(m, "watched") + 8, 8);
    assert_int_equal(count_stops(m, t, &last), 3); /* two writes, one read */
    assert_exits(m, last, 10);

    m = at_main("x86_basic", "watch", &t);
    point_at(m, MACHINE_POINT_READ, symbol(m, "watched") + 16, 8);
    assert_int_equal(count_stops(m, t, &last), 1); /* the writes (1, 3) change it */
    assert_exits(m, last, 10);
}

static void unaligned_and_long_ranges(void **state)
{
    machine_tid t;
    machine_stop last;
    machine *m = at_main("x86_basic", "watch", &t);
    uint64_t base = symbol(m, "watched");
    machine_point_id id = point_at(m, MACHINE_POINT_WRITE, base + 6, 12); /* 2+8+2: three registers */
    assert_true(m->ops->point_is_cheap(m, id));
    machine_point_id no = point_at(m, MACHINE_POINT_WRITE, base + 16, 16);
    assert_false(m->ops->point_is_cheap(m, no));
    assert_ok(m->ops->point_clear(m, id, err));
    assert_true(m->ops->point_is_cheap(m, no)); /* there is room now */
    assert_int_equal(count_stops(m, t, &last), 4);
    assert_exits(m, last, 10);
}

static void software_sees_the_same_changes(void **state)
{
    machine_tid t;
    machine_stop stop;
    machine *m = at_main("x86_basic", "watch", &t);
    machine_point_id id = point_at(m, MACHINE_POINT_WRITE, symbol(m, "watched"), 32 * 8);
    assert_false(m->ops->point_is_cheap(m, id));
    long expected[4] = {0};
    for (int i = 2; i < 8; i++) {
        stop = run_on(m, t, 0);
        assert_stop(stop, "point");
        assert_int_equal(stop.points[0], id);
        uint64_t f = symbol(m, "set_watched");
        assert_true(stop.place > f && stop.place < f + 64);
        expected[i % 4] = i / 2;
        long now[4];
        assert_ok(machine_read(m, symbol(m, "watched"), now, sizeof now, err));
        assert_memory_equal(now, expected, sizeof now);
    }
    assert_ok(m->ops->point_clear(m, id, err));
    assert_exits(m, run_on(m, t, 0), 10);
}

/* More bytes than the debug registers have: each of four elements is read once, and written twice. */
static void reads_of_any_size(void **state)
{
    machine_tid t;
    machine_stop last;
    machine *m = at_main("x86_basic", "watch", &t);
    machine_point_id id = point_at(m, MACHINE_POINT_READ, symbol(m, "watched"), 32 * 8);
    assert_false(m->ops->point_is_cheap(m, id));
    uint64_t f = symbol(m, "get_watched");
    for (int i = 0; i < 4; i++) {
        machine_stop stop = run_on(m, t, 0);
        assert_stop(stop, "point");
        assert_int_equal(stop.n_points, 1);
        assert_int_equal(stop.points[0], id);
        assert_true(stop.place > f && stop.place < f + 64); /* behind the instruction that read */
    }
    assert_exits(m, run_on(m, t, 0), 10);

    m = at_main("x86_basic", "watch", &t);
    point_at(m, MACHINE_POINT_ACCESS, symbol(m, "watched"), 32 * 8);
    assert_int_equal(count_stops(m, t, &last), 12);
    assert_exits(m, last, 10);
}

/* More points than there are debug registers, and both kinds at once. */
static void any_number_of_reads(void **state)
{
    machine_tid t;
    machine *m = at_main("x86_basic", "watch", &t);
    machine_point_id ids[20];
    for (int i = 0; i < 20; i++)
        ids[i] = point_at(m, i % 2 ? MACHINE_POINT_READ : MACHINE_POINT_WRITE, symbol(m, "watched") + 8 * (uint64_t)(i / 2 % 4), 8);
    unsigned hits[20] = {0};
    machine_stop stop;
    for (stop = run_on(m, t, 0); stop.kind == MACHINE_STOP_POINT; stop = run_on(m, t, 0))
        for (size_t k = 0; k < stop.n_points; k++)
            for (int i = 0; i < 20; i++)
                hits[i] += stop.points[k] == ids[i];
    for (int i = 4; i < 20; i++) /* the first ones are the CPU's, which takes a write that changes nothing for a read */
        assert_int_equal(hits[i], i % 2 ? 1 : i / 2 % 4 < 2 ? 1 : 2);
    assert_exits(m, stop, 10);
}

/* Strings, stacks, gathers, masked moves, segments: what reads is told once, what only looks like it is not. */
static void every_way_to_read(void **state)
{
    enum { MAX = 80 };
    int counts[MAX] = {0}, expected[MAX];
    machine *m = fixture_start("x86_reads", __builtin_cpu_supports("avx512vl") ? "avx512" : "plain");
    machine_point_id at = break_at(m, "ready");
    machine_stop stop = run_on(m, 0, 0);
    assert_stop(stop, "point");
    assert_ok(m->ops->point_clear(m, at, err));
    point_at(m, MACHINE_POINT_READ, read_number(m, symbol(m, "cell"), 8), 64);
    machine_point_id end = break_at(m, "finished");
    for (stop = run_on(m, 0, 0); stop.kind == MACHINE_STOP_POINT && stop.points[0] != end; stop = run_on(m, 0, 0)) {
        int now = (int)read_number(m, symbol(m, "now"), 4);
        assert_in_range(now, 0, MAX - 1); /* nothing else reads it */
        counts[now]++;
    }
    assert_stop(stop, "point");
    assert_ok(machine_read(m, symbol(m, "expected"), expected, sizeof expected, err));
    assert_true(read_number(m, symbol(m, "n_expected"), 4) >= 44);
    for (int i = 0; i < MAX; i++)
        if (counts[i] != expected[i])
            print_message("case %d: %d times, not %d\n", i, counts[i], expected[i]);
    assert_memory_equal(counts, expected, sizeof counts);
    m->ops->free(m);
}

/* A thread that is born after the point was set is watched, too. */
static void threads_are_watched(void **state)
{
    for (int software = 0; software < 2; software++) {
        machine_tid t;
        machine *m = at_main("x86_threads", "words", &t);
        machine_point_id id = 0;
        machine_stop stop;
        if (software) { /* only the last part by stepping: the way there is long */
            machine_point_id at = break_at(m, "write_word");
            stop = run_on(m, t, 0);
            assert_stop(stop, "point");
            assert_ok(m->ops->point_clear(m, at, err));
            for (int i = 0; i < 5; i++)
                id = point_at(m, MACHINE_POINT_WRITE, symbol(m, "shared_word"), 4);
            assert_false(m->ops->point_is_cheap(m, id));
            t = stop.thread;
        } else {
            id = point_at(m, MACHINE_POINT_WRITE, symbol(m, "shared_word"), 4);
        }
        int value = 0;
        for (stop = run_on(m, t, 0); stop.kind == MACHINE_STOP_POINT; stop = run_on(m, stop.thread, 0)) {
            assert_int_equal(stop.n_points, software ? 5 : 1);
            assert_int_not_equal(stop.thread, m->ops->pid(m));
            assert_int_equal(read_number(m, symbol(m, "shared_word"), 4), ++value);
        }
        assert_int_equal(value, 50);
        assert_exits(m, stop, 50);
    }
}

/* A value that the user sets is not a change of the program's. */
static void own_writes_are_not_told(void **state)
{
    machine_tid t;
    machine_stop last;
    machine *m = at_main("x86_basic", "watch", &t);
    point_at(m, MACHINE_POINT_WRITE, symbol(m, "watched"), 8);
    long two = 2;
    assert_ok(machine_write(m, symbol(m, "watched"), &two, sizeof two, err));
    assert_int_equal(count_stops(m, t, &last), 2); /* 2 -> 0 -> 2 */
    assert_exits(m, last, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(only_changes_are_told, x86_test_setup),
        cmocka_unit_test_setup(reads_and_accesses, x86_test_setup),
        cmocka_unit_test_setup(unaligned_and_long_ranges, x86_test_setup),
        cmocka_unit_test_setup(software_sees_the_same_changes, x86_test_setup),
        cmocka_unit_test_setup(reads_of_any_size, x86_test_setup),
        cmocka_unit_test_setup(any_number_of_reads, x86_test_setup),
        cmocka_unit_test_setup(every_way_to_read, x86_test_setup),
        cmocka_unit_test_setup(threads_are_watched, x86_test_setup),
        cmocka_unit_test_setup(own_writes_are_not_told, x86_test_setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
