/* Signals: what stops, what is passed, and what a step does meanwhile. */
#include "session_test.h"
#include "machine/machine.h"

static session *stopped_in_main(const char *policy)
{
    session *s = debug("signals0");
    if (policy)
        assert_ok(ses_handle(s, policy, err));
    break_at(s, "spin");
    run(s);
    finish(s);
    assert_ok(ses_bp_delete(s, 1, err));
    assert_at(s, "main first");
    return s;
}

static void a_signal_stops(void **state)
{
    session *s = stopped_in_main(NULL);
    ses_stop stop = go_on(s);
    assert_int_equal(stop.kind, SES_STOP_SIGNAL);
    assert_int_equal(stop.machine.signal, SIGUSR1);
    assert_prints(s, "handled", "0");
    stop = go_on(s); /* passed on; SIGALRM doesn't stop; then the crash */
    assert_int_equal(stop.machine.signal, SIGSEGV);
    assert_at(s, "crash");
    assert_prints(s, "handled", "24");
    stop = go_on(s);
    assert_int_equal(stop.kind, SES_STOP_KILLED);
    assert_int_equal(stop.machine.signal, SIGSEGV);
    assert_int_equal(ses_get_state(s), SES_ENDED);
    ses_free(s);
}

static void a_signal_can_be_withheld(void **state)
{
    session *s = stopped_in_main(NULL);
    go_on(s);
    ses_stop stop;
    assert_ok(ses_signal(s, 0, &stop, err));
    assert_prints(s, "handled", "14");
    ses_free(s);
}

static void policies_are_followed(void **state)
{
    session *s = stopped_in_main("SIGUSR1 nostop print nopass");
    ses_stop stop = go_on(s);
    assert_int_equal(stop.machine.signal, SIGSEGV);
    assert_prints(s, "handled", "14");
    assert_int_equal(said.n[SES_NOTICE_SIGNAL], 1);
    assert_fails(ses_handle(s, "SIGNONE stop", err), EBB_BAD_INPUT);
    assert_fails(ses_handle(s, "stop", err), EBB_BAD_INPUT);
    assert_ok(ses_handle(s, "14-15 stop", err));
    assert_true(ses_signal_at(s, SIGALRM - 1).stop);
    assert_ok(ses_handle(s, "all noprint", err));
    assert_false(ses_signal_at(s, SIGALRM - 1).stop); /* noprint implies nostop */
    assert_true(ses_signal_at(s, SIGINT - 1).stop);   /* the debugger's own stay */
    ses_free(s);
}

static void names_and_numbers(void **state)
{
    assert_int_equal(ses_signal_number("SIGINT"), SIGINT);
    assert_int_equal(ses_signal_number("int"), SIGINT);
    assert_int_equal(ses_signal_number("2"), SIGINT);
    assert_int_equal(ses_signal_number("SIG34"), 34);
    assert_int_equal(ses_signal_number("nonsense"), 0);
    assert_int_equal(ses_signal_number("999"), 0);
    for (size_t i = 1; i <= ses_signal_count(); i++)
        assert_int_equal(ses_signal_number(ses_signal_name((int)i)), i);
}

static void a_step_over_a_signal_runs_its_handler(void **state)
{
    session *s = stopped_in_main("SIGUSR1 nostop noprint pass");
    next(s);
    assert_at(s, "raise usr1");
    next(s);
    assert_at(s, "after usr1");
    assert_prints(s, "handled", "10");
    next(s);
    next(s);
    assert_at(s, "after alrm");
    assert_prints(s, "handled", "24");
    ses_free(s);
}

static void a_printed_signal_does_not_end_a_step(void **state)
{
    session *s = stopped_in_main("SIGUSR1 nostop print pass");
    next(s);
    next(s);
    assert_at(s, "after usr1");
    assert_prints(s, "handled", "10");
    assert_int_equal(said.n[SES_NOTICE_SIGNAL], 1);
    ses_free(s);
}

static void a_breakpoint_in_a_handler_stops_a_step(void **state)
{
    session *s = stopped_in_main("SIGUSR1 nostop noprint pass");
    break_at(s, "on_signal");
    next(s);
    ses_stop stop = next(s);
    assert_int_equal(stop.kind, SES_STOP_BREAKPOINT);
    assert_at(s, "in handler");
    unsigned level = 0;
    while (!frame(s, level)->is_signal_frame)
        level++;
    assert_int_equal(level, 1);
    while (strcmp(frame(s, level)->name ? frame(s, level)->name : "", "main") != 0)
        level++; /* through the signal frame and libc's raise */
    assert_int_equal(frame(s, level)->line.line, line_of(s, "signals.c", "raise usr1"));
    ses_free(s);
}

static void signals_are_caught(void **state)
{
    session *s = debug("signals0");
    int number;
    assert_ok(ses_catch(s, "signal SIGALRM", false, &number, err));
    assert_ok(ses_handle(s, "SIGUSR1 nostop noprint", err));
    ses_stop stop = run(s);
    assert_int_equal(stop.kind, SES_STOP_CATCH);
    assert_string_equal(stop.catch_text, "signal SIGALRM");
    assert_fails(ses_catch(s, "signal SIGNONE", false, &number, err), EBB_NOT_FOUND);
    ses_free(s);
}

static session *interrupted;
static void on_alarm(int number)
{
    (void)number;
    ses_interrupt(interrupted);
}

static void ctrl_c_stops(void **state)
{
    session *s = debug_with("signals0", "wait");
    interrupted = s;
    struct sigaction old, action = {.sa_handler = on_alarm};
    sigaction(SIGUSR2, &action, &old);
    pid_t me = getpid(), helper = fork();
    if (helper == 0) {
        usleep(300000);
        kill(me, SIGUSR2);
        _exit(0);
    }
    ses_stop stop = run(s);
    assert_int_equal(stop.kind, SES_STOP_INTERRUPTED);
    unsigned level = 0;
    while (strcmp(frame(s, level)->name ? frame(s, level)->name : "", "main") != 0)
        level++;
    assert_int_equal(frame(s, level)->line.line, line_of(s, "signals.c", "wait for ever"));
    sigaction(SIGUSR2, &old, NULL);
    ses_free(s);
}

/* Ctrl-C comes while the machine is being freed: what is half gone must not be asked to stop. */
static struct {
    session *s;
    const machine_ops *real;
    unsigned n_interrupts;
} spy;

static void spy_interrupt(machine *m)
{
    (void)m;
    spy.n_interrupts++;
}

static void spy_free(machine *m)
{
    ses_interrupt(spy.s);
    m->ops = spy.real;
    m->ops->free(m);
}

static void an_interrupt_while_it_ends(void **state)
{
    session *s = stopped_in_main(NULL);
    spy.s = s;
    machine *m = ses_get_machine(s);
    spy.real = m->ops;
    machine_ops spied = *spy.real;
    spied.interrupt = spy_interrupt;
    spied.free = spy_free;
    m->ops = &spied;
    ses_interrupt(s);
    assert_int_equal(spy.n_interrupts, 1);
    assert_ok(ses_kill(s, err));
    assert_int_equal(spy.n_interrupts, 1);
    ses_free(s);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, session_setup, session_teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_signal_stops),
        TEST(a_signal_can_be_withheld),
        TEST(policies_are_followed),
        TEST(names_and_numbers),
        TEST(a_step_over_a_signal_runs_its_handler),
        TEST(a_printed_signal_does_not_end_a_step),
        TEST(a_breakpoint_in_a_handler_stops_a_step),
        TEST(signals_are_caught),
        TEST(ctrl_c_stops),
        TEST(an_interrupt_while_it_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
