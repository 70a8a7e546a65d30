/* Faults, traps, signal frames and x87 pointers in VM mode: a program that looks at them prints what it prints on the CPU,
 * with nobody watching. */
#include "x86_test.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* What a run printed, and how it ended. */
typedef struct outcome {
    char *text;
    int status;
} outcome;

static int open_output(void)
{
    int fd = memfd_create("output", 0);
    assert_true(fd >= 0);
    return fd;
}

static char *take_output(int fd)
{
    struct stat st;
    assert_int_equal(fstat(fd, &st), 0);
    char *text = calloc(1, (size_t)st.st_size + 1);
    assert_int_equal(pread(fd, text, (size_t)st.st_size, 0), st.st_size);
    close(fd);
    return text;
}

static outcome run_by_itself(const char *fixture, const char *mode)
{
    char path[512];
    int fd = open_output(), status;
    fixture_path(fixture, path, sizeof path);
    pid_t pid = fork_with_us();
    if (pid == 0) {
        dup2(fd, 1);
        personality(ADDR_NO_RANDOMIZE);
        execl(path, path, mode, NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return (outcome){take_output(fd), WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status)};
}

static machine_stop run_to_end(machine *m, const char *mode)
{
    machine_stop stop = {0};
    ebb_error err = {0};
    while (stop.kind != MACHINE_STOP_EXITED && stop.kind != MACHINE_STOP_KILLED) {
        machine_request run = {.move = MACHINE_RUN};
        if (m->ops->resume(m, &run, &stop, &err) != EBB_OK)
            fail_msg("%s: %s", mode, err.text);
        if (stop.kind == MACHINE_STOP_TRAP || stop.kind == MACHINE_STOP_SIGNAL)
            fail_msg("%s: was told of a signal", mode);
    }
    return stop;
}

static outcome run_translated(const char *fixture, const char *mode, bool vm)
{
    char path[512];
    fixture_path(fixture, path, sizeof path);
    char *args[] = {path, (char *)mode, NULL};
    x86_launch launch = {.program = path, .args = args};
    machine *m = NULL;
    int fd = open_output(), saved = dup(1);
    fflush(stdout);
    dup2(fd, 1);
    ebb_error why = {0};
    ebb_status status = x86_native_launch(&launch, &m, &why);
    dup2(saved, 1);
    close(saved);
    if (status != EBB_OK)
        fail_msg("%s", why.text);
    if (vm)
        m = x86_vm_new(m);
    m->ops->signal_policy(m, 0, UINT64_MAX);
    machine_stop stop = run_to_end(m, mode);
    m->ops->free(m);
    return (outcome){take_output(fd), stop.kind == MACHINE_STOP_EXITED ? stop.exit_status : -stop.signal};
}

/* The first line that differs is the one to read. */
static void compare_text(const char *mode, char *a, char *b)
{
    char *rest_a, *rest_b, *line_a = strtok_r(a, "\n", &rest_a), *line_b = strtok_r(b, "\n", &rest_b);
    for (; line_a && line_b; line_a = strtok_r(NULL, "\n", &rest_a), line_b = strtok_r(NULL, "\n", &rest_b))
        if (strcmp(line_a, line_b) != 0)
            fail_msg("%s:\n  %s\nnatively\n  %s", mode, line_b, line_a);
    if (line_a || line_b)
        fail_msg("%s: %s, natively %s", mode, line_b ? line_b : "ends", line_a ? line_a : "ends");
}

static void compare(const char *fixture, const char *mode, bool vm)
{
    outcome natively = run_by_itself(fixture, mode), here = run_translated(fixture, mode, vm);
    assert_true(strlen(natively.text) > 0);
    compare_text(mode, natively.text, here.text);
    assert_int_equal(natively.status, here.status);
    free(natively.text);
    free(here.text);
}

#define SAME(name, fixture, mode)                                                                                      \
    static void name(void **state)                                                                                     \
    {                                                                                                                  \
        compare(fixture, mode, true);                                                                                  \
    }                                                                                                                  \
    static void name##_in_native_mode(void **state)                                                                    \
    {                                                                                                                  \
        compare(fixture, mode, false);                                                                                 \
    }

SAME(instructions_that_fail, "x86_faults", "attempts")
SAME(the_trap_flag, "x86_faults", "traps")
SAME(the_last_x87_instruction, "x86_faults", "x87")
SAME(signal_frames, "x86_faults", "frames")

int main(void)
{
#define TEST(name) cmocka_unit_test_setup(name, x86_test_setup), cmocka_unit_test_setup(name##_in_native_mode, x86_test_setup)
    const struct CMUnitTest tests[] = {
        TEST(instructions_that_fail),
        TEST(the_trap_flag),
        TEST(the_last_x87_instruction),
        TEST(signal_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
