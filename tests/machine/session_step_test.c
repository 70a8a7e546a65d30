/* The stepping verbs, on calls, loops, recursion, inlined functions and long jumps. */
#include "session_test.h"

static session *stopped_in_main(const char *fixture)
{
    session *s = debug(fixture);
    break_at(s, "main");
    ses_stop stop = run(s);
    assert_int_equal(stop.kind, SES_STOP_BREAKPOINT);
    assert_int_equal(stop.breakpoints[0], 1);
    assert_at(s, "main first");
    return s;
}

static void next_steps_over_calls(void **state)
{
    session *s = stopped_in_main("steps0");
    ses_stop stop = next(s);
    assert_int_equal(stop.kind, SES_STOP_STEP);
    assert_true(stop.same_frame);
    assert_false(stop.mid_line);
    assert_at(s, "main second");
    next(s);
    assert_at(s, "loop head");
    assert_prints(s, "sum", "10");
    ses_free(s);
}

static void step_goes_into_and_out(void **state)
{
    session *s = stopped_in_main("steps0");
    ses_stop stop = step(s);
    assert_at(s, "add first");
    assert_false(stop.same_frame);
    assert_in(s, 1, "main");
    assert_prints(s, "a * 10 + b", "12");
    step(s);
    assert_at(s, "add returns");
    step(s);
    assert_at(s, "add ends");
    stop = step(s); /* the rest of the caller's line is not a place to stop */
    assert_at(s, "main second");
    assert_false(stop.same_frame);
    ses_free(s);
}

static void finish_shows_the_value(void **state)
{
    session *s = stopped_in_main("steps0");
    step(s);
    ses_stop stop = finish(s);
    assert_int_equal(stop.kind, SES_STOP_FINISHED);
    assert_string_equal(stop.return_value, "3");
    assert_int_equal(stop.return_number, 1);
    assert_at(s, "main first");
    assert_true(stop.mid_line);
    assert_prints(s, "$1 + 1", "4");
    assert_fails(ses_finish(s, &stop, err), EBB_BAD_INPUT);
    ses_free(s);
}

static void next_in_recursion_stays_in_its_frame(void **state)
{
    session *s = stopped_in_main("steps0");
    break_at(s, "factorial");
    go_on(s);
    assert_int_equal(ses_bp_get(s, 2)->hits, 1);
    assert_ok(ses_bp_delete(s, 2, err));
    next(s);
    assert_at(s, "factorial call");
    next(s);
    assert_at(s, "factorial returns");
    assert_prints(s, "n", "4");
    assert_prints(s, "below", "6");
    ses_stop stop = finish(s);
    assert_string_equal(stop.return_value, "24");
    ses_free(s);
}

static void finish_of_an_outer_frame(void **state)
{
    session *s = stopped_in_main("steps0");
    char where[32];
    snprintf(where, sizeof where, "steps.c:%u", line_of(s, "steps.c", "factorial base"));
    break_at(s, where);
    go_on(s);
    assert_int_equal(ses_frame_depth(s, 100), 5);
    assert_ok(ses_frame_select(s, 2, err));
    assert_prints(s, "n", "3");
    ses_stop stop = finish(s);
    assert_string_equal(stop.return_value, "6");
    assert_prints(s, "n", "4");
    ses_free(s);
}

static void until_leaves_loops(void **state)
{
    session *s = stopped_in_main("steps0");
    ses_stop stop;
    for (int i = 0; i < 3; i++)
        next(s);
    assert_at(s, "loop body");
    assert_ok(ses_until(s, &stop, err));
    assert_at(s, "loop head"); /* jumps back once, to the condition */
    assert_ok(ses_until(s, &stop, err));
    assert_at(s, "call factorial");
    assert_prints(s, "sum", "84");
    ses_free(s);
}

