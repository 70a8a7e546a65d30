/* commands.def as a whole: what the contract and gdb's fingers expect of it. */
#include "unit.h"

#include "front/cli/command.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static void names_are_unique_and_stand_below_their_parent(void **state)
{
    for (size_t i = 0; i < cli_commands.n; i++) {
        const cli_command *row = &cli_commands.rows[i];
        for (size_t j = 0; j < i; j++)
            if (strcmp(cli_commands.rows[j].name, row->name) == 0)
                fail_msg("%s stands twice in the table", row->name);
        const char *space = strrchr(row->name, ' ');
        bool has_parent = !space;
        for (size_t j = 0; space && j < i; j++)
            has_parent |= cli_is_below(row, &cli_commands.rows[j]);
        if (!has_parent)
            fail_msg("%s has no parent above it", row->name);
    }
}

static void aliases_are_unique_within_a_parent(void **state)
{
    for (size_t i = 0; i < cli_commands.n; i++) {
        const cli_command *row = &cli_commands.rows[i];
        const cli_command *parent = NULL;
        for (size_t j = 0; j < i; j++)
            if (cli_is_below(row, &cli_commands.rows[j]))
                parent = &cli_commands.rows[j];
        for (const char *at = row->aliases; *at;) {
            size_t n = strcspn(at, " ");
            for (size_t j = 0; j < cli_commands.n; j++) {
                const cli_command *other = &cli_commands.rows[j];
                if (other != row && cli_is_below(other, parent) && cli_is_named(other, at, n))
                    fail_msg("%.*s names both %s and %s", (int)n, at, row->name, other->name);
            }
            at += n + strspn(at + n, " ");
        }
    }
}

static void rows_say_what_they_do(void **state)
{
    for (size_t i = 0; i < cli_commands.n; i++) {
        const cli_command *row = &cli_commands.rows[i];
        size_t n = strlen(row->brief);
        if (n < 8 || n > 80 || row->brief[n - 1] == '.' || islower((unsigned char)row->brief[0]))
            fail_msg("the brief help of %s: \"%s\"", row->name, row->brief);
        assert_non_null(row->handler);
    }
}

/* What is typed, and the command that it must mean. */
static const char *const meanings[][2] = {
    {"b", "break"}, {"br", "break"}, {"brea", "break"}, {"tb", "tbreak"}, {"c", "continue"}, {"cont", "continue"}, {"r", "run"},
    {"s", "step"}, {"n", "next"}, {"f", "frame"}, {"fin", "finish"}, {"u", "until"}, {"i", "info"}, {"p", "print"}, {"bt", "backtrace"},
    {"where", "backtrace"}, {"l", "list"}, {"d", "delete"}, {"h", "help"}, {"q", "quit"}, {"k", "kill"}, {"si", "stepi"}, {"ni", "nexti"},
    {"x", "x"}, {"wa", "watch"}, {"disp", "display"}, {"undisp", "undisplay"}, {"j", "jump"}, {"t", "thread"}, {"up", "up"}, {"dow", "down"},
    {"i b", "info breakpoints"}, {"i lo", "info locals"}, {"i r", "info registers"}, {"i s", "info stack"}, {"i th", "info threads"},
    {"i sh", "info sharedlibrary"}, {"i f", "info frame"}, {"info func", "info functions"}, {"info sig", "info signals"}, {"disas", "disassemble"},
    {"dis", "disable"}, {"en", "enable"}, {"cond", "condition"}, {"comm", "commands"}, {"ha", "handle"}, {"adv", "advance"}, {"wat", "watch"},
    {"rw", "rwatch"}, {"aw", "awatch"}, {"cl", "clear"}, {"rc", "reverse-continue"}, {"rs", "reverse-step"}, {"rn", "reverse-next"},
    {"rsi", "reverse-stepi"}, {"rni", "reverse-nexti"}, {"lw", "last-write"}, {"set variable", "set var"}, {"thread apply", "thread apply"},
    {"info inf", "info inferiors"}, {"sho", "show"}, {"pt", "ptype"}, {"whati", "whatis"}, {"so", "source"}, {"dir", "directory"},
    {"delete d", "delete display"}, {"det", "detach"}, {"att", "attach"}, {"apr", "apropos"}, {"ret", "return"},
};

static void abbreviations_mean_what_gdbs_do(void **state)
{
    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        const cli_command *row;
        const char *args;
        if (cli_find_line(&cli_commands, meanings[i][0], &row, &args) != CLI_FOUND || strcmp(row->name, meanings[i][1]) != 0)
            fail_msg("\"%s\" means %s, not %s", meanings[i][0], row ? row->name : "nothing", meanings[i][1]);
    }
}

/* Every command that the contract names. */
static const char *const promised[] = {
    "start", "run", "break", "tbreak", "delete", "disable", "enable", "ignore", "info breakpoints", "watch", "rwatch", "awatch", "catch throw",
    "catch catch", "catch syscall", "catch signal", "catch thread", "continue", "step", "next", "finish", "until", "advance", "stepi", "nexti",
    "reverse-continue", "reverse-step", "reverse-next", "reverse-finish", "reverse-stepi", "reverse-nexti", "when", "goto", "bookmark",
    "info bookmarks", "delete bookmark", "last-write", "values", "bisect", "origin", "flow", "as-of", "branch", "info history", "mode", "print",
    "set var", "display", "ptype", "whatis", "x", "backtrace", "frame", "up", "down", "info locals", "info args", "info registers",
    "info threads", "info signals", "info sharedlibrary", "info source", "info line", "list", "disassemble", "info stack", "thread",
    "thread apply", "schedule save", "schedule show", "save", "kill", "detach", "quit", "help", "source", "define", "shell", "set", "show", "info",
};

static void the_contract_is_kept(void **state)
{
    for (size_t i = 0; i < sizeof promised / sizeof *promised; i++) {
        bool found = false;
        for (size_t j = 0; j < cli_commands.n; j++)
            found |= strcmp(cli_commands.rows[j].name, promised[i]) == 0;
        if (!found)
            fail_msg("there is no command %s", promised[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_unique_and_stand_below_their_parent),
        cmocka_unit_test(aliases_are_unique_within_a_parent),
        cmocka_unit_test(rows_say_what_they_do),
        cmocka_unit_test(abbreviations_mean_what_gdbs_do),
        cmocka_unit_test(the_contract_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
