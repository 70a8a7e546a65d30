/* Code that changes, code that is none, and handlers that repair what went wrong: as natively. */
#include "x86_test.h"

#include "base/sizes.h"

static void all_is_as_natively(void **state)
{
    static const char *const modes[] = {"rewritten", "turns", "again", "data", "fix-up", "clocks"};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        machine *m = fixture_start("x86_jit", modes[i]);
        if (!in_vm_mode())
            m = x86_vm_new(m);
        m->ops->signal_policy(m, 0, UINT64_MAX);
        machine_stop stop = run_on(m, 0, 0);
        if (stop.kind != MACHINE_STOP_EXITED || stop.exit_status != 0)
            fail_msg("%s: %s %d", modes[i], machine_stop_word(stop.kind), stop.exit_status);
        m->ops->free(m);
    }
}

/* The functions of the vdso don't read the clock behind our back. */
static void clocks_are_read_by_system_calls(void **state)
{
    machine *m = fixture_start("x86_jit", "clocks");
    if (!in_vm_mode())
        m = x86_vm_new(m);
    break_at(m, "clocks");
    machine_stop stop = run_on(m, 0, 0);
    assert_stop(stop, "point");
    assert_ok(m->ops->event_set(m, MACHINE_EVENT_SYSCALL, true, err));
    static const char *const names[] = {"clock_gettime", "clock_getres", "gettimeofday", "time", "getcpu"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        stop = run_on(m, 0, 0);
        assert_stop(stop, "syscall-entry");
        assert_string_equal(x86_syscall_name(stop.syscall), names[i]);
        assert_stop(run_on(m, 0, 0), "syscall-return");
    }
    assert_ok(m->ops->event_set(m, MACHINE_EVENT_SYSCALL, false, err));
    assert_exits(m, run_on(m, 0, 0), 0);
}

/* A system call that gets past the translator is noticed, where the kernel helps (Linux 5.11). */
static void a_system_call_that_escapes_is_noticed(void **state)
{
    if (prctl(59 /* syscall user dispatch */, 0, 0, 0, 0) != 0)
        skip();
    if (EBB_IS_TINY) {
        print_message("a tiny cache forgets the copy that the program spoils before it is executed again\n");
        skip();
    }
    machine *m = fixture_start("x86_jit", "escape");
    if (!in_vm_mode())
        m = x86_vm_new(m);
    machine_stop stop;
    ebb_error err;
    ebb_status status;
    do
        status = m->ops->resume(m, &(machine_request){.move = MACHINE_RUN}, &stop, &err);
    while (status == EBB_OK && stop.kind == MACHINE_STOP_MODULES);
    assert_int_equal(status, EBB_UNSUPPORTED);
    assert_non_null(strstr(err.text, "got past VM mode"));
    m->ops->free(m);
}

/* What translated code can't simply repeat. */
static void odd_instructions_are_as_natively(void **state)
{
    static const char *const modes[] = {"gs-operands", "gs-calls", "gs-others", "upper-vectors", "upper-vectors-in-faults",
                                        "changes-itself", "changed-elsewhere", "far-operands", "far-transfers",
                                        "old-system-call", "world"};
    char path[512];
    fixture_path("x86_odd", path, sizeof path);
    for (size_t i = 0; i < 2 * sizeof modes / sizeof *modes; i++) {
        char *args[] = {path, (char *)modes[i / 2], __builtin_cpu_supports("avx512vl") ? "avx512" : NULL, NULL};
        x86_launch launch = {.program = path, .args = args};
        machine *m = NULL;
        assert_ok(x86_native_launch(&launch, &m, err));
        if (i % 2)
            m = x86_vm_new(m);
        m->ops->signal_policy(m, 0, UINT64_MAX);
        ebb_error err = {0};
        machine_stop stop = {0};
        machine_request run = {.move = MACHINE_RUN};
        do
            if (m->ops->resume(m, &run, &stop, &err) != EBB_OK)
                fail_msg("%s, %s: %s", modes[i / 2], i % 2 ? "VM" : "native", err.text);
        while (stop.kind == MACHINE_STOP_MODULES);
        if (stop.kind != MACHINE_STOP_EXITED || stop.exit_status != 0)
            fail_msg("%s, %s: %s %d", modes[i / 2], i % 2 ? "VM" : "native", machine_stop_word(stop.kind), stop.exit_status);
        m->ops->free(m);
    }
}

enum { N_ANSWERS = 256 };

/* From main to done, by a run or by single steps. */
static void collect_answers(bool by_steps, uint64_t answers[N_ANSWERS])
{
    machine *m = fixture_start("x86_errands", NULL);
    if (!in_vm_mode())
        m = x86_vm_new(m);
    m->ops->signal_policy(m, 0, UINT64_MAX);
    machine_point_id id = break_at(m, "main");
    machine_stop stop = run_on(m, 0, 0);
    assert_stop(stop, "point");
    assert_ok(m->ops->point_clear(m, id, err));
    uint64_t end = symbol(m, "done");
    if (by_steps)
        do
            stop = step(m, stop.thread);
        while (stop.kind == MACHINE_STOP_MODULES || (stop.kind == MACHINE_STOP_STEP && stop.place != end));
    else
        break_at(m, "done"), stop = run_on(m, stop.thread, 0);
    assert_int_equal(stop.place, end);
    assert_ok(machine_read(m, symbol(m, "answers"), answers, N_ANSWERS * sizeof *answers, err));
    assert_exits(m, run_on(m, stop.thread, 0), 0);
}

/* Whoever executes an instruction that asks the world, the runtime answers it. */
static void steps_are_answered_by_the_runtime(void **state)
{
    uint64_t run[N_ANSWERS], stepped[N_ANSWERS];
    collect_answers(false, run);
    collect_answers(true, stepped);
    for (unsigned i = 0; i < N_ANSWERS; i++)
        if (run[i] != stepped[i])
            fail_msg("answer %u: %#lx in a run, %#lx by steps", i, run[i], stepped[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(odd_instructions_are_as_natively, x86_test_setup),
        cmocka_unit_test_setup(all_is_as_natively, x86_test_setup),
        cmocka_unit_test_setup(steps_are_answered_by_the_runtime, x86_test_setup),
        cmocka_unit_test_setup(a_system_call_that_escapes_is_noticed, x86_test_setup),
        cmocka_unit_test_setup(clocks_are_read_by_system_calls, x86_test_setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
