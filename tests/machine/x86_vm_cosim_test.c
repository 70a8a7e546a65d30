/* Random instructions give the same registers, flags and memory on the CPU and in translated code. */
#include "x86_test.h"

enum { SEQUENCES = 3000 }; /* as in the fixture */

static void run_to_results(const char *seed, bool translated, uint64_t results[SEQUENCES])
{
    char path[512];
    fixture_path("x86_cosim", path, sizeof path);
    char *args[] = {path, (char *)seed, NULL};
    x86_launch launch = {.program = path, .args = args};
    machine *m = NULL;
    assert_ok(x86_native_launch(&launch, &m, err));
    if (translated)
        m = x86_vm_new(m);
    break_at(m, "finished");
    assert_stop(run_on(m, 0, 0), "point");
    assert_ok(machine_read(m, symbol(m, "results"), results, SEQUENCES * sizeof *results, err));
    m->ops->free(m);
}

static void all_sequences_agree(void **state)
{
    static const char *const seeds[] = {"1", "20260114", "77777"};
    static uint64_t natively[SEQUENCES], translated[SEQUENCES];
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++) {
        run_to_results(seeds[i], false, natively);
        run_to_results(seeds[i], true, translated);
        for (int k = 0; k < SEQUENCES; k++)
            if (natively[k] != translated[k])
                fail_msg("seed %s: sequence %d differs", seeds[i], k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(all_sequences_agree, x86_test_setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
