/* x86_attach_test.c - attaching to programs in all the states that one can be found in, and leaving them as they were. */
#include "x86_test.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

/* Until the fixture is in its main loop: it has been executed, and then has had time to start its threads. */
static void wait_for_program(pid_t pid, const char *path)
{
    char link[64], exe[512] = "";
    snprintf(link, sizeof link, "/proc/%d/exe", (int)pid);
    for (int i = 0; i < 1000 && strcmp(exe, path) != 0; i++) {
        ssize_t n = readlink(link, exe, sizeof exe - 1);
        exe[n > 0 ? n : 0] = '\0';
        usleep(5000);
    }
    usleep(30000);
}

static pid_t spawn(const char *name, const char *mode)
{
    char path[512];
    fixture_path(name, path, sizeof path);
    pid_t pid = fork_with_us();
    if (pid == 0) {
        execl(path, path, mode, NULL);
        _exit(127);
    }
    wait_for_program(pid, path);
    return pid;
}

static void put_away(pid_t pid)
{
    int status;
    kill(pid, SIGKILL);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static machine *attach(pid_t pid)
{
    machine *m = NULL;
    assert_ok(x86_native_attach(pid, &m, err));
    return m;
}

static char state_of(pid_t pid)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    fclose(file);
    return strrchr(line, ')')[2];
}

/* Machines are slow at times. */
static void wait_for_state(pid_t pid, char wanted)
{
    for (int i = 0; i < 1000 && state_of(pid) != wanted; i++)
        usleep(5000);
    assert_int_equal(state_of(pid), wanted);
}

static void stops_and_lets_go(void **state)
{
    pid_t pid = spawn("x86_basic", "spin");
    machine *m = attach(pid);
    assert_int_equal(m->ops->pid(m), pid);
    size_t n;
    const machine_module *modules = m->native->modules(m, &n);
    assert_non_null(strstr(modules[0].path, "x86_basic"));
    assert_true(n >= 4 && modules[1].link_map != 0);
    break_at(m, "tick");
    machine_stop stop = run_on(m, 0, 0);
    assert_stop(stop, "point");
    uint64_t counter = symbol(m, "counter"), before = read_number(m, counter, 4);
    assert_ok(m->ops->detach(m, 0, err));
    m->ops->free(m);
    usleep(20000);
    m = attach(pid); /* it went on, and isn't hurt */
    assert_int_not_equal(read_number(m, counter, 4), before);
    m->ops->free(m);
    assert_int_equal(kill(pid, 0), 0); /* MA5 */
    put_away(pid);
}

/* Points, hits and watchpoints in eight busy threads, given up in the middle of it, again and again. */
static void under_load(void **state)
{
    pid_t pid = spawn("x86_threads", "spin");
    for (int i = 0; i < 60; i++) {
        machine *m = attach(pid);
        size_t n;
        m->ops->threads(m, &n);
        assert_true(n > 1 && n <= 9);
        break_at(m, "work");
        if (i % 3 == 0)
            point_at(m, MACHINE_POINT_WRITE, symbol(m, "shared_word"), 4);
        for (int k = 0; k < i % 7; k++)
            assert_stop(run_on(m, 0, 0), "point");
        if (i % 2)
            assert_ok(m->ops->detach(m, 0, err));
        m->ops->free(m);
        usleep(1000);
        assert_int_equal(kill(pid, 0), 0);
        assert_int_not_equal(state_of(pid), 'Z');
    }
    put_away(pid);
}

static void threads_come_and_go_meanwhile(void **state)
{
    pid_t pid = spawn("x86_threads", "churn");
    for (int i = 0; i < 60; i++) {
        machine *m = attach(pid);
        break_at(m, "work");
        for (int k = 0; k < 5; k++)
            assert_stop(run_on(m, 0, 0), "point");
        m->ops->free(m);
        assert_int_not_equal(state_of(pid), 'Z');
    }
    put_away(pid);
}

static void the_leader_may_be_gone(void **state)
{
    pid_t pid = spawn("x86_threads", "leader-gone");
    wait_for_state(pid, 'Z');
    for (int i = 0; i < 10; i++) {
        machine *m = attach(pid);
        size_t n;
        const machine_thread *threads = m->ops->threads(m, &n);
        assert_int_equal(n, 2);
        assert_int_not_equal(threads[0].tid, pid);
        assert_non_null(strstr(m->ops->program(m), "x86_threads"));
        break_at(m, "work");
        for (int k = 0; k < 5; k++)
            assert_stop(run_on(m, 0, 0), "point");
        m->ops->free(m);
    }
    machine *m = attach(pid); /* its end is noticed, though the leader can't report it to us */
    kill(pid, SIGKILL);
    machine_stop stop = run_on(m, 0, 0);
    assert_stop(stop, "killed");
    m->ops->free(m);
    waitpid(pid, NULL, 0);
}

static void a_stopped_process_stays_stopped(void **state)
{
    pid_t pid = spawn("x86_basic", "spin");
    kill(pid, SIGSTOP);
    wait_for_state(pid, 'T');
    machine *m = attach(pid);
    assert_ok(m->ops->detach(m, 0, err));
    m->ops->free(m);
    wait_for_state(pid, 'T');
    kill(pid, SIGCONT);
    wait_for_state(pid, 'R');
    put_away(pid);
}

