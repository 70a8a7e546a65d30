/* The command line of ebb itself. */
#include "unit.h"

#include "front/cli/options.h"

#include <string.h>

enum { MAX_ARGS = 16 };

/* Parses "ebb run -e x prog" after splitting it at blanks. */
static ebb_status parse(cli_options *options, const char *line, ebb_error *err)
{
    static char text[256];
    static char *argv[MAX_ARGS];
    int argc = 0;
    snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok(text, " "); word && argc < MAX_ARGS - 1; word = strtok(NULL, " "))
        argv[argc++] = word;
    argv[argc] = NULL;
    return cli_options_parse(options, argc, argv, err);
}

static void steps_keep_their_order(void **state)
{
    cli_options options;
    ebb_error err;
    assert_int_equal(parse(&options, "ebb run -x a --batch -e b -x c prog -e d", &err), EBB_OK);
    assert_int_equal(options.verb, CLI_VERB_RUN);
    assert_true(options.batch);
    assert_int_equal(options.steps.n, 3);
    assert_true(options.steps.items[0].is_file);
    assert_string_equal(options.steps.items[1].text, "b");
    assert_false(options.steps.items[1].is_file);
    assert_string_equal(options.steps.items[2].text, "c");
    assert_string_equal(options.rest[0], "prog");
    assert_string_equal(options.rest[1], "-e"); /* behind the program, options are the program's */
    assert_string_equal(options.rest[2], "d");
    cli_options_fini(&options);
}

static void two_dashes_end_the_options(void **state)
{
    cli_options options;
    ebb_error err;
    assert_int_equal(parse(&options, "ebb run --json --undo=64M -- --prog", &err), EBB_OK);
    assert_true(options.json);
    assert_string_equal(options.undo, "64M");
    assert_string_equal(options.rest[0], "--prog");
    cli_options_fini(&options);
}

static void usage_errors_name_what_is_wrong(void **state)
{
    static const char *const lines[][2] = {
        {"ebb", "ebb --help"},
        {"ebb rub x", "ebb rub"},
        {"ebb run", "Which program"},
        {"ebb run --nonsense p", "--nonsense"},
        {"ebb run -e", "-e"},
        {"ebb run --unit", "--unit"},
        {"ebb attach", "Which process"},
        {"ebb attach 1 2", "Which process"},
        {"ebb attach --undo 3 1", "--undo"},
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        cli_options options;
        ebb_error err;
        assert_int_equal(parse(&options, lines[i][0], &err), EBB_BAD_INPUT);
        assert_non_null(strstr(err.text, lines[i][1]));
        cli_options_fini(&options);
    }
}

static void every_verb_is_there(void **state)
{
    for (cli_verb verb = 0; verb < CLI_VERB_VERSION; verb++) {
        cli_verb found;
        assert_true(cli_verb_find(cli_verb_word(verb), &found));
        assert_int_equal(found, verb);
        assert_null(cli_verb_lacking(verb));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_keep_their_order),
        cmocka_unit_test(two_dashes_end_the_options),
        cmocka_unit_test(usage_errors_name_what_is_wrong),
        cmocka_unit_test(every_verb_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
