/* cmd_break.c - where to stop. */
#include "base/text.h"
#include "front/cli/args.h"
#include "front/cli/handlers.h"
#include "front/cli/output.h"
#include "front/cli/script.h"
#include "front/cli/view.h"
#include "session/settings.h"

#include <limits.h>
#include <string.h>

static ebb_status made(cli *c, cli_reply *reply, ebb_status status, int number)
{
    if (status == EBB_OK)
        cli_view_new_breakpoint(reply, ses_bp_get(c->session, number));
    return status;
}

/* ---- break ------------------------------------------------------------------------------------ */

/* `set breakpoint pending`: on, off, or auto, which asks the person if there is one. */
static bool may_be_pending(cli *c, const ebb_error *why)
{
    ebb_buf value = {0};
    bool known = ses_setting_show(c->session, "breakpoint pending", &value, NULL) == EBB_OK;
    bool on = known && strcmp(ebb_buf_text(&value), "on") == 0,
         off = known && strcmp(ebb_buf_text(&value), "off") == 0;
    ebb_buf_fini(&value);
    if (on || off)
        return on;
    return cli_is_talking(c) &&
           cli_ask(c, "%s\nMake breakpoint pending on future shared library load?", why->text);
}

static bool is_at(const ses_breakpoint *bp, uint64_t addr)
{
    for (size_t i = 0; i < bp->n_locations; i++)
        if (bp->locations[i].spot.addr == addr && !bp->locations[i].place)
            return true;
    return false;
}

/* "Note: breakpoints 1 and 2 (disabled) also set at pc 0x1139.", for a person. */
static void note_others(cli *c, const ses_breakpoint *bp)
{
    const ses_breakpoint *others[16];
    size_t n = 0;
    if (!cli_is_talking(c) || bp->n_locations != 1 || bp->locations[0].place)
        return;
    uint64_t addr = bp->locations[0].spot.addr;
    for (size_t i = 0; i < ses_bp_count(c->session) && n < 16; i++) {
        const ses_breakpoint *other = ses_bp_at(c->session, i);
        if (other->number != bp->number && other->kind == SES_BP_BREAK && is_at(other, addr))
            others[n++] = other;
    }
    ebb_buf list = {0};
    for (size_t i = 0; i < n; i++)
        ebb_buf_addf(&list, "%s%d%s", i == 0 ? "" : i + 1 == n ? (n > 2 ? ", and " : " and ") : ", ", others[i]->number,
                     others[i]->enabled ? "" : " (disabled)");
    if (n)
        cli_emit_notice(c, "breakpoint", "Note: breakpoint%s %s also set at pc 0x%lx.", n > 1 ? "s" : "", ebb_buf_text(&list), (unsigned long)addr);
    ebb_buf_fini(&list);
}

static ebb_status set_break(cli *c, const cli_call *call, cli_reply *reply, bool temporary,
                            ebb_error *err)
{
    ebb_arena arena = {0};
    ebb_error why = {0};
    ses_break_request request = {0};
    int number = 0;
    ebb_status status = ses_break_parse(c->session, &arena, call->args, &request, err);
    if (status == EBB_OK) {
        request.temporary = temporary;
        status = ses_break(c->session, &request, &number, &why);
        if (status == EBB_NOT_FOUND && may_be_pending(c, &why)) {
            request.allow_pending = true;
            status = ses_break(c->session, &request, &number, &why);
        }
        if (status != EBB_OK)
            ebb_fail(err, status, "%s", why.text);
    }
    ebb_arena_fini(&arena);
    if (status == EBB_OK)
        note_others(c, ses_bp_get(c->session, number));
    return made(c, reply, status, number);
}

ebb_status cli_cmd_break(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return set_break(c, call, reply, false, err);
}

ebb_status cli_cmd_tbreak(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return set_break(c, call, reply, true, err);
}

/* ---- watch ------------------------------------------------------------------------------------ */

/* Where the condition's `if` begins: the last one that stands as a word outside of quotes. */
static const char *find_if(const char *text)
{
    const char *found = NULL;
    char quote = '\0';
    for (const char *at = text; *at; at++) {
        if (quote)
            quote = *at == quote ? '\0' : quote;
        else if (*at == '"' || *at == '\'')
            quote = *at;
        else if ((*at == ' ' || *at == '\t') && strncmp(at + 1, "if", 2) == 0 &&
                 strchr(" \t(", at[3]) && at[3])
            found = at + 1;
    }
    return found;
}

static ebb_status set_watch(cli *c, const cli_call *call, cli_reply *reply, ses_bp_kind kind,
                            ebb_error *err)
{
    const char *args = call->args;
    bool location = cli_take_word(&args, "-l") || cli_take_word(&args, "-location");
    const char *condition = find_if(args);
    char *expression = condition ? ebb_strndup(args, (size_t)(condition - args)) : ebb_strdup(args);
    int number = 0;
    ses_watch_request request = {.kind = kind,
                                 .expression = ebb_text_rtrim(expression),
                                 .condition = condition ? ebb_text_skip_space(condition + 2) : NULL,
                                 .location = location};
    ebb_status status = *request.expression == '\0'
                            ? ebb_fail(err, EBB_BAD_INPUT, "Argument required: an expression to watch.")
                            : ses_watch(c->session, &request, &number, err);
    free(expression);
    return made(c, reply, status, number);
}

