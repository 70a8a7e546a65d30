/* Beginning and ending: arguments, environment, runs one after another, attach, detach, fork, exec,
 * and a debuggee that is killed from outside. */
#include "session_test.h"

#include <sys/wait.h>

static void arguments_and_environment(void **state)
{
    session *s = debug_with("processes0", "env");
    ses_environment_set(s, "EBB_TEST", "42");
    assert_int_equal(run(s).machine.exit_status, 42);
    ses_environment_set(s, "EBB_TEST", "43");
    assert_int_equal(run(s).machine.exit_status, 43);
    ses_environment_unset(s, "EBB_TEST");
    assert_int_equal(run(s).machine.exit_status, 1);
    assert_ok(ses_set_args(s, "a 'b c' \"d\\\"e\" f\\ g", err));
    assert_int_equal(run(s).machine.exit_status, 5);
    char *text = ses_args_text(s);
    assert_string_equal(text, "a 'b c' 'd\"e' 'f g'");
    free(text);
    assert_fails(ses_set_args(s, "'open", err), EBB_BAD_INPUT);
    assert_ok(ses_setting_set(s, "args", "x", err));
    assert_int_equal(run(s).machine.exit_status, 2);
    assert_ok(ses_setting_set(s, "cwd", "/no/such/directory", err));
    ses_stop stop;
    assert_true(ses_run(s, &stop, NULL) != EBB_OK);
    ses_free(s);
}

static void start_and_starti(void **state)
{
    session *s = debug("processes0");
    ses_stop stop;
    assert_ok(ses_starti(s, &stop, err));
    assert_int_equal(stop.kind, SES_STOP_STARTED);
    assert_int_equal(ses_get_state(s), SES_STOPPED);
    pid_t pid = ses_get_pid(s);
    assert_ok(ses_start(s, &stop, err)); /* the old one goes */
    assert_int_equal(stop.kind, SES_STOP_BREAKPOINT);
    assert_true(stop.breakpoint_was_temporary[0]);
    assert_at(s, "main first");
    assert_int_not_equal(ses_get_pid(s), pid);
    assert_int_equal(kill(pid, 0), -1);
    assert_ok(ses_kill(s, err));
    assert_int_equal(ses_get_state(s), SES_ENDED);
    assert_fails(ses_kill(s, err), EBB_GONE);
    assert_fails(ses_detach(s, err), EBB_GONE);
    ses_free(s);
}

static void bad_programs_are_refused(void **state)
{
    session *s = ses_new(NULL);
    char *const missing[] = {"/no/such/program", NULL}, *const directory[] = {"/", NULL};
    ses_stop stop;
    assert_int_equal(ses_get_state(s), SES_NO_PROGRAM);
    assert_true(ses_set_program(s, missing, NULL) != EBB_OK);
    assert_true(ses_set_program(s, directory, NULL) != EBB_OK);
    assert_fails(ses_run(s, &stop, err), EBB_BAD_INPUT);
    assert_fails(ses_start(s, &stop, err), EBB_BAD_INPUT);
    assert_int_equal(ses_get_state(s), SES_NO_PROGRAM);
    ses_free(s);
}

static void a_fork_is_told_and_let_go(void **state)
{
    session *s = debug_with("processes0", "fork");
    break_at(s, "in_child");
    assert_int_equal(run(s).machine.exit_status, 7); /* the child had no breakpoint to die of */
    assert_int_equal(said.n[SES_NOTICE_FORK], 1);
    assert_ok(ses_setting_set(s, "follow-fork-mode", "child", err));
    ses_stop stop = run(s);
    assert_int_equal(stop.kind, SES_STOP_BREAKPOINT);
    assert_in(s, 0, "in_child");
    assert_int_equal(go_on(s).machine.exit_status, 7);
    ses_free(s);
}

static void next_over_a_fork(void **state)
{
    session *s = debug_with("processes0", "fork");
    break_at(s, "main");
    run(s);
    for (int i = 0; i < 10; i++) {
        next(s);
        const ses_frame *f = frame(s, 0);
        if (f->line.line == line_of(s, "processes.c", "after fork"))
            break;
    }
    assert_at(s, "after fork");
    assert_int_equal(go_on(s).machine.exit_status, 7);
    ses_free(s);
}

