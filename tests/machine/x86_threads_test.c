/* x86_threads_test.c - many threads: no hit is lost, none is told twice, and all stand still at a stop. */
#include "x86_test.h"

enum { THREADS = 8, ROUNDS = 400 }; /* as in the fixture */

/* MA3: no hit of any thread is lost or told twice. */
static void every_hit_of_every_thread_is_told_once(void **state)
{
    machine *m = fixture_start("x86_threads", "rounds");
    machine_point_id work = break_at(m, "work");
    int hits = 0, per_thread[THREADS] = {0};
    machine_stop stop = run_on(m, 0, 0);
    for (; stop.kind == MACHINE_STOP_POINT; stop = run_on(m, stop.thread, 0)) {
        assert_int_equal(stop.points[0], work);
        per_thread[reg(m, stop.thread, "rdi")]++;
        hits++;
    }
    assert_int_equal(hits, THREADS * ROUNDS);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(per_thread[i], ROUNDS);
    assert_exits(m, stop, 0);
}

/* While one thread is stopped at a point, every thread is (MA1). */
static void all_threads_stand_still(void **state)
{
    machine *m = fixture_start("x86_threads", "spin");
    machine_point_id id = break_at(m, "work");
    machine_stop stop = run_on(m, 0, 0);
    for (int i = 0; i < 200; i++) {
        stop = run_on(m, stop.thread, 0);
        assert_stop(stop, "point");
    }
    uint64_t before = read_number(m, symbol(m, "total"), 4);
    usleep(20000);
    assert_int_equal(read_number(m, symbol(m, "total"), 4), before);
    size_t n;
    const machine_thread *threads = m->ops->threads(m, &n);
    assert_true(n >= 2 && n <= THREADS + 1);
    assert_int_equal(threads[0].tid, m->ops->pid(m));
    assert_string_equal(threads[0].name, "x86_threads");
    /* With the point gone the pending hits of the others mean nothing. */
    assert_ok(m->ops->point_clear(m, id, err));
    machine_tid one = threads[1].tid;
    for (int i = 0; i < 20; i++) {
        stop = resume(m, (machine_request){.move = MACHINE_STEP, .thread = one});
        assert_stop(stop, "step");
        assert_int_equal(stop.thread, one);
    }
    m->ops->free(m);
}

static void a_point_of_one_thread(void **state)
{
    machine *m = fixture_start("x86_threads", "rounds");
    machine_point_id any = break_at(m, "work");
    machine_stop stop = run_on(m, 0, 0);
    machine_tid one = stop.thread;
    uint64_t who = reg(m, one, "rdi");
    machine_point point = {.kind = MACHINE_POINT_EXEC, .addr = symbol(m, "work"), .thread = one};
    machine_point_id only;
    assert_ok(m->ops->point_set(m, &point, &only, err));
    assert_ok(m->ops->point_clear(m, any, err));
    int hits = 1;
    for (stop = run_on(m, one, 0); stop.kind == MACHINE_STOP_POINT; stop = run_on(m, one, 0)) {
        assert_int_equal(stop.thread, one);
        assert_int_equal(reg(m, one, "rdi"), who);
        hits++;
    }
    assert_int_equal(hits, ROUNDS);
    assert_exits(m, stop, 0);
}

static void only_one_thread_runs_if_asked(void **state)
{
    machine *m = fixture_start("x86_threads", "spin");
    machine_point_id id = break_at(m, "work");
    machine_stop stop = run_on(m, 0, 0);
    for (int i = 0; i < 50; i++)
        stop = run_on(m, stop.thread, 0);
    machine_tid one = stop.thread;
    size_t n;
    const machine_thread *threads = m->ops->threads(m, &n);
    uint64_t places[THREADS + 1];
    machine_tid tids[THREADS + 1];
    assert_ok(m->ops->point_clear(m, id, err));
    for (size_t i = 0; i < n; i++) {
        tids[i] = threads[i].tid;
        places[i] = reg(m, tids[i], "rip");
    }
    for (int i = 0; i < 300; i++) {
        stop = resume(m, (machine_request){.move = MACHINE_STEP, .thread = one, .only_thread = true});
        assert_int_equal(stop.thread, one);
    }
    for (size_t i = 0; i < n; i++)
        if (tids[i] != one)
            assert_int_equal(reg(m, tids[i], "rip"), places[i]);
    m->ops->free(m);
}

static void starts_and_ends_are_told(void **state)
{
    machine *m = fixture_start("x86_threads", "rounds");
    assert_ok(m->ops->event_set(m, MACHINE_EVENT_THREAD_START, true, err));
    assert_ok(m->ops->event_set(m, MACHINE_EVENT_THREAD_END, true, err));
    int starts = 0, ends = 0;
    machine_stop stop = run_on(m, 0, 0);
    for (; stop.kind != MACHINE_STOP_EXITED; stop = run_on(m, 0, 0)) {
        starts += stop.kind == MACHINE_STOP_THREAD_START;
        ends += stop.kind == MACHINE_STOP_THREAD_END;
        if (stop.thread == m->ops->pid(m))
            fail_msg("%s of the leader, after %d starts and %d ends", machine_stop_word(stop.kind), starts, ends);
        assert_true(reg(m, stop.thread, "rip") != 0);
    }
    assert_int_equal(starts, THREADS);
    assert_int_equal(ends, THREADS);
    assert_exits(m, stop, 0);
}

static void the_leader_may_leave_first(void **state)
{
    machine *m = fixture_start("x86_threads", "leader-exits");
    break_at(m, "work");
    machine_stop stop = run_on(m, 0, 0);
    assert_stop(stop, "point");
    size_t n;
    const machine_thread *threads = m->ops->threads(m, &n);
    assert_int_equal(n, 1);
    assert_int_equal(threads[0].tid, stop.thread);
    assert_int_equal(read_number(m, symbol(m, "total"), 4), 0); /* memory is still there */
    assert_exits(m, run_on(m, stop.thread, 0), 9);
}

static void each_thread_has_its_own_variables(void **state)
{
    machine *m = fixture_start("x86_threads", "rounds");
    break_at(m, "work");
    machine_stop stop = run_on(m, 0, 0);
    for (int i = 0; i < 100; i++, stop = run_on(m, stop.thread, 0)) {
        size_t n;
        uint64_t block, offset;
        const machine_module *modules = m->native->modules(m, &n);
        assert_ok(m->native->tls_block(m, stop.thread, &modules[0], &block, err));
        assert_true(x86_image_symbol(modules[0].path, "own", &offset));
        assert_int_equal(read_number(m, block + offset, 8), 5 + reg(m, stop.thread, "rdi"));
    }
    m->ops->free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_hit_of_every_thread_is_told_once, x86_test_setup),
        cmocka_unit_test_setup(all_threads_stand_still, x86_test_setup),
        cmocka_unit_test_setup(a_point_of_one_thread, x86_test_setup),
        cmocka_unit_test_setup(only_one_thread_runs_if_asked, x86_test_setup),
        cmocka_unit_test_setup(starts_and_ends_are_told, x86_test_setup),
        cmocka_unit_test_setup(the_leader_may_leave_first, x86_test_setup),
        cmocka_unit_test_setup(each_thread_has_its_own_variables, x86_test_setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