ebb_status cli_cmd_watch(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return set_watch(c, call, reply, SES_BP_WATCH, err);
}

ebb_status cli_cmd_rwatch(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return set_watch(c, call, reply, SES_BP_RWATCH, err);
}

ebb_status cli_cmd_awatch(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return set_watch(c, call, reply, SES_BP_AWATCH, err);
}

/* ---- catch ------------------------------------------------------------------------------------ */

/* "fork", "syscall write": the subcommand's word and its arguments. */
static ebb_status set_catch(cli *c, const char *event, const char *args, bool temporary,
                            cli_reply *reply, ebb_error *err)
{
    int number = 0;
    char *what = ebb_asprintf("%s%s%s", event, *args ? " " : "", args);
    ebb_status status = ses_catch(c->session, what, temporary, &number, err);
    free(what);
    return made(c, reply, status, number);
}

ebb_status cli_cmd_catch_event(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return set_catch(c, cli_last_word(call->command), call->args, false, reply, err);
}

ebb_status cli_cmd_catch(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return ebb_fail(err, EBB_BAD_INPUT, "No such event to catch: \"%.60s\".  Try \"help catch\".",
                    call->args);
}

ebb_status cli_cmd_tcatch(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    char *line = ebb_asprintf("catch %s", call->args);
    const cli_command *row;
    const char *args;
    cli_found found = cli_find_line(&cli_commands, line, &row, &args);
    ebb_status status;
    if (found == CLI_FOUND && row->handler == cli_cmd_catch_event)
        status = set_catch(c, cli_last_word(row), args, true, reply, err);
    else
        status = ebb_fail(err, EBB_BAD_INPUT,
                          "No such event to catch: \"%.60s\".  Try \"help catch\".", call->args);
    free(line);
    return status;
}

/* ---- changing --------------------------------------------------------------------------------- */

static ebb_status delete_one(cli *c, unsigned number, unsigned part, void *data, ebb_error *err)
{
    return ses_bp_delete(c->session, (int)number, err);
}

ebb_status cli_cmd_delete(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    if (*call->args)
        return cli_for_numbers(c, call->args, delete_one, NULL, err);
    if (ses_bp_count(c->session) && !cli_ask(c, "Delete all breakpoints?"))
        return ebb_fail(err, EBB_INTERRUPTED, "Not confirmed.");
    ses_bp_delete_all(c->session);
    return EBB_OK;
}

ebb_status cli_cmd_clear(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    size_t n = 0;
    ebb_status status = ses_bp_clear(c->session, call->args, &n, err);
    if (status != EBB_OK)
        return status;
    if (n == 0)
        return ebb_fail(err, EBB_NOT_FOUND, "No breakpoint at %s.",
                        *call->args ? call->args : "this line");
    cli_putf(&reply->text, "Deleted %zu breakpoint%s\n", n, n == 1 ? "" : "s");
    cli_field_int(reply, "deleted", (long long)n);
    return EBB_OK;
}

static ebb_status enable_one(cli *c, unsigned number, unsigned part, void *data, ebb_error *err)
{
    return ses_bp_enable(c->session, (int)number, part, *(bool *)data, err);
}

static ebb_status enable_many(cli *c, const char *list, bool enabled, ebb_error *err)
{
    if (*list)
        return cli_for_numbers(c, list, enable_one, &enabled, err);
    ebb_status status = EBB_OK;
    for (size_t i = 0; i < ses_bp_count(c->session) && status == EBB_OK; i++)
        status = ses_bp_enable(c->session, ses_bp_at(c->session, i)->number, 0, enabled, err);
    return status;
}

ebb_status cli_cmd_enable(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return enable_many(c, call->args, true, err);
}

ebb_status cli_cmd_disable(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return enable_many(c, call->args, false, err);
}

/* The breakpoint that `args` begins with; *rest is after the number. */
static ebb_status take_breakpoint(cli *c, const char *args, const ses_breakpoint **bp,
                                  const char **rest, ebb_error *err)
{
    ebb_buf word = {0};
    uint64_t number = 0;
    *rest = args;
    cli_next_word(rest, &word);
    ebb_status status = ses_evaluate_u64(c->session, ebb_buf_text(&word), &number, NULL);
    *bp = status == EBB_OK && number <= INT_MAX ? ses_bp_get(c->session, (int)number) : NULL;
    status = *bp ? EBB_OK
                 : ebb_fail(err, EBB_NOT_FOUND, "No breakpoint number %.40s.", ebb_buf_text(&word));
    ebb_buf_fini(&word);
    return status;
}

