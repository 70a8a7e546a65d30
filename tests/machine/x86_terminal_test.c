/* x86_terminal_test.c - who has the terminal, tried on a terminal of the test's own. */
#include "x86_test.h"

#include <fcntl.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>

/* A debugger in a session of its own, on a new terminal; *master is the person's side of it. */
static pid_t fork_on_terminal(int *master)
{
    pid_t pid = forkpty(master, NULL, NULL, NULL);
    assert_true(pid >= 0);
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        alarm(50);
    }
    return pid;
}

static machine *start_on_terminal(const char *mode)
{
    char path[512];
    fixture_path("x86_basic", path, sizeof path);
    char *args[] = {path, (char *)mode, NULL};
    x86_launch launch = {.program = path, .args = args, .own_terminal = true};
    machine *m;
    return x86_native_launch(&launch, &m, NULL) == EBB_OK ? m : NULL;
}

static machine_stop run_quietly(machine *m, int signal)
{
    machine_stop stop;
    do {
        machine_request request = {.move = MACHINE_RUN, .signal = signal};
        if (m->ops->resume(m, &request, &stop, NULL) != EBB_OK)
            _exit(80);
    } while (stop.kind == MACHINE_STOP_MODULES);
    return stop;
}

static void assert_ends_well(pid_t pid)
{
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* Until the foreground group is another one than `not`. */
static pid_t wait_for_foreground(int master, pid_t not)
{
    pid_t group = not;
    for (int i = 0; i < 2000 && (group == not || group <= 0); i++) {
        usleep(5000);
        group = tcgetpgrp(master);
    }
    return group;
}

/* Ctrl-C reaches the running debuggee, and the stop gives the terminal back. */
static void control_c_stops_the_debuggee(void **state)
{
    int master;
    pid_t pid = fork_on_terminal(&master);
    if (pid == 0) {
        machine *m = start_on_terminal("sleep");
        if (!m || tcgetpgrp(0) != getpgrp())
            _exit(81);
        for (int i = 0; i < 3; i++) {
            machine_stop stop = run_quietly(m, 0);
            if (stop.kind != MACHINE_STOP_SIGNAL || stop.signal != SIGINT)
                _exit(82);
            if (tcgetpgrp(0) != getpgrp())
                _exit(83);
            usleep(50000);
        }
        m->ops->free(m);
        _exit(tcgetpgrp(0) == getpgrp() ? 0 : 84);
    }
    for (int i = 0; i < 3; i++) {
        pid_t group = wait_for_foreground(master, pid);
        assert_int_not_equal(group, pid);
        assert_int_equal(write(master, "\003", 1), 1);
        for (int k = 0; k < 2000 && tcgetpgrp(master) == group; k++)
            usleep(5000);
    }
    assert_ends_well(pid);
    close(master);
}

static void each_side_has_its_own_modes(void **state)
{
    int master;
    pid_t pid = fork_on_terminal(&master);
    if (pid == 0) {
        machine *m = start_on_terminal("terminal");
        struct termios modes;
        if (!m)
            _exit(81);
        size_t n;
        uint64_t value;
        const machine_module *modules = m->native->modules(m, &n);
        machine_point_id id;
        if (!x86_image_symbol(modules[0].path, "tick", &value))
            _exit(82);
        machine_point point = {.kind = MACHINE_POINT_EXEC, .addr = modules[0].bias + value};
        if (m->ops->point_set(m, &point, &id, NULL) != EBB_OK || run_quietly(m, 0).kind != MACHINE_STOP_POINT)
            _exit(83);
        tcgetattr(0, &modes);
        if (!(modes.c_lflag & ECHO)) /* ours are as they were */
            _exit(84);
        machine_stop stop = run_quietly(m, 0); /* reads "abc\n" */
        tcgetattr(0, &modes);
        if (stop.kind != MACHINE_STOP_EXITED || stop.exit_status != 4)
            _exit(85);
        m->ops->free(m);
        _exit(modes.c_lflag & ECHO && tcgetpgrp(0) == getpgrp() ? 0 : 86);
    }
    wait_for_foreground(master, pid);
    assert_int_equal(write(master, "abc\n", 4), 4);
    assert_ends_well(pid);
    close(master);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(control_c_stops_the_debuggee, x86_test_setup),
        cmocka_unit_test_setup(each_side_has_its_own_modes, x86_test_setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
