/* x86_signals_test.c - signals: told before they are delivered, passed, dropped, sent in the middle of a step. */
#include "x86_test.h"

static machine *target;

static void interrupt_target(int signal)
{
    target->ops->interrupt(target);
}

/* Runs until a timer of ours calls `interrupt`, as Ctrl-C would. */
static machine_stop interrupt_after(machine *m, machine_tid thread, int milliseconds)
{
    target = m;
    signal(SIGUSR2, interrupt_target);
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
    assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
    struct itimerspec when = {.it_value = {milliseconds / 1000, milliseconds % 1000 * 1000000L + 1}};
    timer_settime(timer, 0, &when, NULL);
    machine_stop stop = run_on(m, thread, 0);
    timer_delete(timer);
    return stop;
}

/* At main: what comes before has stops of its own, which an interrupt may coincide with. */
static machine *at_main(const char *mode)
{
    machine *m = fixture_start("x86_basic", mode);
    machine_point_id id = break_at(m, "main");
    assert_stop(run_on(m, 0, 0), "point");
    assert_ok(m->ops->point_clear(m, id, err));
    return m;
}

static void is_told_before_delivery(void **state)
{
    machine *m = fixture_start("x86_basic", "signal");
    machine_stop stop = run_on(m, 0, 0);
    assert_stop(stop, "signal");
    assert_int_equal(stop.signal, SIGUSR1);
    assert_int_equal(stop.signal_code, SI_TKILL);
    assert_exits(m, run_on(m, stop.thread, SIGUSR1), SIGUSR1);

    m = fixture_start("x86_basic", "signal");
    stop = run_on(m, 0, 0);
    assert_exits(m, run_on(m, stop.thread, 0), 0); /* dropped */
}

static void a_step_with_a_signal_enters_the_handler(void **state)
{
    machine *m = fixture_start("x86_basic", "signal");
    machine_stop stop = run_on(m, 0, 0);
    stop = resume(m, (machine_request){.move = MACHINE_STEP, .thread = stop.thread, .signal = SIGUSR1});
    assert_stop(stop, "step");
    assert_int_equal(stop.place, symbol(m, "on_signal"));
    assert_exits(m, run_on(m, stop.thread, 0), SIGUSR1);
}

static void a_signal_can_be_given_anywhere(void **state)
{
    machine *m = fixture_start("x86_basic", "signal");
    break_at(m, "tick");
    machine_stop stop = run_on(m, 0, 0);
    assert_stop(stop, "signal");
    stop = run_on(m, stop.thread, 0);
    assert_stop(stop, "point");
    assert_exits(m, run_on(m, stop.thread, SIGUSR1), SIGUSR1);
}

static void a_crash_tells_its_address(void **state)
{
    machine *m = fixture_start("x86_basic", "crash");
    machine_stop stop = run_on(m, 0, 0);
    assert_stop(stop, "signal");
    assert_int_equal(stop.signal, SIGSEGV);
    assert_int_equal(stop.signal_addr, 8);
    stop = run_on(m, stop.thread, SIGSEGV);
    assert_stop(stop, "killed");
    assert_int_equal(stop.signal, SIGSEGV);
    ebb_error err;
    uint64_t place;
    assert_int_equal(m->ops->place(m, stop.thread, &place, &err), EBB_GONE);
    m->ops->free(m);
}

/* Thousands of quiet signals, while every call of tick() is stopped at. */
static void quiet_signals_cost_no_hit(void **state)
{
    machine *m = fixture_start("x86_basic", "alarms");
    uint64_t all = UINT64_MAX, alarm_bit = 1ull << (SIGALRM - 1);
    m->ops->signal_policy(m, all & ~alarm_bit, all);
    break_at(m, "tick");
    int hits = 0;
    machine_stop stop = run_on(m, 0, 0);
    for (; stop.kind == MACHINE_STOP_POINT; stop = run_on(m, stop.thread, 0))
        assert_int_equal(read_number(m, symbol(m, "counter"), 4), hits++);
    assert_int_equal(hits, 2000);
    assert_exits(m, stop, 0);
}

