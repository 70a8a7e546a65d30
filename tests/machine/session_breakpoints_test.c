/* Breakpoints: places, conditions, counts, pending ones, and what becomes of them in the next run.
 */
#include "session_test.h"

static ses_break_request parse(session *s, ebb_arena *arena, const char *text)
{
    ses_break_request request = {0};
    assert_ok(ses_break_parse(s, arena, text, &request, err));
    return request;
}

static int set(session *s, const char *text)
{
    ebb_arena arena = {0};
    ses_break_request request = parse(s, &arena, text);
    int number;
    assert_ok(ses_break(s, &request, &number, err));
    ebb_arena_fini(&arena);
    return number;
}

static void text_is_taken_apart(void **state)
{
    session *s = debug("steps0");
    ebb_arena arena = {0};
    ses_break_request r = parse(s, &arena, " steps.c:12  if a == 'if' && (b) ");
    assert_string_equal(r.where, "steps.c:12");
    assert_string_equal(r.condition, "a == 'if' && (b)");
    r = parse(s, &arena, "if x>1");
    assert_string_equal(r.where, "");
    assert_string_equal(r.condition, "x>1");
    r = parse(s, &arena, "iffy");
    assert_string_equal(r.where, "iffy");
    assert_null(r.condition);
    assert_fails(ses_break_parse(s, &arena, "main if", &r, err), EBB_BAD_INPUT);
    assert_fails(ses_break_parse(s, &arena, "main thread 9", &r, err), EBB_NOT_FOUND);
    ebb_arena_fini(&arena);
    ses_free(s);
}

static void conditions_hold_or_not(void **state)
{
    session *s = debug("steps0");
    set(s, "add if a == 1 && sum != 12345");
    set(s, "factorial if n == 2");
    ses_stop stop = run(s);
    assert_int_equal(stop.breakpoints[0], 1);
    assert_prints(s, "a", "1");
    stop = go_on(s); /* the second round of the loop */
    assert_int_equal(stop.breakpoints[0], 1);
    assert_prints(s, "b", "20");
    stop = go_on(s);
    assert_int_equal(stop.breakpoints[0], 2);
    assert_prints(s, "n", "2");
    assert_int_equal(ses_bp_get(s, 1)->hits, 2);
    assert_int_equal(ses_bp_get(s, 2)->hits, 1);
    assert_int_equal(go_on(s).kind, SES_STOP_EXITED);
    ses_free(s);
}

static void bad_conditions_are_told_at_once(void **state)
{
    session *s = debug("steps0");
    ses_break_request r = {.where = "add", .condition = "no_such_name > 1"};
    int number;
    assert_fails(ses_break(s, &r, &number, err), EBB_NOT_FOUND);
    r.condition = "a >";
    assert_fails(ses_break(s, &r, &number, err), EBB_BAD_INPUT);
    assert_int_equal(ses_bp_count(s), 0);
    assert_int_equal(set(s, "add"), 1);
    assert_fails(ses_bp_condition(s, 1, "no_such_name", err), EBB_NOT_FOUND);
    assert_null(ses_bp_get(s, 1)->condition);
    ses_free(s);
}

static void a_condition_that_fails_stops(void **state)
{
    session *s = debug("steps0");
    set(s, "add if *(int *)0 == 1");
    ses_stop stop = run(s);
    assert_int_equal(stop.kind, SES_STOP_BREAKPOINT); /* BR2 */
    assert_non_null(strstr(said.text.data, "Error in testing condition"));
    ses_free(s);
}

static void counts_are_kept(void **state)
{
    session *s = debug("steps0");
    int number = set(s, "add");
    assert_ok(ses_bp_ignore(s, number, 2, err));
    run(s);
    assert_int_equal(ses_bp_get(s, number)->hits, 3);
    assert_int_equal(ses_bp_get(s, number)->ignore, 0);
    ses_stop stop;
    assert_ok(ses_continue(s, 1, &stop, err));
    assert_int_equal(ses_bp_get(s, number)->hits, 5);
    assert_int_equal(go_on(s).kind, SES_STOP_EXITED);
    ses_free(s);
}

static void temporary_ones_go(void **state)
{
    session *s = debug("steps0");
    ses_break_request r = {.where = "add", .temporary = true};
    int number;
    assert_ok(ses_break(s, &r, &number, err));
    ses_stop stop = run(s);
    assert_int_equal(stop.breakpoints[0], number);
    assert_true(stop.breakpoint_was_temporary[0]);
    assert_null(ses_bp_get(s, number));
    assert_int_equal(go_on(s).kind, SES_STOP_EXITED);
    assert_int_equal(set(s, "main"), 2); /* BR1 */
    ses_free(s);
}

