/* cmd_set.c - settings, arguments, environment. */
#include "base/text.h"
#include "front/cli/args.h"
#include "front/cli/handlers.h"
#include "front/cli/output.h"
#include "front/cli/view.h"
#include "session/settings.h"

#include <ctype.h>
#include <string.h>

/* ---- settings --------------------------------------------------------------------------------- */

/* The setting whose words `args` begins with, longest name first; *value is what follows. */
static const ses_setting *find_setting(const char *args, const char **value)
{
    size_t ends[4], n = 0;
    for (const char *at = args; *at && n < 4;) {
        at += strcspn(at, " \t=");
        ends[n++] = (size_t)(at - args);
        if (*at == '=')
            break;
        at = ebb_text_skip_space(at);
    }
    while (n--) {
        char *name = ebb_strndup(args, ends[n]);
        const ses_setting *setting = ses_setting_find(name);
        free(name);
        if (setting) {
            *value = ebb_text_skip_space(args + ends[n]);
            return setting;
        }
    }
    return NULL;
}

/* `set x = 3`, `set p->next = 0`, `set $i = 1`: no setting's name goes before a single `=`. */
static bool is_assignment(const char *args)
{
    for (const char *at = args; *at; at++) {
        if (*at == '"' || *at == '\'')
            return false;
        if (*at == '=' && at[1] == '=')
            at++;
        else if (*at == '=' && at > args && !strchr("!<>", at[-1]))
            return true;
    }
    return *args == '$' || *args == '*' || *args == '(';
}

ebb_status cli_cmd_set(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    const char *value;
    const ses_setting *setting =
        is_assignment(call->args) ? NULL : find_setting(call->args, &value);
    if (setting) {
        if (*value == '\0' && setting->kind == SES_SETTING_BOOL)
            value = "on";
        return ses_setting_set(c->session, setting->name, value, err);
    }
    ebb_error why;
    ebb_status status = ses_assign(c->session, call->args, &why);
    if (status == EBB_OK || is_assignment(call->args))
        return status == EBB_OK ? status : ebb_fail(err, status, "%s", why.text);
    return ebb_fail(err, EBB_BAD_INPUT, "No such setting: \"%.60s\".  Try \"help set\".",
                    call->args);
}

static json_t *setting_object(const ses_setting *setting, const char *value)
{
    json_t *object = json_object();
    cli_json_text(object, "setting", setting->name);
    cli_json_text(object, "value", value);
    return object;
}

static ebb_status show_setting(cli *c, const ses_setting *setting, cli_text *text, json_t *list,
                               ebb_error *err)
{
    ebb_buf value = {0};
    ebb_status status = ses_setting_show(c->session, setting->name, &value, err);
    if (status == EBB_OK) {
        cli_put_style(text, CLI_STYLE_NAME, setting->name);
        cli_putf(text, ": %s\n", ebb_buf_text(&value));
        json_array_append_new(list, setting_object(setting, ebb_buf_text(&value)));
    }
    ebb_buf_fini(&value);
    return status;
}

/* A name shows its setting; "print" shows every setting whose first word it is. */
ebb_status cli_cmd_show(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    const char *rest;
    const ses_setting *one = *call->args ? find_setting(call->args, &rest) : NULL;
    ebb_status status = EBB_OK;
    json_t *list = json_array();
    size_t n = strlen(call->args);
    if (one && *rest == '\0')
        status = show_setting(c, one, &reply->text, list, err);
    for (size_t i = 0; i < ses_setting_count() && status == EBB_OK && !(one && *rest == '\0');
         i++) {
        const ses_setting *setting = ses_setting_at(i);
        if (n == 0 || (strncmp(setting->name, call->args, n) == 0 && setting->name[n] == ' '))
            status = show_setting(c, setting, &reply->text, list, err);
    }
    if (status == EBB_OK && json_array_size(list) == 0)
        status = ebb_fail(err, EBB_BAD_INPUT, "No such setting: \"%.60s\".  Try \"help set\".",
                          call->args);
    cli_field_json(reply, "settings", list);
    return status;
}

ebb_status cli_cmd_show_version(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    cli_put(&reply->text, "ebb " EBB_VERSION "\n");
    cli_field_text(reply, "version", EBB_VERSION);
    return EBB_OK;
}

ebb_status cli_cmd_show_convenience(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ses_convenience_list(c->session, &reply->text.bytes);
    if (reply->text.bytes.n == 0)
        cli_put(&reply->text, "No debugger convenience values now defined.\n");
    return EBB_OK;
}

/* ---- arguments and environment ---------------------------------------------------------------- */

ebb_status cli_cmd_set_args(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return ses_set_args(c->session, call->args, err);
}

ebb_status cli_cmd_tty(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return ses_setting_set(c->session, "inferior-tty", call->args, err);
}

ebb_status cli_cmd_show_args(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    char *args = ses_args_text(c->session);
    cli_putf(&reply->text,
             "Argument list to give program being debugged when it is started is \"%s\".\n", args);
    cli_field_text(reply, "args", args);
    free(args);
    return EBB_OK;
}

/* NAME VALUE, NAME=VALUE, NAME = VALUE. */
ebb_status cli_cmd_set_environment(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    size_t n = strcspn(call->args, " \t=");
    if (n == 0)
        return ebb_fail(err, EBB_BAD_INPUT, "Say which variable: set environment NAME VALUE");
    const char *value = ebb_text_skip_space(call->args + n);
    if (*value == '=')
        value = ebb_text_skip_space(value + 1);
    char *name = ebb_strndup(call->args, n);
    ses_environment_set(c->session, name, value);
    free(name);
    return EBB_OK;
}

ebb_status cli_cmd_unset_environment(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    if (*call->args == '\0' && !cli_ask(c, "Delete all environment variables?"))
        return ebb_fail(err, EBB_INTERRUPTED, "Not confirmed.");
    ses_environment_unset(c->session, *call->args ? call->args : NULL);
    return EBB_OK;
}

ebb_status cli_cmd_show_environment(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ses_environment_list(c->session, *call->args ? call->args : NULL, &reply->text.bytes);
    if (reply->text.bytes.n == 0 && *call->args)
        cli_putf(&reply->text, "Environment variable \"%s\" not defined.\n", call->args);
    return EBB_OK;
}