static void advance_and_until_a_place(void **state)
{
    session *s = stopped_in_main("steps0");
    ses_stop stop;
    char where[32];
    snprintf(where, sizeof where, "%u", line_of(s, "steps.c", "call twice"));
    assert_ok(ses_advance(s, where, true, &stop, err));
    assert_int_equal(stop.kind, SES_STOP_LOCATION);
    assert_at(s, "call twice");
    assert_ok(ses_advance(s, "catch_leap", false, &stop, err));
    assert_in(s, 0, "catch_leap");
    assert_ok(ses_advance(s, "main", false, &stop, err)); /* never reached: the frame's return is */
    assert_int_equal(stop.kind, SES_STOP_LOCATION);
    assert_at(s, "call catch_leap");
    assert_fails(ses_advance(s, "no_such_function", false, &stop, err), EBB_NOT_FOUND);
    ses_free(s);
}

/* About to enter the inlined function, still in the line before it. */
static session *stopped_at_inlined_call(void)
{
    session *s = stopped_in_main("steps0");
    ses_stop stop;
    char where[32];
    snprintf(where, sizeof where, "%u", line_of(s, "steps.c", "call factorial"));
    assert_ok(ses_advance(s, where, false, &stop, err));
    next(s);
    assert_in(s, 0, "main");
    assert_at(s, "call twice");
    return s;
}

static void inlined_functions_are_frames(void **state)
{
    session *s = stopped_at_inlined_call();
    uint64_t pc = frame(s, 0)->pc;
    step(s);
    assert_in(s, 0, "twice");
    assert_true(frame(s, 0)->is_inlined);
    assert_int_equal(frame(s, 0)->pc, pc); /* entered without moving */
    assert_at(s, "inlined first");
    assert_in(s, 1, "main");
    assert_int_equal(frame(s, 1)->line.line, line_of(s, "steps.c", "call twice"));
    step(s);
    assert_at(s, "inlined second");
    finish(s);
    assert_in(s, 0, "main");
    assert_at(s, "call twice");
    next(s);
    assert_at(s, "call catch_leap");
    ses_free(s);
}

static void next_passes_inlined_functions(void **state)
{
    session *s = stopped_at_inlined_call();
    ses_stop stop = next(s);
    assert_in(s, 0, "main");
    assert_at(s, "call catch_leap");
    assert_true(stop.same_frame);
    ses_free(s);
}

static void a_breakpoint_on_an_inlined_function_is_in_it(void **state)
{
    session *s = debug("steps0");
    break_at(s, "twice");
    ses_stop stop = run(s);
    assert_int_equal(stop.kind, SES_STOP_BREAKPOINT);
    assert_in(s, 0, "twice");
    assert_in(s, 1, "main");
    ses_free(s);
}

static void a_longjmp_does_not_run_away(void **state)
{
    session *s = stopped_in_main("steps0");
    ses_stop stop;
    char where[32];
    snprintf(where, sizeof where, "%u", line_of(s, "steps.c", "call leap"));
    assert_ok(ses_advance(s, where, false, &stop, err));
    stop = next(s);
    assert_int_equal(stop.kind, SES_STOP_STEP);
    assert_in(s, 0, "catch_leap");
    assert_at(s, "setjmp");
    next(s);
    assert_at(s, "caught");
    /* Over the whole of it, nothing is to be seen. */
    ses_free(s);
    s = stopped_in_main("steps0");
    snprintf(where, sizeof where, "%u", line_of(s, "steps.c", "call catch_leap"));
    assert_ok(ses_advance(s, where, false, &stop, err));
    next(s);
    assert_at(s, "print");
    ses_free(s);
}

static void instructions(void **state)
{
    session *s = stopped_in_main("steps0");
    uint64_t pc = frame(s, 0)->pc;
    unsigned n_calls = 0;
    for (int i = 0; i < 40 && strcmp(frame(s, 0)->name, "add") != 0; i++) {
        move(s, SES_STEP_INSN);
        assert_true(frame(s, 0)->pc != pc);
        n_calls += frame(s, 1 - 1)->pc == pc;
    }
    assert_in(s, 0, "add");
    assert_int_equal(n_calls, 0);
    finish(s);
    for (int i = 0; i < 12; i++) {
        move(s, SES_NEXT_INSN);
        assert_in(s, 0, "main");
    }
    ses_free(s);
}

