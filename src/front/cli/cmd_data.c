/* cmd_data.c - values: print and its relatives, displays, types. */
#include "base/text.h"
#include "front/cli/args.h"
#include "front/cli/handlers.h"
#include "front/cli/output.h"
#include "front/cli/view.h"

#include <ctype.h>
#include <string.h>

/* ---- print ------------------------------------------------------------------------------------ */

static void add_type(cli *c, cli_reply *reply, const char *expression)
{
    ebb_buf type = {0};
    if (ses_type(c->session, expression, 0, &type, NULL) == EBB_OK && type.n)
        cli_field_text(reply, "type", ebb_text_rtrim(type.data));
    ebb_buf_fini(&type);
}

/* Options of print: name, the flag or the limit of expr_format that it sets (0 for the other). */
typedef struct print_option {
    const char *name;
    size_t flag, limit;
} print_option;

static const print_option print_options[] = {
    {"-pretty", offsetof(expr_format, pretty), 0},
    {"-array", offsetof(expr_format, array_lines), 0},
    {"-array-indexes", offsetof(expr_format, array_indexes), 0},
    {"-symbol", offsetof(expr_format, symbol), 0},
    {"-address", offsetof(expr_format, address), 0},
    {"-elements", 0, offsetof(expr_format, elements_limit)},
    {"-repeats", 0, offsetof(expr_format, repeats_limit)},
    {"-max-depth", 0, offsetof(expr_format, depth_limit)},
};

/* "[on|off]" or a number after an option. */
static void take_option_value(const print_option *option, const char **at, expr_format *format)
{
    if (option->flag) {
        bool off = cli_take_word(at, "off");
        if (!off)
            cli_take_word(at, "on");
        *(bool *)((char *)format + option->flag) = !off;
        return;
    }
    unsigned *limit = (unsigned *)((char *)format + option->limit);
    *limit = 0;
    if (cli_take_word(at, "unlimited"))
        return;
    char *end;
    *limit = (unsigned)strtoul(*at, &end, 10);
    *at = ebb_text_skip_space(end);
}

/* -pretty, -elements 10, ... up to `--`.  What isn't an option (-x) begins the expression. */
static void take_print_options(const char **at, expr_format *format)
{
    bool took;
    do {
        took = false;
        for (size_t i = 0; i < sizeof print_options / sizeof *print_options; i++) {
            if (!cli_take_word(at, print_options[i].name))
                continue;
            take_option_value(&print_options[i], at, format);
            took = true;
        }
    } while (took);
    cli_take_word(at, "--");
}

static ebb_status print(cli *c, const cli_call *call, cli_reply *reply, bool shows_void,
                        ebb_error *err)
{
    expr_format format = ses_default_format(c->session);
    const char *expression = call->args;
    take_print_options(&expression, &format);
    ebb_status status = cli_take_format(&expression, "print", &format, err);
    if (status != EBB_OK)
        return status;
    ebb_buf value = {0};
    int history = 0;
    ses_print_request request = {.expression = *expression ? expression : "$", .format = &format, .keeps_void = shows_void};
    status = ses_print(c->session, &request, &history, &value, err);
    if (status == EBB_OK) {
        cli_field_text(reply, "value", ebb_buf_text(&value));
        if (history) {
            char name[24];
            snprintf(name, sizeof name, "$%d", history);
            cli_putf(&reply->text, "%s = %s\n", name, ebb_buf_text(&value));
            cli_field_int(reply, "history", history);
            add_type(c, reply, name);
        }
    }
    ebb_buf_fini(&value);
    return status;
}

ebb_status cli_cmd_print(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return print(c, call, reply, true, err);
}

ebb_status cli_cmd_call(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return print(c, call, reply, false, err);
}

ebb_status cli_cmd_output(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    expr_format format = ses_default_format(c->session);
    const char *expression = call->args;
    ebb_status status = cli_take_format(&expression, "output", &format, err);
    if (status == EBB_OK)
        status = ses_output(c->session, expression, &format, &reply->text.bytes, err);
    if (status == EBB_OK)
        cli_field_text(reply, "value", ebb_buf_text(&reply->text.bytes));
    return status;
}

ebb_status cli_cmd_printf(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return ses_printf(c->session, call->args, &reply->text.bytes, err);
}

/* C's escapes; a backslash at the end of the line stands for nothing. */
ebb_status cli_cmd_echo(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    static const char letters[] = "ntrabfve\\", meanings[] = "\n\t\r\a\b\f\v\033\\";
    ebb_buf *out = &reply->text.bytes;
    for (const char *at = call->args; *at; at++) {
        if (*at != '\\') {
            ebb_buf_addc(out, *at);
            continue;
        }
        at++;
        const char *letter = *at ? strchr(letters, *at) : NULL;
        if (letter) {
            ebb_buf_addc(out, meanings[letter - letters]);
        } else if (*at >= '0' && *at <= '7') {
            int code = 0;
            for (int i = 0; i < 3 && *at >= '0' && *at <= '7'; i++)
                code = code * 8 + *at++ - '0';
            at--;
            ebb_buf_addc(out, (char)code);
        } else if (*at) {
            ebb_buf_addc(out, *at);
        } else {
            break;
        }
    }
    return EBB_OK;
}

ebb_status cli_cmd_set_var(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return ses_assign(c->session, call->args, err);
}