static void disabled_ones_sleep(void **state)
{
    session *s = debug("steps0");
    set(s, "add");
    set(s, "factorial");
    assert_ok(ses_bp_enable(s, 1, 0, false, err));
    assert_int_equal(run(s).breakpoints[0], 2);
    assert_ok(ses_bp_enable(s, 2, 1, false, err));
    assert_int_equal(go_on(s).kind, SES_STOP_EXITED);
    assert_ok(ses_bp_enable(s, 1, 0, true, err));
    assert_int_equal(run(s).breakpoints[0], 1); /* the next run has them all */
    assert_fails(ses_bp_enable(s, 1, 7, true, err), EBB_NOT_FOUND);
    assert_fails(ses_bp_enable(s, 9, 0, true, err), EBB_NOT_FOUND);
    ses_free(s);
}

static void places_of_every_form(void **state)
{
    session *s = debug("steps0");
    char text[64];
    unsigned line = line_of(s, "steps.c", "add returns");
    snprintf(text, sizeof text, "steps.c:%u", line);
    set(s, text);
    snprintf(text, sizeof text, "%u", line);
    set(s, text);
    set(s, "steps.c:add");
    set(s, "*add");
    assert_int_equal(ses_bp_get(s, 1)->locations[0].spot.line, line);
    assert_int_equal(ses_bp_get(s, 2)->locations[0].spot.addr,
                     ses_bp_get(s, 1)->locations[0].spot.addr);
    assert_true(ses_bp_get(s, 4)->locations[0].spot.addr <
                ses_bp_get(s, 3)->locations[0].spot.addr);
    ses_stop stop = run(s);
    assert_int_equal(stop.breakpoints[0], 4); /* moved with the program */
    stop = go_on(s);
    assert_int_equal(stop.breakpoints[0], 3);
    stop = go_on(s);
    assert_int_equal(stop.n_breakpoints, 2);
    assert_int_equal(set(s, ""), 5);
    assert_int_equal(ses_bp_get(s, 5)->locations[0].spot.addr, frame(s, 0)->pc);
    set(s, "+1");
    assert_int_equal(ses_bp_get(s, 6)->locations[0].spot.line, line + 1);
    snprintf(text, sizeof text, "steps.c:%u", line);
    size_t n;
    assert_ok(ses_bp_clear(s, text, &n, err));
    assert_int_equal(n, 3);
    ses_break_request r = {.where = "12@steps.c:3"};
    int number;
    assert_fails(ses_break(s, &r, &number, err), EBB_UNSUPPORTED);
    r.where = "nowhere";
    assert_fails(ses_break(s, &r, &number, err), EBB_NOT_FOUND);
    r.where = "nowhere.c:3";
    assert_fails(ses_break(s, &r, &number, err), EBB_NOT_FOUND);
    r.where = ":";
    assert_fails(ses_break(s, &r, &number, err), EBB_BAD_INPUT);
    ses_free(s);
}

static void pending_ones_find_their_place(void **state)
{
    session *s = debug("steps0");
    ses_break_request r = {.where = "puts",
                           .allow_pending = true}; /* in libc, which isn't loaded yet */
    int number;
    assert_ok(ses_break(s, &r, &number, err));
    r.where = "never_there";
    assert_ok(ses_break(s, &r, &number, err));
    assert_true(ses_bp_get(s, 2)->pending);
    set(s, "main");
    run(s);
    assert_false(ses_bp_get(s, 1)->pending);
    assert_true(ses_bp_get(s, 2)->pending);
    ses_free(s);
}

static void a_step_that_reaches_one_says_so(void **state)
{
    session *s = debug("steps0");
    set(s, "main");
    run(s);
    char text[64];
    snprintf(text, sizeof text, "%u", line_of(s, "steps.c", "main second"));
    int number = set(s, text);
    ses_stop stop = next(s);
    assert_int_equal(stop.kind, SES_STOP_BREAKPOINT);
    assert_int_equal(stop.breakpoints[0], number);
    set(s, "add");
    stop = next(s);
    assert_int_equal(stop.kind, SES_STOP_BREAKPOINT); /* inside the call that is stepped over */
    assert_in(s, 0, "add");
    ses_free(s);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, session_setup, session_teardown)
    const struct CMUnitTest tests[] = {
        TEST(text_is_taken_apart),
        TEST(conditions_hold_or_not),
        TEST(bad_conditions_are_told_at_once),
        TEST(a_condition_that_fails_stops),
        TEST(counts_are_kept),
        TEST(temporary_ones_go),
        TEST(disabled_ones_sleep),
        TEST(places_of_every_form),
        TEST(pending_ones_find_their_place),
        TEST(a_step_that_reaches_one_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