static void many_at_once(void **state)
{
    session *s = stopped_in_main("steps0");
    ses_stop stop;
    assert_ok(ses_step(s, SES_NEXT_LINE, 4, &stop, err));
    assert_at(s, "loop head");
    assert_prints(s, "i", "0");
    assert_ok(ses_step(s, SES_STEP_LINE, 2, &stop, err));
    assert_in(s, 0, "add");
    ses_free(s);
}

static void the_end_ends_a_step(void **state)
{
    session *s = stopped_in_main("steps0");
    ses_stop stop = {0};
    for (int i = 0; i < 100 && stop.kind != SES_STOP_EXITED; i++)
        stop = next(s);
    assert_int_equal(stop.kind, SES_STOP_EXITED);
    assert_int_equal(stop.machine.exit_status, 3);
    assert_int_equal(ses_get_state(s), SES_ENDED);
    assert_int_equal(ses_get_exit_code(s), 3);
    assert_prints(s, "$_exitcode", "3");
    assert_fails(ses_step(s, SES_STEP_LINE, 1, &stop, err), EBB_GONE);
    ses_free(s);
}

static void there_is_no_way_back(void **state)
{
    session *s = stopped_in_main("steps0");
    ses_stop stop;
    char *text;
    assert_fails(ses_step_back(s, SES_STEP_LINE, 1, &stop, err), EBB_NO_HISTORY);
    assert_fails(ses_continue_back(s, &stop, err), EBB_NO_HISTORY);
    assert_fails(ses_finish_back(s, &stop, err), EBB_NO_HISTORY);
    assert_fails(ses_when(s, false, &text, err), EBB_UNSUPPORTED);
    assert_fails(ses_goto(s, "12@0x1", &stop, err), EBB_NO_HISTORY);
    assert_at(s, "main first");
    ses_free(s);
}

/* Whatever is done to optimised code, it is done, and the program ends as it should. */
static void optimised_code(void **state)
{
    for (int kind = SES_STEP_LINE; kind <= SES_NEXT_LINE; kind++) {
        session *s = debug("steps2");
        break_at(s, "main");
        ses_stop stop = run(s);
        int n = 0;
        for (; n < 3000 && stop.kind != SES_STOP_EXITED; n++) {
            assert_ok(ses_step(s, (ses_step_kind)kind, 1, &stop, err));
            if (stop.kind == SES_STOP_STEP && frame(s, 0)->module)
                assert_ok(
                    ses_finish(s, &stop, err)); /* out of libc, if it has lines */
            if (ses_get_state(s) == SES_STOPPED && ses_frame_depth(s, 1) &&
                strcmp(frame(s, 0)->name, "main") != 0 && frame(s, 0)->module)
                stop = go_on(s);
        }
        assert_int_equal(stop.kind, SES_STOP_EXITED);
        assert_int_equal(stop.machine.exit_status, 3);
        ses_free(s);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, session_setup, session_teardown)
    const struct CMUnitTest tests[] = {
        TEST(next_steps_over_calls),
        TEST(step_goes_into_and_out),
        TEST(finish_shows_the_value),
        TEST(next_in_recursion_stays_in_its_frame),
        TEST(finish_of_an_outer_frame),
        TEST(until_leaves_loops),
        TEST(advance_and_until_a_place),
        TEST(inlined_functions_are_frames),
        TEST(next_passes_inlined_functions),
        TEST(a_breakpoint_on_an_inlined_function_is_in_it),
        TEST(a_longjmp_does_not_run_away),
        TEST(instructions),
        TEST(many_at_once),
        TEST(the_end_ends_a_step),
        TEST(there_is_no_way_back),
        TEST(optimised_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
