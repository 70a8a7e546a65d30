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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(all_is_as_natively, x86_test_setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
