/* x86_trap_test.c - what a SIGTRAP can mean, one test for each meaning. */
#include "x86_test.h"

static void a_repeated_instruction_is_one_hit(void **state)
{
    machine *m = fixture_start("x86_basic", "rep");
    break_at(m, "rep_insn");
    machine_stop stop = run_on(m, 0, 0);
    assert_stop(stop, "point");
    assert_exits(m, run_on(m, stop.thread, 0), 'e');
}

static void stepping_a_repeated_instruction(void **state)
{
    machine *m = fixture_start("x86_basic", "rep");
    machine_point_id id = break_at(m, "rep_insn");
    machine_stop stop = run_on(m, 0, 0);
    uint64_t at = stop.place;
    assert_ok(m->ops->point_clear(m, id, err));
    for (int left = 12; left >= 0; left--) {
        stop = step(m, stop.thread);
        assert_stop(stop, "step");
        assert_int_equal(stop.place, left ? at : at + 2);
        assert_int_equal(reg(m, stop.thread, "rcx"), left);
    }
    assert_exits(m, run_on(m, stop.thread, 0), 'e');
}

static void stepping_leaves_no_trace_in_pushed_flags(void **state)
{
    for (int with_point = 0; with_point < 2; with_point++) {
        machine *m = fixture_start("x86_basic", "flags");
        machine_point_id id = break_at(m, "pushf_insn");
        machine_stop stop = run_on(m, 0, 0);
        if (!with_point)
            assert_ok(m->ops->point_clear(m, id, err));
        stop = step(m, stop.thread);
        assert_stop(stop, "step");
        assert_int_equal(read_number(m, reg(m, stop.thread, "rsp"), 8) & 0x100, 0);
        for (int i = 0; i < 20; i++)
            stop = step(m, stop.thread);
        assert_exits(m, run_on(m, stop.thread, 0), 0);
    }
}

static void a_trap_of_the_programs_own(void **state)
{
    machine *m = fixture_start("x86_basic", "int3");
    machine_stop stop = run_on(m, 0, 0);
    assert_stop(stop, "trap");
    assert_exits(m, run_on(m, stop.thread, 0), 3);

    m = fixture_start("x86_basic", "int3");
    stop = run_on(m, 0, 0);
    stop = run_on(m, stop.thread, SIGTRAP); /* handed over, it ends the program */
    assert_stop(stop, "killed");
    assert_int_equal(stop.signal, SIGTRAP);
    m->ops->free(m);
}

/* A point on the program's own int3: first the point, then the trap, then it goes on. */
static void a_point_at_an_own_trap(void **state)
{
    machine *m = fixture_start("x86_basic", "int3");
    break_at(m, "int3_insn");
    machine_stop stop = run_on(m, 0, 0);
    assert_stop(stop, "point");
    stop = run_on(m, stop.thread, 0);
    assert_stop(stop, "trap");
    assert_int_equal(stop.place, symbol(m, "int3_insn") + 1);
    assert_exits(m, run_on(m, stop.thread, 0), 3);
}

static void a_sigtrap_that_was_sent_is_a_signal(void **state)
{
    machine *m = fixture_start("x86_basic", "trap-signal");
    machine_stop stop = run_on(m, 0, 0);
    assert_stop(stop, "signal");
    assert_int_equal(stop.signal, SIGTRAP);
    assert_exits(m, run_on(m, stop.thread, SIGTRAP), SIGTRAP);
}

/* From the first instruction of the loader on, through every system call. */
static void steps_a_whole_program(void **state)
{
    machine *m = fixture_start("x86_basic", "plain");
    break_at(m, "add");
    machine_stop stop = run_on(m, 0, 0);
    long n = 0;
    while (stop.kind == MACHINE_STOP_STEP || stop.kind == MACHINE_STOP_POINT) {
        stop = step(m, stop.thread);
        n++;
    }
    assert_true(n > 100);
    assert_exits(m, stop, 50);
}

static void a_range_ends_at_a_point_in_it(void **state)
{
    machine *m = fixture_start("x86_basic", "plain");
    break_at(m, "main");
    machine_stop stop = run_on(m, 0, 0);
    machine_point_id id = break_at(m, "add");
    stop = resume(m, (machine_request){.move = MACHINE_STEP, .thread = stop.thread, .lo = 0x1000, .hi = UINT64_MAX});
    assert_stop(stop, "point");
    assert_int_equal(stop.points[0], id);
    assert_int_equal(stop.place, symbol(m, "add"));
    /* MA4 */
    stop = step(m, stop.thread);
    assert_stop(stop, "step");
    /* A step that arrives at a point tells of the point. */
    machine_insn insn;
    assert_ok(m->ops->decode(m, stop.place, &insn, err));
    id = point_at(m, MACHINE_POINT_EXEC, stop.place + insn.nbytes, 0);
    stop = step(m, stop.thread);
    assert_stop(stop, "point");
    assert_int_equal(stop.points[0], id);
    m->ops->free(m);
}

/* A point on a `syscall` instruction: the call happens once, and is told once. */
static void a_point_at_a_system_call(void **state)
{
    machine *m = fixture_start("x86_basic", "nap");
    break_at(m, "main");
    machine_stop stop = run_on(m, 0, 0);
    assert_ok(m->ops->event_set(m, MACHINE_EVENT_SYSCALL, true, err));
    stop = run_on(m, stop.thread, 0);
    assert_stop(stop, "syscall-entry");
    assert_string_equal(x86_syscall_name(stop.syscall), "clock_nanosleep");
    uint64_t insn = in_vm_mode() ? stop.place : stop.place - 2; /* its position; where the CPU is */
    stop = run_on(m, stop.thread, 0);
    assert_stop(stop, "syscall-return");
    assert_int_equal(stop.syscall_result, 0);
    m->ops->free(m);

    m = fixture_start("x86_basic", "nap");
    break_at(m, "main");
    stop = run_on(m, 0, 0);
    machine_point_id id = point_at(m, MACHINE_POINT_EXEC, insn, 0);
    stop = run_on(m, stop.thread, 0);
    assert_stop(stop, "point");
    assert_int_equal(stop.points[0], id);
    stop = step(m, stop.thread);
    assert_stop(stop, "step");
    assert_int_equal(stop.place, insn + 2);
    assert_int_equal(reg(m, stop.thread, "rax"), 0);
    assert_exits(m, run_on(m, stop.thread, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_repeated_instruction_is_one_hit, x86_test_setup),
        cmocka_unit_test_setup(stepping_a_repeated_instruction, x86_test_setup),
        cmocka_unit_test_setup(stepping_leaves_no_trace_in_pushed_flags, x86_test_setup),
        cmocka_unit_test_setup(a_trap_of_the_programs_own, x86_test_setup),
        cmocka_unit_test_setup(a_point_at_an_own_trap, x86_test_setup),
        cmocka_unit_test_setup(a_sigtrap_that_was_sent_is_a_signal, x86_test_setup),
        cmocka_unit_test_setup(steps_a_whole_program, x86_test_setup),
        cmocka_unit_test_setup(a_range_ends_at_a_point_in_it, x86_test_setup),
        cmocka_unit_test_setup(a_point_at_a_system_call, x86_test_setup),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