static void an_exec_is_followed(void **state)
{
    session *s = debug_with("processes0", "exec");
    break_at(s, "main");
    run(s);
    ses_stop stop = go_on(s); /* the new program's main */
    assert_int_equal(stop.kind, SES_STOP_BREAKPOINT);
    assert_int_equal(said.n[SES_NOTICE_EXEC], 1);
    assert_prints(s, "*argv[1]@5", "\"again\"");
    ses_free(s);
}

static void forks_and_execs_are_caught(void **state)
{
    session *s = debug_with("processes0", "fork");
    int number;
    assert_ok(ses_catch(s, "fork", false, &number, err));
    assert_ok(ses_catch(s, "syscall exit_group", false, &number, err));
    ses_stop stop = run(s);
    assert_int_equal(stop.kind, SES_STOP_CATCH);
    assert_non_null(strstr(stop.catch_text, "forked process"));
    stop = go_on(s);
    assert_int_equal(stop.kind, SES_STOP_CATCH);
    assert_string_equal(stop.catch_text, "call to syscall exit_group");
    assert_int_equal(go_on(s).machine.exit_status, 7);
    assert_ok(ses_set_args(s, "exec", err));
    assert_ok(ses_catch(s, "exec", true, &number, err));
    stop = run(s);
    assert_int_equal(stop.kind, SES_STOP_CATCH);
    assert_int_equal(stop.breakpoints[0], number);
    assert_true(stop.breakpoint_was_temporary[0]);
    assert_fails(ses_catch(s, "syscall no_such_call", false, &number, err), EBB_NOT_FOUND);
    assert_fails(ses_catch(s, "lightning", false, &number, err), EBB_BAD_INPUT);
    ses_free(s);
}

static void attached_ones_live_on(void **state)
{
    char path[512];
    fixture_path("signals0", path, sizeof path);
    pid_t pid = fork();
    if (pid == 0) {
        execl(path, path, "wait", NULL);
        _exit(127);
    }
    usleep(200000);
    session *s = ses_new(NULL);
    ses_stop stop;
    assert_ok(ses_attach(s, pid, &stop, err));
    assert_int_equal(stop.kind, SES_STOP_ATTACHED);
    assert_true(ses_was_attached(s));
    assert_int_equal(ses_get_pid(s), pid);
    unsigned level = 0;
    while (strcmp(frame(s, level)->name ? frame(s, level)->name : "", "main") != 0)
        level++;
    assert_int_equal(frame(s, level)->line.line, line_of(s, "signals.c", "wait for ever"));
    break_at(s, "spin");
    assert_ok(ses_detach(s, err));
    assert_int_equal(ses_get_state(s), SES_ENDED);
    ses_free(s);
    assert_int_equal(kill(pid, 0), 0);
    assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void killed_from_outside(void **state)
{
    session *s = debug("processes0");
    break_at(s, "main");
    run(s);
    kill(ses_get_pid(s), SIGKILL);
    usleep(50000);
    ses_stop stop;
    ebb_status status = ses_continue(s, 0, &stop, NULL);
    if (status == EBB_OK)
        assert_int_equal(stop.kind, SES_STOP_KILLED);
    assert_int_equal(ses_get_state(s), SES_ENDED);
    assert_int_equal(run(s).kind, SES_STOP_BREAKPOINT);
    kill(ses_get_pid(s), SIGKILL);
    usleep(50000);
    ebb_buf text = {0};
    (void)!ses_examine(s, "/4x $sp", &text, NULL); /* whatever it answers, it answers */
    (void)!ses_assign(s, "argc + 1", NULL);
    (void)!ses_step(s, SES_NEXT_LINE, 3, &stop, NULL);
    assert_int_equal(ses_get_state(s), SES_ENDED);
    ebb_buf_fini(&text);
    ses_free(s);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, session_setup, session_teardown)
    const struct CMUnitTest tests[] = {
        TEST(arguments_and_environment),  TEST(start_and_starti),
        TEST(bad_programs_are_refused),   TEST(a_fork_is_told_and_let_go),
        TEST(next_over_a_fork),           TEST(an_exec_is_followed),
        TEST(forks_and_execs_are_caught), TEST(attached_ones_live_on),
        TEST(killed_from_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
