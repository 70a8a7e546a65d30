/* reference.c - docs/commands.md and the manual page are made here from the tables. */
#include "front/cli/reference.h"

#include "front/cli/command.h"
#include "session/settings.h"

/* Text of a table cell: a bar would end it. */
static void put_cell(ebb_buf *out, const char *text)
{
    for (; *text; text++)
        ebb_buf_addf(out, *text == '|' ? "\\|" : *text == '\n' ? " " : "%c", *text);
}

static void put_markdown_row(ebb_buf *out, const cli_command *row)
{
    ebb_buf_addf(out, "| `%s", row->name);
    if (*row->schema) {
        ebb_buf_addc(out, ' ');
        put_cell(out, row->schema);
    }
    ebb_buf_addf(out, "` | %s%s%s | %s.", *row->aliases ? "`" : "", row->aliases,
                 *row->aliases ? "`" : "", row->brief);
    if (*row->details) {
        ebb_buf_addc(out, ' ');
        put_cell(out, row->details);
    }
    ebb_buf_adds(out, " |\n");
}

static void put_markdown_settings(ebb_buf *out)
{
    ebb_buf_adds(out, "\n## Settings\n\n`set NAME VALUE` changes one, `show NAME` shows it.\n\n"
                      "| setting | values | at first | meaning |\n| --- | --- | --- | --- |\n");
    static const char *const values[] = {
        [SES_SETTING_BOOL] = "on, off",
        [SES_SETTING_COUNT] = "a number, unlimited",
        [SES_SETTING_TEXT] = "text",
        [SES_SETTING_SIZE] = "bytes (k, M, G)",
        [SES_SETTING_PATTERNS] = "+PATTERN -PATTERN ...",
    };
    for (size_t i = 0; i < ses_setting_count(); i++) {
        const ses_setting *setting = ses_setting_at(i);
        ebb_buf_addf(out, "| `%s` | ", setting->name);
        if (values[setting->kind])
            put_cell(out, values[setting->kind]);
        if (setting->choices) {
            ebb_buf_adds(out, values[setting->kind] ? ", " : "");
            put_cell(out, setting->choices);
        }
        ebb_buf_addf(out, " | %s | ", setting->initial);
        put_cell(out, setting->help);
        ebb_buf_adds(out, " |\n");
    }
}

void cli_reference_markdown(ebb_buf *out)
{
    ebb_buf_adds(out, "# Commands\n\nMade from `src/front/cli/commands.def` by `ebb help "
                      "--markdown`: change the table, then run\n"
                      "`tools/update-docs`.\n");
    for (int group = 0; group < CLI_N_GROUPS; group++) {
        ebb_buf_addf(out, "\n## %s\n\n| command | short | meaning |\n| --- | --- | --- |\n",
                     cli_group_title(group));
        for (size_t i = 0; i < cli_commands.n; i++)
            if (cli_commands.rows[i].group == (cli_group)group)
                put_markdown_row(out, &cli_commands.rows[i]);
    }
    ebb_buf_adds(out, "\n## Arguments\n\n| name | meaning |\n| --- | --- |\n");
#define CLI_ARGUMENT(name, extent, completer, meaning)                                             \
    ebb_buf_addf(out, "| %s | %s |\n", #name, meaning);
#include "front/cli/arguments.def"
#undef CLI_ARGUMENT
    put_markdown_settings(out);
}
