/* The two tables of session/language.h. */
#include "session_test.h"
#include "session/language.h"

static const ses_language *const tables[] = {&ses_language_c, &ses_language_java};

/* LA1: the flags come first, everything behind them is a function. */
static void every_entry_is_there(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        assert_non_null(tables[i]->name);
        const char *entry = (const char *)&tables[i]->step, *end = (const char *)(tables[i] + 1);
        for (size_t number = 0; entry < end; entry += sizeof(void *), number++) {
            void *function;
            memcpy(&function, entry, sizeof function);
            if (!function)
                fail_msg("%s's entry %zu is missing", tables[i]->name, number);
        }
    }
}

static void each_event_belongs_to_a_language(void **state)
{
    (void)state;
    for (ses_bp_kind kind = SES_BP_CATCH_FORK; kind <= SES_BP_CATCH_CATCH; kind++)
        assert_true((ses_language_c.catches | ses_language_java.catches) >> kind & 1);
    assert_false(ses_language_c.catches >> SES_BP_CATCH_THROW & 1);
    assert_false(ses_language_java.catches >> SES_BP_CATCH_SYSCALL & 1);
}

static session *open_java(void)
{
    char *args[] = {"java", "-cp", "/nowhere:lib/a.jar", "demo.Main", NULL};
    session *s = ses_new(NULL);
    ebb_error err;
    if (ses_set_program(s, args, &err) != EBB_OK)
        fail_msg("%s", err.text);
    return s;
}

/* Before the program runs there are no classes: places wait, numbers are evaluated, the rest says so. */
static void a_java_program_that_does_not_run(void **state)
{
    (void)state;
    session *s = open_java();
    ebb_error err;
    int number;
    uint64_t value;
    assert_ptr_equal(s->language, &ses_language_java);
    ses_break_request waits = {.where = "Main.add"};
    assert_int_equal(ses_break(s, &waits, &number, &err), EBB_OK);
    assert_true(ses_bp_get(s, number)->pending);
    assert_int_equal(ses_evaluate_u64(s, "6 * 7", &value, &err), EBB_OK);
    assert_int_equal(value, 42);
    assert_int_not_equal(ses_evaluate_u64(s, "total", &value, &err), EBB_OK);
    ses_free(s);
}

/* LA2 */
static void a_value_of_the_other_language_is_not_looked_into(void **state)
{
    (void)state;
    session *s = open_java();
    char *native[] = {"/bin/true", NULL};
    ebb_error err;
    ebb_buf text = {0};
    int history;
    expr_format format = ses_default_format(s);
    assert_int_equal(ses_print(s, &(ses_print_request){"1 + 1", &format, true}, &history, &text, &err), EBB_OK);
    assert_string_equal(ebb_buf_text(&text), "2");
    assert_int_equal(ses_set_program(s, native, &err), EBB_OK);
    assert_ptr_equal(s->language, &ses_language_c);
    assert_int_equal(ses_print(s, &(ses_print_request){"$1", &format, true}, &history, &text, &err), EBB_UNAVAILABLE);
    assert_int_equal(ses_print(s, &(ses_print_request){"3", &format, true}, &history, &text, &err), EBB_OK);
    assert_int_equal(history, 2);
    ebb_buf_fini(&text);
    ses_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_is_there),
        cmocka_unit_test(each_event_belongs_to_a_language),
        cmocka_unit_test(a_java_program_that_does_not_run),
        cmocka_unit_test(a_value_of_the_other_language_is_not_looked_into),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