ebb_status cli_cmd_ignore(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    const ses_breakpoint *bp;
    const char *rest;
    uint64_t count;
    ebb_status status = take_breakpoint(c, call->args, &bp, &rest, err);
    if (status != EBB_OK)
        return status;
    if (*rest == '\0')
        return ebb_fail(err, EBB_BAD_INPUT, "Second argument (the ignore count) is missing.");
    status = ses_evaluate_u64(c->session, rest, &count, err);
    if (status == EBB_OK && count > INT_MAX)
        count = (int64_t)count < 0 ? 0 : INT_MAX;
    int number = bp->number;
    if (status == EBB_OK)
        status = ses_bp_ignore(c->session, number, (unsigned)count, err);
    if (status != EBB_OK)
        return status;
    if (count == 0)
        cli_putf(&reply->text, "Will stop next time breakpoint %d is reached.\n", number);
    else if (count == 1)
        cli_putf(&reply->text, "Will ignore next crossing of breakpoint %d.\n", number);
    else
        cli_putf(&reply->text, "Will ignore next %llu crossings of breakpoint %d.\n",
                 (unsigned long long)count, number);
    cli_field_int(reply, "number", number);
    cli_field_int(reply, "ignore", (long long)count);
    return EBB_OK;
}

ebb_status cli_cmd_condition(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    const ses_breakpoint *bp;
    const char *rest;
    ebb_status status = take_breakpoint(c, call->args, &bp, &rest, err);
    if (status != EBB_OK)
        return status;
    int number = bp->number;
    status = ses_bp_condition(c->session, number, *rest ? rest : NULL, err);
    if (status == EBB_OK && *rest == '\0')
        cli_putf(&reply->text, "Breakpoint %d now unconditional.\n", number);
    return status;
}

static ebb_status give_commands(cli *c, unsigned number, unsigned part, void *data, ebb_error *err)
{
    return ses_bp_commands(c->session, (int)number, data, err);
}

static ebb_status must_exist(cli *c, unsigned number, unsigned part, void *data, ebb_error *err)
{
    return ses_bp_get(c->session, (int)number) ? EBB_OK : ebb_fail(err, EBB_NOT_FOUND, "No breakpoint number %u.", number);
}

/* Nobody's lines are not read: what follows are commands of their own. */
ebb_status cli_cmd_commands(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    size_t n = ses_bp_count(c->session);
    ebb_buf body = {0};
    if (*call->args)
        EBB_TRY(cli_for_numbers(c, call->args, must_exist, NULL, err));
    else if (n == 0)
        return ebb_fail(err, EBB_NOT_FOUND, "No breakpoints specified.");
    ebb_status status = cli_read_body(c, "commands", &body, NULL, err);
    char *lines = body.n ? (char *)ebb_buf_text(&body) : NULL;
    if (status == EBB_OK && *call->args)
        status = cli_for_numbers(c, call->args, give_commands, lines, err);
    else if (status == EBB_OK)
        status = ses_bp_commands(c->session, ses_bp_at(c->session, n - 1)->number, lines, err);
    ebb_buf_fini(&body);
    return status;
}

/* ---- info ------------------------------------------------------------------------------------- */

static bool is_listed(const char *list, int number)
{
    /* "2 4-6": numbers only; anything else was refused before. */
    for (const char *at = ebb_text_skip_space(list); *at;) {
        char *end;
        long first = strtol(at, &end, 10), last = first;
        if (*end == '-')
            last = strtol(end + 1, &end, 10);
        if (end == at)
            return false;
        if (number >= first && number <= last)
            return true;
        at = ebb_text_skip_space(end);
    }
    return false;
}

static ebb_status accept_number(cli *c, unsigned number, unsigned part, void *data, ebb_error *err)
{
    return EBB_OK;
}

static ebb_status list_breakpoints(cli *c, const char *numbers, bool watches_only, cli_reply *reply,
                                   ebb_error *err)
{
    ebb_status status = cli_for_numbers(c, numbers, accept_number, NULL, err);
    if (status != EBB_OK)
        return status;
    EBB_VEC(const ses_breakpoint *) shown = {0};
    int width = 0;
    for (size_t i = 0; i < ses_bp_count(c->session); i++) {
        const ses_breakpoint *bp = ses_bp_at(c->session, i);
        if ((watches_only && !cli_is_watch(bp->kind)) ||
            (*numbers && !is_listed(numbers, bp->number)))
            continue;
        int needed = cli_breakpoint_type_width(bp);
        width = needed > width ? needed : width;
        ebb_vec_push(&shown, bp);
    }
    json_t *list = json_array();
    if (shown.n)
        cli_view_breakpoint_heading(&reply->text, width);
    for (size_t i = 0; i < shown.n; i++)
        json_array_append_new(list, cli_view_breakpoint(&reply->text, shown.items[i], width));
    ebb_vec_fini(&shown);
    if (json_array_size(list) == 0)
        cli_put(&reply->text, watches_only ? "No watchpoints.\n"
                              : *numbers   ? "No breakpoint or watchpoint matching.\n"
                                           : "No breakpoints or watchpoints.\n");
    cli_field_json(reply, "breakpoints", list);
    return EBB_OK;
}

ebb_status cli_cmd_info_breakpoints(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return list_breakpoints(c, call->args, false, reply, err);
}

ebb_status cli_cmd_info_watchpoints(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return list_breakpoints(c, "", true, reply, err);
}
