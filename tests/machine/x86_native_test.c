/* x86_native_test.c - the machine's interface on a plain program: points, steps, memory, registers. */
#include "x86_test.h"

static void runs_to_the_end(void **state)
{
    machine *m = fixture_start("x86_basic", "plain");
    assert_exits(m, run_on(m, 0, 0), 50);
}

static void stops_at_points_and_steps(void **state)
{
    machine *m = fixture_start("x86_basic", "plain");
    machine_point_id id = break_at(m, "add");
    machine_stop stop = run_on(m, 0, 0);
    assert_stop(stop, "point");
    assert_int_equal(stop.n_points, 1);
    assert_int_equal(stop.points[0], id);
    assert_int_equal(stop.place, symbol(m, "add"));
    assert_int_equal(reg(m, stop.thread, "rip"), symbol(m, "add"));
    assert_int_equal(reg(m, stop.thread, "rdi"), 2);
    /* MA2, and stepping off the point executes what was there. */
    machine_insn insn;
    assert_ok(m->ops->decode(m, stop.place, &insn, err));
    uint64_t next = stop.place + insn.nbytes;
    stop = step(m, stop.thread);
    assert_stop(stop, "step");
    assert_int_equal(stop.place, next);
    assert_exits(m, run_on(m, stop.thread, 0), 50);
}

static void counts_every_hit(void **state)
{
    machine *m = fixture_start("x86_basic", "loop");
    break_at(m, "tick");
    int hits = 0;
    machine_stop stop = run_on(m, 0, 0);
    for (; stop.kind == MACHINE_STOP_POINT; stop = run_on(m, stop.thread, 0))
        assert_int_equal(read_number(m, symbol(m, "counter"), 4), hits++);
    assert_int_equal(hits, 5000);
    assert_exits(m, stop, 0);
}

static void writes_memory_and_registers(void **state)
{
    machine *m = fixture_start("x86_basic", "plain");
    break_at(m, "add");
    machine_stop stop = run_on(m, 0, 0);
    set_reg(m, stop.thread, "rdi", 40);
    /* A write over an int3 of ours changes the program, not the point. */
    uint8_t code[4];
    assert_ok(machine_read(m, stop.place, code, sizeof code, err));
    assert_int_not_equal(code[0], 0xcc);
    assert_ok(machine_write(m, stop.place, code, sizeof code, err));
    uint8_t again[4];
    assert_ok(machine_read(m, stop.place, again, sizeof again, err));
    assert_memory_equal(code, again, sizeof code);
    int five = 5;
    assert_ok(machine_write(m, symbol(m, "counter"), &five, sizeof five, err));
    assert_exits(m, run_on(m, stop.thread, 0), 43 + 5 + 45);
}

static void names_bad_addresses(void **state)
{
    machine *m = fixture_start("x86_basic", "plain");
    char bytes[64];
    ebb_error err;
    assert_int_equal(machine_read(m, 0x10, bytes, sizeof bytes, &err), EBB_NO_MEMORY_AT);
    assert_string_equal(err.text, "Cannot access memory at address 0x10");
    assert_int_equal(machine_write(m, 0x10, bytes, sizeof bytes, &err), EBB_NO_MEMORY_AT);
    machine_point point = {.kind = MACHINE_POINT_EXEC, .addr = 0x10};
    machine_point_id id;
    assert_int_equal(m->ops->point_set(m, &point, &id, &err), EBB_NO_MEMORY_AT);
    /* A read across the end of a mapping names the first byte that isn't there. */
    size_t n;
    const machine_module *modules = m->native->modules(m, &n);
    uint64_t end = modules[0].hi;
    while (machine_read(m, end, bytes, 1, NULL) == EBB_OK)
        end += 4096;
    assert_int_equal(machine_read(m, end - 8, bytes, 16, &err), EBB_NO_MEMORY_AT);
    char expected[64];
    snprintf(expected, sizeof expected, "Cannot access memory at address %#llx", (unsigned long long)end);
    assert_string_equal(err.text, expected);
    m->ops->free(m);
}

static void lists_modules(void **state)
{
    machine *m = fixture_start("x86_basic", "plain");
    size_t n;
    const machine_module *modules = m->native->modules(m, &n);
    assert_non_null(strstr(modules[0].path, "x86_basic"));
    assert_true(m->native->entry(m) >= modules[0].lo && m->native->entry(m) < modules[0].hi);
    break_at(m, "main");
    machine_stop stop = resume(m, (machine_request){.move = MACHINE_RUN});
    assert_stop(stop, "modules");
    stop = run_on(m, stop.thread, 0);
    assert_stop(stop, "point");
    modules = m->native->modules(m, &n);
    bool libc = false, vdso = false, loader = false;
    for (size_t i = 0; i < n; i++) {
        libc |= strstr(modules[i].path, "libc.so.6") != NULL && modules[i].link_map != 0;
        loader |= strstr(modules[i].path, "ld-linux") != NULL;
        vdso |= strcmp(modules[i].path, "[vdso]") == 0;
        assert_true(modules[i].lo < modules[i].hi);
    }
    assert_true(libc && vdso && loader);
    assert_true(modules[0].link_map != 0);
    uint64_t block;
    assert_ok(m->native->tls_block(m, stop.thread, &modules[0], &block, err));
    uint64_t offset;
    assert_true(x86_image_symbol(modules[0].path, "per_thread", &offset));
    assert_int_equal(read_number(m, block + offset, 4), 77);
    m->ops->free(m);
}

static void steps_in_a_range(void **state)
{
    machine *m = fixture_start("x86_basic", "plain");
    break_at(m, "tick");
    machine_stop stop = run_on(m, 0, 0);
    uint64_t lo = symbol(m, "tick");
    stop = resume(m, (machine_request){.move = MACHINE_STEP, .thread = stop.thread, .lo = lo, .hi = symbol(m, "set_watched")});
    assert_stop(stop, "step");
    assert_true(stop.place < lo || stop.place >= symbol(m, "set_watched"));
    assert_int_equal(reg(m, stop.thread, "rip"), stop.place);
    m->ops->free(m);
}

static void killing_leaves_nothing(void **state)
{
    machine *m = fixture_start("x86_basic", "sleep");
    pid_t pid = m->ops->pid(m);
    assert_ok(m->ops->kill(m, err));
    assert_int_equal(kill(pid, 0), -1);
    machine_stop stop;
    ebb_error err;
    assert_int_equal(m->ops->resume(m, &(machine_request){.move = MACHINE_RUN}, &stop, &err), EBB_GONE);
    m->ops->free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(runs_to_the_end, x86_test_setup),
        cmocka_unit_test_setup(stops_at_points_and_steps, x86_test_setup),
        cmocka_unit_test_setup(counts_every_hit, x86_test_setup),
        cmocka_unit_test_setup(writes_memory_and_registers, x86_test_setup),
        cmocka_unit_test_setup(names_bad_addresses, x86_test_setup),
        cmocka_unit_test_setup(lists_modules, x86_test_setup),
        cmocka_unit_test_setup(steps_in_a_range, x86_test_setup),
        cmocka_unit_test_setup(killing_leaves_nothing, x86_test_setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
