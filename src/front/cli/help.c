/* help.c - every text comes from a row of a table. */
#include "front/cli/help.h"

#include "base/text.h"
#include "front/cli/handlers.h"
#include "front/cli/script.h"
#include "session/settings.h"

#include <regex.h>
#include <string.h>

/* ---- pieces ----------------------------------------------------------------------------------- */

static void put_row_brief(cli_text *text, const cli_command *row)
{
    cli_put_style(text, CLI_STYLE_TITLE, row->name);
    for (const char *at = row->aliases; *at;) {
        size_t n = strcspn(at, " ");
        cli_put(text, ", ");
        cli_put_stylef(text, CLI_STYLE_TITLE, "%.*s", (int)n, at);
        at += n + strspn(at + n, " ");
    }
    cli_putf(text, " -- %s\n", row->brief);
}

static void put_setting_brief(cli_text *text, const ses_setting *setting)
{
    cli_put_stylef(text, CLI_STYLE_TITLE, "set %s", setting->name);
    if (setting->kind == SES_SETTING_CHOICE)
        cli_putf(text, " %s", setting->choices);
    else if (setting->kind == SES_SETTING_BOOL)
        cli_put(text, " on|off");
    cli_putf(text, " -- %s\n", setting->help);
}

/* What the words in capitals of a schema mean. */
static void put_arguments(cli_text *text, const char *schema)
{
    static const struct {
        const char *name, *meaning;
    } kinds[] = {
#define CLI_ARGUMENT(name, extent, completer, meaning) {#name, meaning},
#include "front/cli/arguments.def"
#undef CLI_ARGUMENT
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *found = strstr(schema, kinds[i].name);
        size_t n = strlen(kinds[i].name);
        if (found && (found == schema || !strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ-", found[-1])) &&
            (found[n] == '\0' || !strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZ-", found[n])))
            cli_putf(text, "  %s: %s\n", kinds[i].name, kinds[i].meaning);
    }
}

static bool is_settable_parent(const cli_command *row)
{
    return strcmp(row->name, "set") == 0 || strcmp(row->name, "show") == 0;
}

/* ---- topics ----------------------------------------------------------------------------------- */

static void help_command(const cli_command *row, cli_text *text)
{
    put_row_brief(text, row);
    cli_putf(text, "Usage: %s%s%s\n", row->name, *row->schema ? " " : "", row->schema);
    put_arguments(text, row->schema);
    if (*row->details)
        cli_putf(text, "%s\n", row->details);
    if (row->flags & CLI_REPEATS)
        cli_put(text, "An empty line does it again.\n");
    bool any = false;
    for (size_t i = 0; i < cli_commands.n; i++) {
        if (!cli_is_below(&cli_commands.rows[i], row))
            continue;
        cli_put(text, any ? "" : "\nSubcommands:\n\n");
        any = true;
        put_row_brief(text, &cli_commands.rows[i]);
    }
    for (size_t i = 0; is_settable_parent(row) && i < ses_setting_count(); i++) {
        cli_put(text, i ? "" : "\nSettings:\n\n");
        put_setting_brief(text, ses_setting_at(i));
    }
}

static void help_group(cli_group group, cli_text *text)
{
    cli_putf(text, "%s.\n\n", cli_group_title(group));
    for (size_t i = 0; i < cli_commands.n; i++)
        if (cli_commands.rows[i].group == group)
            put_row_brief(text, &cli_commands.rows[i]);
}

static void help_groups(cli_text *text)
{
    cli_put(text, "Groups of commands:\n\n");
    for (int group = 0; group < CLI_N_GROUPS; group++) {
        cli_put_style(text, CLI_STYLE_TITLE, cli_group_word(group));
        cli_putf(text, " -- %s\n", cli_group_title(group));
    }
    cli_put(text, "\n\"help GROUP\" lists its commands, \"help COMMAND\" explains one, \"help "
                  "all\" lists every one,\n"
                  "\"apropos WORD\" finds commands by what their help says.\n"
                  "Commands may be abbreviated as long as they can't be mistaken.\n");
}

static bool help_user(cli *c, const char *topic, cli_text *text)
{
    const cli_user_command *user = c ? cli_user_get(c, topic) : NULL;
    const char *alias = c ? ebb_map_get(c->aliases, topic) : NULL;
    if (user)
        cli_put(text, user->help ? user->help : "User-defined.\n");
    else if (alias)
        cli_putf(text, "%s stands for: %s\n", topic, alias);
    return user || alias;
}

ebb_status cli_help(cli *c, const char *topic, cli_text *text, ebb_error *err)
{
    const cli_command *row;
    const char *rest;
    if (*topic == '\0') {
        help_groups(text);
        return EBB_OK;
    }
    if (strcmp(topic, "all") == 0) {
        for (int group = 0; group < CLI_N_GROUPS; group++) {
            cli_put(text, group ? "\n" : "");
            help_group(group, text);
        }
        return EBB_OK;
    }
    if (help_user(c, topic, text))
        return EBB_OK;
    cli_found found = cli_find_line(&cli_commands, topic, &row, &rest);
    if (found == CLI_FOUND && *rest == '\0') {
        help_command(row, text);
        return EBB_OK;
    }
    const ses_setting *setting =
        found == CLI_FOUND && is_settable_parent(row) ? ses_setting_find(rest) : NULL;
    if (setting) {
        put_setting_brief(text, setting);
        return EBB_OK;
    }
    for (int group = 0; group < CLI_N_GROUPS; group++) {
        if (strcmp(topic, cli_group_word(group)) != 0)
            continue;
        help_group(group, text);
        return EBB_OK;
    }
    if (found == CLI_FOUND_MANY)
        return ebb_fail(err, EBB_BAD_INPUT, "Ambiguous: \"%.60s\" begins several commands.", topic);
    return ebb_fail(err, EBB_NOT_FOUND, "No help on \"%.60s\".  Try \"help\" or \"apropos %.60s\".",
                    topic, topic);
}

ebb_status cli_cmd_help(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return cli_help(c, call->args, &reply->text, err);
}

/* A command that is nothing without a subcommand: it lists them. */
ebb_status cli_cmd_group(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    const char *name = call->command->name;
    return ebb_fail(err, EBB_BAD_INPUT, "Undefined %s command: \"%.60s\".  Try \"help %s\".", name,
                    call->args, name);
}

ebb_status cli_cmd_apropos(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    regex_t pattern;
    if (regcomp(&pattern, call->args, REG_EXTENDED | REG_ICASE | REG_NOSUB) != 0)
        return ebb_fail(err, EBB_BAD_INPUT, "Not a regular expression: \"%.100s\".", call->args);
    for (size_t i = 0; i < cli_commands.n; i++) {
        const cli_command *row = &cli_commands.rows[i];
        if (regexec(&pattern, row->name, 0, NULL, 0) == 0 ||
            regexec(&pattern, row->aliases, 0, NULL, 0) == 0 ||
            regexec(&pattern, row->brief, 0, NULL, 0) == 0 ||
            regexec(&pattern, row->details, 0, NULL, 0) == 0)
            put_row_brief(&reply->text, row);
    }
    for (size_t i = 0; i < ses_setting_count(); i++) {
        const ses_setting *setting = ses_setting_at(i);
        if (regexec(&pattern, setting->name, 0, NULL, 0) == 0 ||
            regexec(&pattern, setting->help, 0, NULL, 0) == 0)
            put_setting_brief(&reply->text, setting);
    }
    regfree(&pattern);
    return EBB_OK;
}
