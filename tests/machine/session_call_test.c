/* Calls of functions of the debuggee: every way that values are passed and returned, and what goes
 * wrong. */
#include "session_test.h"

static session *stopped_in_main(const char *fixture)
{
    session *s = debug(fixture);
    break_at(s, "accumulate");
    run(s);
    return s;
}

static void values_of_every_kind(void **state)
{
    const char *const fixtures[] = {"values0", "values2"};
    for (int i = 0; i < 2; i++) {
        session *s = stopped_in_main(fixtures[i]);
        uint64_t pc = frame(s, 0)->pc;
        assert_prints(s, "add_eight(1, 2, 3, 4, 5, 6, 7, 8)", "204");
        assert_prints(s, "make_small(3, -4)", "{x = 3, y = -4}");
        assert_prints(s, "make_mixed(2.5, 7)", "{real = 2.5, whole = 7}");
        assert_prints(s, "make_floats(1.5, 2.5)", "{a = 1.5, b = 2.5}");
        assert_prints(s, "make_big(5)", "{items = {5, 6, 7, 8, 9, 10}}");
        assert_prints(s, "half(9)", "4.5");
        assert_prints(s, "third(4.5f)", "1.5");
        assert_prints(s, "twice(1.25)", "2.5");
        assert_prints(s, "sum_small(make_small(40, 2))", "42");
        assert_prints(s, "sum_mixed(make_mixed(0.5, 3), half(1))", "4");
        assert_prints(s, "sum_big(make_big(1), 10)", "17");
        assert_prints(s, "count(\"four\")", "4");
        assert_prints(s, "count(greeting) + 1", "6");
        assert_prints(s, "nothing()", "void");
        assert_prints(
            s, "((int (*)(int, int, int, int, int, int, int, int))add_eight)(1,0,0,0,0,0,0,0)",
            "1");
        assert_int_equal(frame(s, 0)->pc, pc); /* nothing moved */
        assert_in(s, 0, "accumulate");
        assert_int_equal(go_on(s).kind, SES_STOP_EXITED);
        ses_free(s);
    }
}

static void a_crash_is_undone(void **state)
{
    session *s = stopped_in_main("values0");
    uint64_t pc = frame(s, 0)->pc;
    assert_fails(ses_assign(s, "crash(0)", err), EBB_INTERRUPTED);
    assert_int_equal(frame(s, 0)->pc, pc);
    assert_prints(s, "add_eight(1, 0, 0, 0, 0, 0, 0, 1)", "9");
    ses_stop stop = go_on(s); /* the signal is gone with the call */
    assert_int_equal(stop.kind, SES_STOP_EXITED);
    assert_int_equal(stop.machine.exit_status, 0);
    ses_free(s);
}

static void a_breakpoint_on_the_way_too(void **state)
{
    session *s = stopped_in_main("values0");
    break_at(s, "half");
    assert_fails(ses_assign(s, "half(4)", err), EBB_INTERRUPTED);
    assert_in(s, 0, "accumulate");
    assert_int_equal(ses_frame_depth(s, 10), 2);
    assert_ok(ses_bp_delete(s, 2, err));
    assert_prints(s, "half(4)", "2");
    ses_free(s);
}

static void calls_work_from_outer_frames_and_conditions(void **state)
{
    session *s = debug("values0");
    ses_break_request r = {.where = "accumulate", .condition = "sum_small(make_small(n, 1)) == 5"};
    int number;
    assert_ok(ses_break(s, &r, &number, err));
    assert_int_equal(run(s).kind, SES_STOP_BREAKPOINT);
    assert_ok(ses_frame_select(s, 1, err));
    assert_prints(s, "sum_small(s) + add_eight(1, 0, 0, 0, 0, 0, 0, 0)", "4");
    const ses_frame *selected;
    assert_ok(ses_frame_selected(s, &selected, err));
    assert_string_equal(selected->name, "main");
    ses_free(s);
}

static void an_exit_is_told(void **state)
{
    session *s = stopped_in_main("values0");
    assert_fails(ses_assign(s, "((void (*)(int))_exit)(4)", err), EBB_GONE);
    assert_int_equal(ses_get_state(s), SES_ENDED);
    assert_int_equal(ses_get_exit_code(s), 4);
    assert_fails(ses_assign(s, "half(1)", err), EBB_GONE);
    ses_free(s);
}

static void a_frame_can_be_popped(void **state)
{
    session *s = stopped_in_main("values0");
    assert_ok(ses_return_from(s, "99", err));
    assert_in(s, 0, "main");
    assert_at(s, "call accumulate");
    next(s);
    assert_prints(s, "result", "99");
    assert_fails(ses_return_from(s, "no_such", err), EBB_NOT_FOUND);
    ses_free(s);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, session_setup, session_teardown)
    const struct CMUnitTest tests[] = {
        TEST(values_of_every_kind),
        TEST(a_crash_is_undone),
        TEST(a_breakpoint_on_the_way_too),
        TEST(calls_work_from_outer_frames_and_conditions),
        TEST(an_exit_is_told),
        TEST(a_frame_can_be_popped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
