/* Watchpoints: globals, locals and their scope, what reads through pointers, reads and conditions.
 */
#include "session_test.h"

static int watch(session *s, ses_bp_kind kind, const char *expression, const char *condition,
                 bool location)
{
    int number;
    ses_watch_request request = {.kind = kind, .expression = expression, .condition = condition, .location = location};
    assert_ok(ses_watch(s, &request, &number, err));
    return number;
}

static session *stopped_in_main(void)
{
    session *s = debug("values0");
    break_at(s, "main");
    run(s);
    return s;
}

static void changes_stop(void **state)
{
    session *s = stopped_in_main();
    int number = watch(s, SES_BP_WATCH, "watched", NULL, false);
    assert_true(ses_bp_get(s, number)->hardware);
    ses_stop stop = go_on(s);
    assert_int_equal(stop.kind, SES_STOP_WATCHPOINT);
    assert_string_equal(stop.watch_text, "watched");
    assert_string_equal(stop.old_value, "0");
    assert_string_equal(stop.new_value, "5");
    assert_at(s, "same value");
    stop = go_on(s); /* writing the same value is no change */
    assert_string_equal(stop.old_value, "5");
    assert_string_equal(stop.new_value, "6");
    assert_at(s, "a read");
    assert_int_equal(ses_bp_get(s, number)->hits, 2);
    assert_int_equal(go_on(s).kind, SES_STOP_EXITED);
    assert_non_null(ses_bp_get(s, number)); /* a global is there in the next run, too */
    assert_int_equal(run(s).kind, SES_STOP_BREAKPOINT);
    assert_int_equal(go_on(s).kind, SES_STOP_WATCHPOINT);
    ses_free(s);
}

static void what_the_user_changes_does_not(void **state)
{
    session *s = stopped_in_main();
    watch(s, SES_BP_WATCH, "watched", NULL, false);
    assert_ok(ses_assign(s, "watched = 77", err));
    ses_stop stop = go_on(s);
    assert_string_equal(stop.old_value, "77");
    assert_string_equal(stop.new_value, "5");
    ses_free(s);
}

static void a_scope_ends(void **state)
{
    session *s = debug("values0");
    break_at(s, "accumulate");
    run(s);
    next(s);
    int number = watch(s, SES_BP_WATCH, "acc", NULL, false);
    const char *const values[] = {"1", "3", "6", "10"};
    ses_stop stop;
    for (int i = 0; i < 4; i++) {
        stop = go_on(s);
        assert_int_equal(stop.kind, SES_STOP_WATCHPOINT);
        assert_string_equal(stop.new_value, values[i]);
    }
    stop = go_on(s);
    assert_int_equal(stop.kind, SES_STOP_WATCH_SCOPE);
    assert_int_equal(stop.breakpoints[0], number);
    assert_at(s, "call accumulate");
    assert_null(ses_bp_get(s, number));
    assert_int_equal(go_on(s).kind, SES_STOP_EXITED);
    ses_free(s);
}

static void pointers_are_followed(void **state)
{
    session *s = stopped_in_main();
    watch(s, SES_BP_WATCH, "*pointer", NULL, false);
    assert_ok(ses_assign(s, "pointer = (int *)&table[3]", err));
    ses_stop stop = go_on(s);
    assert_int_equal(stop.kind, SES_STOP_WATCHPOINT); /* where the pointer points now */
    assert_string_equal(stop.new_value, "6");
    ses_free(s);
}

static void a_location_stays(void **state)
{
    session *s = stopped_in_main();
    watch(s, SES_BP_WATCH, "*pointer", NULL, true);
    assert_ok(ses_assign(s, "pointer = (int *)&table[5]", err));
    ses_stop stop = go_on(s);
    assert_string_equal(stop.watch_text, "-location *pointer");
    assert_string_equal(stop.new_value, "5"); /* still `watched` */
    ses_free(s);
}

static void conditions_count(void **state)
{
    session *s = stopped_in_main();
    watch(s, SES_BP_WATCH, "watched", "watched > 5", false);
    ses_stop stop = go_on(s);
    assert_string_equal(stop.new_value, "6");
    ses_free(s);
}

static void reads_stop(void **state)
{
    session *s = stopped_in_main();
    watch(s, SES_BP_RWATCH, "watched", NULL, false);
    ses_stop stop = go_on(s);
    while (stop.kind == SES_STOP_WATCHPOINT && strcmp(frame(s, 0)->name, "main") == 0 &&
           frame(s, 0)->line.line < line_of(s, "values.c", "a read"))
        stop = go_on(s); /* x86 can't tell reads from writes of the same value */
    assert_int_equal(stop.kind, SES_STOP_WATCHPOINT);
    assert_null(stop.old_value);
    assert_string_equal(stop.new_value, "6");
    ses_free(s);
}

static void big_things_are_watched_slowly(void **state)
{
    session *s = stopped_in_main();
    char where[32];
    ses_stop stop;
    snprintf(where, sizeof where, "%u", line_of(s, "values.c", "a read"));
    assert_ok(ses_advance(s, where, false, &stop, err));
    int number = watch(s, SES_BP_WATCH, "table", NULL, false);
    assert_false(ses_bp_get(s, number)->hardware);
    stop = go_on(s);
    assert_int_equal(stop.kind, SES_STOP_WATCHPOINT);
    assert_string_equal(stop.old_value, "{0, 0, 0, 0, 0, 0, 0, 0}");
    ses_free(s);
}

static void registers_are_watched_slowly(void **state)
{
    session *s = stopped_in_main();
    int number = watch(s, SES_BP_WATCH, "$rsp", NULL, false);
    assert_false(ses_bp_get(s, number)->hardware);
    ses_stop stop = go_on(s);
    assert_int_equal(stop.kind, SES_STOP_WATCHPOINT); /* the first push or call */
    ses_free(s);
}

static void nonsense_is_refused(void **state)
{
    session *s = stopped_in_main();
    int number;
    assert_fails(ses_watch(s, &(ses_watch_request){.kind = SES_BP_WATCH, .expression = "5"}, &number, err), EBB_BAD_INPUT);
    assert_fails(ses_watch(s, &(ses_watch_request){.kind = SES_BP_WATCH, .expression = ""}, &number, err), EBB_BAD_INPUT);
    assert_fails(ses_watch(s, &(ses_watch_request){.kind = SES_BP_WATCH, .expression = "no_such"}, &number, err), EBB_NOT_FOUND);
    assert_fails(ses_watch(s, &(ses_watch_request){.kind = SES_BP_RWATCH, .expression = "$rax"}, &number, err), EBB_UNSUPPORTED);
    assert_int_equal(ses_bp_count(s), 1);
    ses_free(s);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, session_setup, session_teardown)
    const struct CMUnitTest tests[] = {
        TEST(changes_stop),
        TEST(what_the_user_changes_does_not),
        TEST(a_scope_ends),
        TEST(pointers_are_followed),
        TEST(a_location_stays),
        TEST(conditions_count),
        TEST(reads_stop),
        TEST(big_things_are_watched_slowly),
        TEST(registers_are_watched_slowly),
        TEST(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
