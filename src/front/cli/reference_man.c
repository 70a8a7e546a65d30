/* The manual page, ebb(1).  What isn't in a table (exit status, files, environment) is told in docs/manual.md at length. */
#include "front/cli/reference.h"

#include "front/cli/command.h"
#include "front/cli/options.h"
#include "session/settings.h"

#include <string.h>

/* Text as roff wants it: a minus that can be searched for and copied, no line that looks like a request. */
static void put(ebb_buf *out, const char *text)
{
    for (bool at_line = true; *text; at_line = *text++ == '\n') {
        if (at_line && strchr(".'", *text))
            ebb_buf_adds(out, "\\&");
        ebb_buf_addf(out, *text == '-' ? "\\-" : *text == '\\' ? "\\e" : "%c", *text);
    }
}

/* `.TP` with a term in bold, its arguments after it. */
static void put_term(ebb_buf *out, const char *term, const char *arguments)
{
    ebb_buf_adds(out, ".TP\n\\fB");
    put(out, term);
    ebb_buf_adds(out, "\\fR");
    if (arguments && *arguments) {
        ebb_buf_adds(out, " ");
        put(out, arguments);
    }
    ebb_buf_adds(out, "\n");
}

static void put_sentence(ebb_buf *out, const char *text)
{
    put(out, text);
    ebb_buf_adds(out, ".\n");
}

static void put_verbs(ebb_buf *out)
{
    ebb_buf_adds(out, ".SH SYNOPSIS\n");
#define X(name, word, args, help, lacking)                                                         \
    if (!lacking) {                                                                                \
        ebb_buf_adds(out, ".B ebb " word "\n");                                                    \
        put(out, args);                                                                            \
        ebb_buf_adds(out, *args ? "\n.br\n" : ".br\n");                                            \
    }
    CLI_VERBS(X)
#undef X
    ebb_buf_adds(out, ".B ebb \\-\\-version\n");
}

static void put_description(ebb_buf *out)
{
    ebb_buf_adds(out, ".SH DESCRIPTION\n.B ebb\n");
    put(out, "debugs native C programs and Java programs in gdb's words, and runs them in both directions as far as their "
             "history is kept. Put `ebb run' in front of a command to debug it. A PROGRAM whose file name is java is run on "
             "ebb's own Java machine, with all the arguments that the JDK's launcher takes.\n");
#define X(name, word, args, help, lacking)                                                         \
    put_term(out, "ebb " word, args);                                                              \
    put_sentence(out, lacking ? help " (not in this build)" : help);
    CLI_VERBS(X)
#undef X
}

static void put_options(ebb_buf *out)
{
    static const struct {
        const char *name;
        char letter;
        const char *argument, *where, *help;
    } rows[] = {
#define CLI_OPTION(name, letter, argument, where, help) {name, letter, argument, where, help},
#include "front/cli/options.def"
#undef CLI_OPTION
    };
    ebb_buf_adds(out, ".SH OPTIONS\nThey stand in front of the program, process or file.\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ebb_buf term = {0};
        if (rows[i].letter)
            ebb_buf_addf(&term, "-%c, ", rows[i].letter);
        ebb_buf_addf(&term, "--%s", rows[i].name);
        put_term(out, ebb_buf_text(&term), rows[i].argument);
        put_sentence(out, rows[i].help);
        ebb_buf_fini(&term);
    }
}

static void put_commands(ebb_buf *out)
{
    ebb_buf_adds(out, ".SH COMMANDS\nAt the prompt, `help COMMAND' tells more about each. Commands may be abbreviated as long as "
                      "they can't be mistaken.\n");
    for (int group = 0; group < CLI_N_GROUPS; group++) {
        ebb_buf_addf(out, ".SS %s\n", cli_group_title(group));
        for (size_t i = 0; i < cli_commands.n; i++) {
            const cli_command *row = &cli_commands.rows[i];
            if (row->group != (cli_group)group)
                continue;
            put_term(out, row->name, row->schema);
            put_sentence(out, row->brief);
        }
    }
    ebb_buf_adds(out, ".SS Arguments\n");
#define CLI_ARGUMENT(name, extent, completer, meaning)                                             \
    put_term(out, #name, "");                                                                      \
    put_sentence(out, meaning);
#include "front/cli/arguments.def"
#undef CLI_ARGUMENT
    ebb_buf_adds(out, ".SS Settings\n`set NAME VALUE' changes one, `show NAME' shows it.\n");
    for (size_t i = 0; i < ses_setting_count(); i++) {
        put_term(out, ses_setting_at(i)->name, "");
        put_sentence(out, ses_setting_at(i)->help);
    }
}

static void put_rest(ebb_buf *out)
{
    ebb_buf_adds(out, ".SH EXIT STATUS\n");
    put_term(out, "0", "");
    put(out, "The conversation ended; with --batch, every command worked.\n");
    put_term(out, "1", "");
    put(out, "With --batch, a command failed, and nothing after it was run; or the program can't be opened.\n");
    put_term(out, "2", "");
    put(out, "The command line makes no sense, or asks for what this build doesn't have.\n");
    ebb_buf_adds(out, ".SH FILES\n");
    put_term(out, "~/.config/ebb/init", "");
    put(out, "Commands to run at the start, but not in a batch. XDG_CONFIG_HOME names another folder.\n");
    put_term(out, "~/.local/state/ebb/history", "");
    put(out, "The lines typed at the prompt. XDG_STATE_HOME names another folder.\n");
    ebb_buf_adds(out, ".SH ENVIRONMENT\n");
    put_term(out, "EBB_JVM_DIR", "");
    put(out, "The folder of the libjvm.so that Java programs are run on.\n");
    put_term(out, "NO_COLOR", "");
    put(out, "Where it is set and not empty, nothing is coloured.\n");
    ebb_buf_adds(out, ".SH SEE ALSO\n.BR gdb (1),\n.BR java (1)\n");
}

void cli_reference_man(ebb_buf *out)
{
    ebb_buf_adds(out, ".TH EBB 1 \"\" \"ebb " EBB_VERSION "\"\n.SH NAME\nebb \\- " CLI_SUMMARY "\n");
    put_verbs(out);
    put_description(out);
    put_options(out);
    put_commands(out);
    put_rest(out);
}