/* SIGSTOP handed to the program doesn't take it away from us. */
static void a_stop_signal_is_a_signal(void **state)
{
    machine *m = fixture_start("x86_threads", "rounds");
    machine_point_id id = break_at(m, "work");
    machine_stop stop = run_on(m, 0, 0);
    kill(m->ops->pid(m), SIGTSTP);
    do
        stop = run_on(m, stop.thread, 0);
    while (stop.kind == MACHINE_STOP_POINT);
    assert_stop(stop, "signal");
    assert_int_equal(stop.signal, SIGTSTP);
    stop = run_on(m, stop.thread, SIGTSTP);
    assert_stop(stop, "point");
    assert_ok(m->ops->point_clear(m, id, err));
    assert_exits(m, run_on(m, stop.thread, 0), 0);
}

/* `next` through a function does not end in a handler that nobody asked to see. */
static void quiet_signals_end_no_step(void **state)
{
    machine *m = fixture_start("x86_basic", "alarms");
    uint64_t all = UINT64_MAX, alarm_bit = 1ull << (SIGALRM - 1);
    m->ops->signal_policy(m, all & ~alarm_bit, all);
    machine_point_id id = break_at(m, "tick");
    machine_stop stop = run_on(m, 0, 0);
    assert_ok(m->ops->point_clear(m, id, err));
    uint64_t lo = symbol(m, "tick"), hi = symbol(m, "set_watched");
    int rounds = in_vm_mode() ? 500 : 2000; /* each takes longer there */
    for (int i = 0; i < rounds; i++) {
        assert_int_equal(read_number(m, symbol(m, "counter"), 4), i);
        stop = resume(m, (machine_request){.move = MACHINE_STEP, .thread = stop.thread, .lo = lo, .hi = hi});
        assert_stop(stop, "step");
        uint64_t handler = symbol(m, "on_signal");
        assert_false(stop.place >= handler && stop.place < handler + 16);
        if (i == rounds - 1)
            break;
        id = break_at(m, "tick");
        stop = run_on(m, stop.thread, 0);
        assert_stop(stop, "point");
        assert_ok(m->ops->point_clear(m, id, err));
    }
    assert_exits(m, run_on(m, stop.thread, 0), 0);
}

static void an_interrupt_ends_a_run(void **state)
{
    machine *m = at_main("spin");
    for (int i = 0; i < 50; i++) {
        machine_stop stop = interrupt_after(m, 0, i % 5);
        assert_stop(stop, "interrupted");
        assert_int_equal(stop.place, reg(m, stop.thread, "rip"));
    }
    m->ops->free(m);
}

static void an_interrupted_call_goes_on(void **state)
{
    machine *m = at_main("nap");
    machine_tid thread = 0;
    for (int i = 0; i < 5; i++) {
        machine_stop stop = interrupt_after(m, thread, 50);
        assert_stop(stop, "interrupted");
        thread = stop.thread;
    }
    assert_exits(m, run_on(m, thread, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(is_told_before_delivery, x86_test_setup),
        cmocka_unit_test_setup(a_step_with_a_signal_enters_the_handler, x86_test_setup),
        cmocka_unit_test_setup(a_signal_can_be_given_anywhere, x86_test_setup),
        cmocka_unit_test_setup(a_crash_tells_its_address, x86_test_setup),
        cmocka_unit_test_setup(quiet_signals_cost_no_hit, x86_test_setup),
        cmocka_unit_test_setup(a_stop_signal_is_a_signal, x86_test_setup),
        cmocka_unit_test_setup(quiet_signals_end_no_step, x86_test_setup),
        cmocka_unit_test_setup(an_interrupt_ends_a_run, x86_test_setup),
        cmocka_unit_test_setup(an_interrupted_call_goes_on, x86_test_setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
