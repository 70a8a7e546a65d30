/* x86_fork_test.c - children by fork, vfork and exec: who is followed, who keeps its points. */
#include "x86_test.h"

/* The child is free of our points, so it must not die of one. */
static void stays_with_the_parent(void **state)
{
    machine *m = fixture_start("x86_forks", "fork");
    break_at(m, "in_child");
    break_at(m, "in_parent");
    machine_stop stop = run_on(m, 0, 0);
    assert_stop(stop, "point");
    assert_int_equal(stop.place, symbol(m, "in_parent"));
    assert_exits(m, run_on(m, 0, 0), 7);
}

static void tells_of_forks(void **state)
{
    machine *m = fixture_start("x86_forks", "fork");
    assert_ok(m->ops->event_set(m, MACHINE_EVENT_FORK, true, err));
    machine_stop stop = run_on(m, 0, 0);
    assert_stop(stop, "forked");
    assert_false(stop.vfork);
    assert_true(stop.child > 0 && stop.child != m->ops->pid(m));
    assert_exits(m, run_on(m, 0, 0), 7);
}

static void follows_the_child(void **state)
{
    machine *m = fixture_start("x86_forks", "fork");
    pid_t parent = m->ops->pid(m);
    x86_native_set_follow_fork(native_of(m), X86_FOLLOW_CHILD);
    machine_point_id in_child = break_at(m, "in_child"), in_parent = break_at(m, "in_parent");
    machine_stop stop = run_on(m, 0, 0);
    assert_stop(stop, "point");
    assert_int_equal(stop.points[0], in_child);
    assert_int_not_equal(m->ops->pid(m), parent);
    stop = run_on(m, 0, 0);
    assert_int_equal(stop.points[0], in_parent);
    assert_exits(m, run_on(m, 0, 0), 7);
}

static void vforks_lose_no_points(void **state)
{
    const struct {
        const char *mode;
        int status;
    } cases[] = {{"vfork", 8}, {"spawn", 40}};
    for (size_t i = 0; i < 2; i++) {
        machine *m = fixture_start("x86_forks", cases[i].mode);
        break_at(m, "in_child");
        break_at(m, "in_parent");
        int hits = 0;
        machine_stop stop = run_on(m, 0, 0);
        for (; stop.kind == MACHINE_STOP_POINT; stop = run_on(m, 0, 0)) {
            assert_int_equal(stop.place, symbol(m, "in_parent"));
            hits++;
        }
        assert_int_equal(hits, 20);
        assert_exits(m, stop, cases[i].status);
    }
}

static void tells_of_vforks(void **state)
{
    machine *m = fixture_start("x86_forks", "vfork");
    assert_ok(m->ops->event_set(m, MACHINE_EVENT_FORK, true, err));
    int forks = 0;
    machine_stop stop = run_on(m, 0, 0);
    for (; stop.kind == MACHINE_STOP_FORKED; stop = run_on(m, 0, 0), forks++)
        assert_true(stop.vfork);
    assert_int_equal(forks, 20);
    assert_exits(m, stop, 8);
}

static void follows_a_vfork_through_its_exec(void **state)
{
    machine *m = fixture_start("x86_forks", "vfork-exec");
    x86_native_set_follow_fork(native_of(m), X86_FOLLOW_CHILD);
    break_at(m, "in_parent");
    machine_stop stop = run_on(m, 0, 0);
    assert_stop(stop, "exec");
    break_at(m, "in_parent");
    stop = run_on(m, 0, 0);
    assert_stop(stop, "point");
    assert_exits(m, run_on(m, 0, 0), 5);
}

static void stays_through_an_exec(void **state)
{
    machine *m = fixture_start("x86_forks", "exec");
    machine_point_id old = break_at(m, "in_parent");
    machine_stop stop = run_on(m, 0, 0);
    assert_stop(stop, "point");
    stop = run_on(m, 0, 0);
    assert_stop(stop, "exec");
    assert_int_equal(m->ops->point_clear(m, old, NULL), EBB_NOT_FOUND);
    size_t n;
    assert_non_null(strstr(m->native->modules(m, &n)[0].path, "x86_forks"));
    break_at(m, "in_parent");
    stop = run_on(m, 0, 0);
    assert_stop(stop, "point");
    assert_exits(m, run_on(m, 0, 0), 5);
}

/* Every instruction of a program that forks, vforks or makes threads. */
static void a_step_goes_on_over_births(void **state)
{
    static const struct {
        const char *fixture, *mode;
        int status;
    } cases[] = {{"x86_forks", "fork", 7}, {"x86_forks", "vfork", 8}, {"x86_threads", "rounds", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        machine *m = fixture_start(cases[i].fixture, cases[i].mode);
        machine_point_id id = break_at(m, "main");
        machine_tid t = run_on(m, 0, 0).thread;
        assert_ok(m->ops->point_clear(m, id, err));
        machine_stop stop;
        do
            stop = resume(m, (machine_request){.move = MACHINE_STEP, .thread = t, .lo = 0x1000, .hi = UINT64_MAX});
        while (stop.kind == MACHINE_STOP_STEP || stop.kind == MACHINE_STOP_MODULES);
        assert_exits(m, stop, cases[i].status);
    }
}

static void a_thread_may_exec(void **state)
{
    for (int i = 0; i < 20; i++) {
        machine *m = fixture_start("x86_threads", "thread-execs");
        pid_t pid = m->ops->pid(m);
        machine_stop stop = run_on(m, 0, 0);
        assert_stop(stop, "exec");
        assert_int_equal(stop.thread, pid);
        size_t n;
        m->ops->threads(m, &n);
        assert_int_equal(n, 1);
        assert_exits(m, run_on(m, 0, 0), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(stays_with_the_parent, x86_test_setup),
        cmocka_unit_test_setup(tells_of_forks, x86_test_setup),
        cmocka_unit_test_setup(follows_the_child, x86_test_setup),
        cmocka_unit_test_setup(vforks_lose_no_points, x86_test_setup),
        cmocka_unit_test_setup(tells_of_vforks, x86_test_setup),
        cmocka_unit_test_setup(follows_a_vfork_through_its_exec, x86_test_setup),
        cmocka_unit_test_setup(stays_through_an_exec, x86_test_setup),
        cmocka_unit_test_setup(a_step_goes_on_over_births, x86_test_setup),
        cmocka_unit_test_setup(a_thread_may_exec, x86_test_setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
