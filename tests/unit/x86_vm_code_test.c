/* Code that changes, code that is none, and handlers that repair what went wrong: as natively. */
#include "x86_test.h"

static void all_is_as_natively(void **state)
{
    static const char *const modes[] = {"rewritten", "turns", "again", "data", "fix-up", "vdso"};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(odd_instructions_are_as_natively, x86_test_setup),
        cmocka_unit_test_setup(all_is_as_natively, x86_test_setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
