/* How a typed line finds its row: names, aliases, abbreviations, subcommands. */
#include "unit.h"

#include "front/cli/command.h"

#include <string.h>

static ebb_status first(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return EBB_OK;
}

static ebb_status second(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return EBB_BAD_INPUT;
}

static const cli_command rows[] = {
    {"step", "s", 0, "[N]", first, 0, "", ""},
    {"stepi", "si", 0, "[N]", second, 0, "", ""},
    {"info", "i inf", 0, "SUBJECT", first, 0, "", ""},
    {"info locals", "", 0, "", first, 0, "", ""},
    {"info line", "", 0, "[WHERE]", second, 0, "", ""},
    {"info lines", "", 0, "[WHERE]", second, 0, "", ""},
    {"set", "", 0, "SETTING", first, CLI_FREE, "", ""},
    {"set var", "variable", 0, "PLACE = EXPR", second, 0, "", ""},
    {"twin-a", "", 0, "", second, 0, "", ""},
    {"twin-b", "", 0, "", second, 0, "", ""},
};
static const cli_table table = {rows, sizeof rows / sizeof *rows};

static const char *name_of(const char *line, const char **args)
{
    const cli_command *row;
    const char *rest;
    cli_found found = cli_find_line(&table, line, &row, args ? args : &rest);
    return found == CLI_FOUND ? row->name : found == CLI_FOUND_MANY ? "(many)" : "(none)";
}

static void names_and_aliases_win_over_beginnings(void **state)
{
    assert_string_equal(name_of("s", NULL), "step");
    assert_string_equal(name_of("step 3", NULL), "step");
    assert_string_equal(name_of("si", NULL), "stepi");
    assert_string_equal(name_of("ste", NULL), "(many)");
    assert_string_equal(name_of("inf loc", NULL), "info locals");
    assert_string_equal(name_of("nonsense", NULL), "(none)");
    assert_string_equal(name_of("", NULL), "(none)");
    assert_string_equal(name_of("\xff\xfe", NULL), "(none)");
}

static void beginnings_of_one_command_are_no_ambiguity(void **state)
{
    assert_string_equal(name_of("twin", NULL), "twin-a");
    assert_string_equal(name_of("info line", NULL), "info line");
    assert_string_equal(name_of("info lin", NULL), "info line");
    assert_string_equal(name_of("info l", NULL), "(many)");
}

static void arguments_begin_behind_the_words(void **state)
{
    const char *args;
    assert_string_equal(name_of("  step   3 + 4", &args), "step");
    assert_string_equal(args, "3 + 4");
    assert_string_equal(name_of("info line f", &args), "info line");
    assert_string_equal(args, "f");
    assert_string_equal(name_of("info nothing", &args), "info");
    assert_string_equal(args, "nothing");
    assert_string_equal(name_of("step/x 3", &args), "step");
    assert_string_equal(args, "/x 3");
}

static void a_free_command_keeps_what_is_no_subcommand(void **state)
{
    const char *args;
    assert_string_equal(name_of("set var x = 3", &args), "set var");
    assert_string_equal(args, "x = 3");
    assert_string_equal(name_of("set x = 3", &args), "set");
    assert_string_equal(args, "x = 3");
    assert_string_equal(name_of("set v = 3", &args), "set"); /* a variable v, not `set var` */
    assert_string_equal(args, "v = 3");
}

static void schemas_check_arguments(void **state)
{
    ebb_error err;
    assert_int_equal(cli_check_args(&rows[0], "", &err), EBB_OK);
    assert_int_equal(cli_check_args(&rows[3], "", &err), EBB_OK);
    assert_int_equal(cli_check_args(&rows[3], "x", &err), EBB_BAD_INPUT);
    assert_int_equal(cli_check_args(&rows[7], "", &err), EBB_BAD_INPUT);
    assert_non_null(strstr(err.text, "set var PLACE = EXPR"));
}

static void command_words_end_where_gdbs_do(void **state)
{
    assert_int_equal(cli_word_length("p/x 3"), 1);
    assert_int_equal(cli_word_length("reverse-step 2"), 12);
    assert_int_equal(cli_word_length("!ls"), 1);
    assert_int_equal(cli_word_length("(x)"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_aliases_win_over_beginnings),
        cmocka_unit_test(beginnings_of_one_command_are_no_ambiguity),
        cmocka_unit_test(arguments_begin_behind_the_words),
        cmocka_unit_test(a_free_command_keeps_what_is_no_subcommand),
        cmocka_unit_test(schemas_check_arguments),
        cmocka_unit_test(command_words_end_where_gdbs_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