/* ---- types ------------------------------------------------------------------------------------ */

/* "/ox" before the type; false: there is another letter in it. */
static bool read_type_flags(const char **args, unsigned *how)
{
    static const struct { char letter; unsigned adds; } flags[] = {
        {'o', SES_TYPE_OFFSETS}, {'x', SES_TYPE_HEX}, {'d', 0}, {'m', SES_TYPE_NO_METHODS}, {'M', 0}, {'t', SES_TYPE_NO_TYPEDEFS}, {'T', 0}, {'r', SES_TYPE_RAW}};
    if (**args != '/')
        return true;
    const char *at = *args + 1;
    for (; *at && *at != ' '; at++) {
        size_t i = 0, n = sizeof flags / sizeof *flags;
        while (i < n && flags[i].letter != *at)
            i++;
        if (i == n)
            return false;
        *how |= flags[i].adds;
    }
    *args = ebb_text_skip_space(at);
    return true;
}

static ebb_status show_type(cli *c, const cli_call *call, cli_reply *reply, unsigned how, ebb_error *err)
{
    ebb_buf type = {0};
    const char *args = call->args;
    if (!read_type_flags(&args, &how))
        return ebb_fail(err, EBB_BAD_INPUT, "unrecognized flag in \"%.20s\"", call->args);
    ebb_status status = ses_type(c->session, *args ? args : "$", how, &type, err);
    if (status == EBB_OK) {
        bool has_header = ebb_text_starts(ebb_buf_text(&type), "/* offset");
        cli_putf(&reply->text, "%s%s\n", has_header ? "" : "type = ",
                 ebb_text_rtrim(type.data ? type.data : (char[]){'\0'}));
        cli_field_text(reply, "type", ebb_buf_text(&type));
    }
    ebb_buf_fini(&type);
    return status;
}

ebb_status cli_cmd_ptype(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return show_type(c, call, reply, SES_TYPE_OPEN, err);
}

ebb_status cli_cmd_whatis(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return show_type(c, call, reply, 0, err);
}

/* ---- displays --------------------------------------------------------------------------------- */

ebb_status cli_cmd_display(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    if (*call->args == '\0') {
        cli_field_json(reply, "displays", cli_view_displays(c, &reply->text));
        return EBB_OK;
    }
    int number = 0;
    ebb_status status = ses_display_add(c->session, call->args, &number, err);
    if (status != EBB_OK)
        return status;
    cli_field_int(reply, "number", number);
    for (size_t i = 0; i < ses_display_count(c->session); i++) {
        ebb_buf shown = {0};
        if (ses_display_at(c->session, i).number == number &&
            ses_get_state(c->session) == SES_STOPPED && ses_display_text(c->session, i, &shown)) {
            cli_putf(&reply->text, "%s\n", ebb_text_rtrim(shown.data));
            cli_field_text(reply, "text", ebb_buf_text(&shown));
        }
        ebb_buf_fini(&shown);
    }
    return EBB_OK;
}

static ebb_status delete_display(cli *c, unsigned number, unsigned part, void *data, ebb_error *err)
{
    return ses_display_delete(c->session, (int)number, err);
}

ebb_status cli_cmd_undisplay(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    if (*call->args)
        return cli_for_numbers(c, call->args, delete_display, NULL, err);
    if (ses_display_count(c->session) && !cli_ask(c, "Delete all auto-display expressions?"))
        return ebb_fail(err, EBB_INTERRUPTED, "Not confirmed.");
    ses_display_delete_all(c->session);
    return EBB_OK;
}

static ebb_status enable_display(cli *c, unsigned number, unsigned part, void *data, ebb_error *err)
{
    return ses_display_enable(c->session, (int)number, *(bool *)data, err);
}

static ebb_status enable_displays(cli *c, const char *list, bool enabled, ebb_error *err)
{
    if (*list)
        return cli_for_numbers(c, list, enable_display, &enabled, err);
    ebb_status status = EBB_OK;
    for (size_t i = 0; i < ses_display_count(c->session) && status == EBB_OK; i++)
        status = ses_display_enable(c->session, ses_display_at(c->session, i).number, enabled, err);
    return status;
}

ebb_status cli_cmd_enable_display(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return enable_displays(c, call->args, true, err);
}

ebb_status cli_cmd_disable_display(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return enable_displays(c, call->args, false, err);
}

ebb_status cli_cmd_info_display(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    json_t *list = json_array();
    size_t n = ses_display_count(c->session);
    cli_put(&reply->text, n ? "Auto-display expressions now in effect:\nNum Enb Expression\n"
                            : "There are no auto-display expressions now.\n");
    for (size_t i = 0; i < n; i++) {
        ses_display display = ses_display_at(c->session, i);
        cli_putf(&reply->text, "%d:   %c  %s%s%s%s\n", display.number, display.enabled ? 'y' : 'n',
                 display.format_text, *display.format_text ? " " : "", display.expression,
                 display.is_in_scope ? "" : " (cannot be evaluated in the current context)");
        json_t *object = json_object();
        json_object_set_new(object, "number", json_integer(display.number));
        json_object_set_new(object, "enabled", json_boolean(display.enabled));
        cli_json_text(object, "format", display.format_text);
        cli_json_text(object, "expression", display.expression);
        json_array_append_new(list, object);
    }
    cli_field_json(reply, "displays", list);
    return EBB_OK;
}