/* A signal that arrived while we had it, and that nobody was told of, is not lost. */
static void a_signal_survives_detach(void **state)
{
    pid_t pid = spawn("x86_threads", "spin");
    machine *m = attach(pid);
    break_at(m, "work");
    kill(pid, SIGTERM);
    machine_stop stop;
    do
        stop = run_on(m, 0, 0);
    while (stop.kind == MACHINE_STOP_POINT);
    assert_stop(stop, "signal");
    assert_ok(m->ops->detach(m, SIGTERM, err));
    m->ops->free(m);
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

static void killed_from_outside(void **state)
{
    pid_t pid = spawn("x86_threads", "spin");
    machine *m = attach(pid);
    kill(pid, SIGKILL);
    usleep(20000);
    char byte;
    ebb_error err;
    (void)!machine_read(m, symbol(m, "work"), &byte, 1, &err); /* either way, but no crash */
    machine_stop stop = run_on(m, 0, 0);
    assert_stop(stop, "killed");
    assert_int_equal(stop.signal, SIGKILL);
    assert_int_equal(machine_read(m, 0x1000, &byte, 1, &err), EBB_GONE);
    uint64_t place;
    assert_int_equal(m->ops->place(m, pid, &place, &err), EBB_GONE);
    machine_point point = {.kind = MACHINE_POINT_EXEC, .addr = 0x1000};
    machine_point_id id;
    assert_int_equal(m->ops->point_set(m, &point, &id, &err), EBB_GONE);
    assert_int_equal(m->ops->detach(m, 0, &err), EBB_GONE);
    assert_int_equal(m->ops->kill(m, &err), EBB_GONE);
    assert_int_equal(m->ops->resume(m, &(machine_request){.move = MACHINE_RUN}, &stop, &err), EBB_GONE);
    size_t n;
    m->ops->threads(m, &n);
    assert_int_equal(n, 0);
    m->ops->free(m);

    /* While it runs. */
    m = fixture_start("x86_threads", "spin");
    pid_t killer = fork_with_us();
    if (killer == 0) {
        usleep(30000);
        kill(m->ops->pid(m), SIGKILL);
        _exit(0);
    }
    stop = run_on(m, 0, 0);
    assert_stop(stop, "killed");
    assert_int_equal(stop.signal, SIGKILL);
    m->ops->free(m);
    waitpid(killer, NULL, 0);

    /* And while it is let go: nothing hangs, nothing is left. */
    pid = spawn("x86_threads", "spin");
    m = attach(pid);
    kill(pid, SIGKILL);
    m->ops->free(m);
    int status;
    waitpid(pid, &status, 0);
}

/* What was started by us and let go lives on without us, and undisturbed. */
static void a_started_program_can_be_let_go(void **state)
{
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    pid_t tracer = fork_with_us();
    if (tracer == 0) {
        machine *m = fixture_start("x86_threads", "rounds");
        break_at(m, "work");
        for (int i = 0; i < 20; i++)
            run_on(m, 0, 0);
        pid_t pid = m->ops->pid(m);
        assert_ok(m->ops->detach(m, 0, err));
        m->ops->free(m);
        _exit(write(fds[1], &pid, sizeof pid) == sizeof pid ? 0 : 1);
    }
    pid_t pid;
    int status;
    assert_int_equal(read(fds[0], &pid, sizeof pid), sizeof pid);
    assert_int_equal(waitpid(tracer, &status, 0), tracer);
    assert_int_equal(status, 0);
    assert_int_equal(waitpid(pid, &status, 0), pid); /* we are its reaper now */
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void refusals_say_why(void **state)
{
    machine *m;
    ebb_error err;
    assert_int_equal(x86_native_attach(999999, &m, &err), EBB_NOT_FOUND);
    assert_string_equal(err.text, "There is no process 999999.");
    assert_int_equal(x86_native_attach(-1, &m, &err), EBB_BAD_INPUT);
    assert_int_equal(x86_native_attach(getpid(), &m, &err), EBB_BAD_INPUT);

    pid_t dead = fork_with_us();
    if (dead == 0)
        _exit(0);
    wait_for_state(dead, 'Z');
    assert_int_equal(x86_native_attach(dead, &m, &err), EBB_GONE);
    assert_non_null(strstr(err.text, "zombie"));
    waitpid(dead, NULL, 0);

    pid_t pid = spawn("x86_basic", "sleep");
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t other = fork_with_us();
    if (other == 0) {
        ptrace(PTRACE_SEIZE, pid, 0, 0);
        if (write(ready[1], "", 1) == 1)
            pause();
        _exit(0);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(x86_native_attach(pid, &m, &err), EBB_SYSTEM);
    char expected[128];
    snprintf(expected, sizeof expected, "Process %d is already being traced by process %d (x86_attach_test).", (int)pid, (int)other);
    assert_string_equal(err.text, expected);
    kill(other, SIGKILL);
    waitpid(other, NULL, 0);
    put_away(pid);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(stops_and_lets_go, x86_test_setup),
        cmocka_unit_test_setup(under_load, x86_test_setup),
        cmocka_unit_test_setup(threads_come_and_go_meanwhile, x86_test_setup),
        cmocka_unit_test_setup(the_leader_may_be_gone, x86_test_setup),
        cmocka_unit_test_setup(a_stopped_process_stays_stopped, x86_test_setup),
        cmocka_unit_test_setup(a_signal_survives_detach, x86_test_setup),
        cmocka_unit_test_setup(killed_from_outside, x86_test_setup),
        cmocka_unit_test_setup(a_started_program_can_be_let_go, x86_test_setup),
        cmocka_unit_test_setup(refusals_say_why, x86_test_setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
