/* x86_test.h - what the tests of the native machine share: a fixture under control, found by name. */
#ifndef EBB_TESTS_X86_TEST_H
#define EBB_TESTS_X86_TEST_H

#include "unit.h"
#include "x86/image.h"
#include "x86/native.h"
#include "x86/vm/vm.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

/* Every test ends, whatever happens: the debuggees go with it. */
static inline int x86_test_setup(void **state)
{
    alarm(60);
    return 0;
}

/* A child of a test's own goes with it, too. */
static inline pid_t fork_with_us(void)
{
    pid_t pid = fork();
    if (pid == 0)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    return pid;
}

static inline void fixture_path(const char *name, char *path, size_t size)
{
    const char *dir = getenv("X86_FIXTURES");
    snprintf(path, size, "%s/%s", dir ? dir : "tests/machine/fixtures", name);
}

/* The same tests hold for both modes: EBB_TEST_MODE=vm asks for the other one. */
static inline bool in_vm_mode(void)
{
    const char *mode = getenv("EBB_TEST_MODE");
    return mode && strcmp(mode, "vm") == 0;
}

static inline machine *fixture_start(const char *name, const char *mode)
{
    char path[512];
    fixture_path(name, path, sizeof path);
    char *args[] = {path, (char *)mode, NULL};
    x86_launch launch = {.program = path, .args = args};
    machine *m = NULL;
    assert_ok(x86_native_launch(&launch, &m, err));
    if (in_vm_mode())
        m = x86_vm_new(m);
    m->ops->signal_policy(m, ~(1ull << (SIGCHLD - 1)), UINT64_MAX); /* as a session does */
    return m;
}

/* The machine that ptrace belongs to. */
static inline machine *native_of(machine *m)
{
    return in_vm_mode() ? x86_vm_get_native(m) : m;
}

/* The run-time address of a symbol of the executable. */
static inline uint64_t symbol(machine *m, const char *name)
{
    size_t n;
    uint64_t value = 0;
    const machine_module *modules = m->native->modules(m, &n);
    if (!x86_image_symbol(modules[0].path, name, &value))
        fail_msg("no symbol %s", name);
    return modules[0].bias + value;
}

static inline machine_point_id point_at(machine *m, machine_point_kind kind, uint64_t addr, uint64_t nbytes)
{
    machine_point point = {.kind = kind, .addr = addr, .nbytes = nbytes};
    machine_point_id id = 0;
    assert_ok(m->ops->point_set(m, &point, &id, err));
    return id;
}

static inline machine_point_id break_at(machine *m, const char *name)
{
    return point_at(m, MACHINE_POINT_EXEC, symbol(m, name), 0);
}

static inline machine_stop resume(machine *m, machine_request request)
{
    machine_stop stop;
    assert_ok(m->ops->resume(m, &request, &stop, err));
    return stop;
}

/* Runs on, past the stops for modules, which come with every start. */
static inline machine_stop run_on(machine *m, machine_tid thread, int signal)
{
    machine_stop stop;
    do
        stop = resume(m, (machine_request){.move = MACHINE_RUN, .thread = thread, .signal = signal});
    while (stop.kind == MACHINE_STOP_MODULES);
    return stop;
}

static inline machine_stop step(machine *m, machine_tid thread)
{
    return resume(m, (machine_request){.move = MACHINE_STEP, .thread = thread});
}

static inline uint64_t reg(machine *m, machine_tid tid, const char *name)
{
    uint64_t value = 0;
    int index = machine_reg_by_name(m, name);
    assert_true(index >= 0);
    assert_ok(machine_reg_get_u64(m, tid, (unsigned)index, &value, err));
    return value;
}

static inline void set_reg(machine *m, machine_tid tid, const char *name, uint64_t value)
{
    assert_ok(machine_reg_set_u64(m, tid, (unsigned)machine_reg_by_name(m, name), value, err));
}

static inline uint64_t read_number(machine *m, uint64_t addr, size_t nbytes)
{
    uint64_t value = 0;
    assert_ok(machine_read(m, addr, &value, nbytes, err));
    return value;
}

static inline void assert_exits(machine *m, machine_stop stop, int status)
{
    assert_string_equal(machine_stop_word(stop.kind), "exited");
    assert_int_equal(stop.exit_status, status);
    m->ops->free(m);
}

#define assert_stop(stop, word) assert_string_equal(machine_stop_word((stop).kind), word)

#endif
