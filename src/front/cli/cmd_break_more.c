/* cmd_break_more.c - breakpoints for a while, many at once, that print, and kept in a file. */
#include "base/text.h"
#include "front/cli/args.h"
#include "front/cli/handlers.h"
#include "front/cli/view.h"
#include "session/data.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* ---- enable once, delete, count --------------------------------------------------------------- */

typedef struct for_a_while {
    ses_bp_after after;
    unsigned count;
} for_a_while;

static ebb_status enable_for(cli *c, unsigned number, unsigned part, void *data, ebb_error *err)
{
    const for_a_while *how = data;
    (void)part;
    return ses_bp_enable_for(c->session, (int)number, how->after, how->count, err);
}

static ebb_status enable_list(cli *c, const char *numbers, for_a_while how, ebb_error *err)
{
    if (*numbers == '\0')
        return ebb_fail(err, EBB_BAD_INPUT, "Argument required (one or more breakpoint numbers).");
    return cli_for_numbers(c, numbers, enable_for, &how, err);
}

ebb_status cli_cmd_enable_once(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    (void)reply;
    return enable_list(c, call->args, (for_a_while){SES_BP_AFTER_DISABLE, 0}, err);
}

ebb_status cli_cmd_enable_delete(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    (void)reply;
    return enable_list(c, call->args, (for_a_while){SES_BP_AFTER_DELETE, 0}, err);
}

ebb_status cli_cmd_enable_count(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    (void)reply;
    ebb_buf word = {0};
    const char *rest = call->args;
    uint64_t count = 0;
    cli_next_word(&rest, &word);
    ebb_status status = ses_evaluate_u64(c->session, ebb_buf_text(&word), &count, err);
    ebb_buf_fini(&word);
    if (status != EBB_OK)
        return status;
    return enable_list(c, rest, (for_a_while){SES_BP_AFTER_DISABLE, count < INT_MAX ? (unsigned)count : INT_MAX}, err);
}

/* ---- rbreak ----------------------------------------------------------------------------------- */

typedef struct to_break {
    cli *cli;
    cli_reply *reply;
    unsigned n;
} to_break;

static void set_one(void *self, const sym_listed *found)
{
    to_break *all = self;
    ses_break_request request = {.where = found->name};
    int number;
    if (ses_break(all->cli->session, &request, &number, NULL) != EBB_OK)
        return;
    cli_view_new_breakpoint(all->reply, ses_bp_get(all->cli->session, number));
    if (found->file)
        cli_putf(&all->reply->text, "%s\n", found->declaration);
    else
        cli_putf(&all->reply->text, "<function, no debug info> %s;\n", found->name);
    all->n++;
}

ebb_status cli_cmd_rbreak(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    enum { AT_MOST = 5000 };
    to_break all = {.cli = c, .reply = reply};
    size_t n_left_out;
    EBB_TRY(sym_search(ses_get_symbols(c->session), call->args, SYM_NAMES_FUNCTIONS, &(sym_searcher){&all, set_one, AT_MOST}, &n_left_out, err));
    cli_field_int(reply, "set", all.n);
    cli_view_left_out(reply, n_left_out, "function");
    return EBB_OK;
}

/* ---- dprintf ---------------------------------------------------------------------------------- */

/* dprintf WHERE,"FORMAT"[,ARGUMENT...] */
ebb_status cli_cmd_dprintf(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    const char *comma = strchr(call->args, ',');
    const char *format = comma ? ebb_text_skip_space(comma + 1) : "";
    if (*format != '"')
        return ebb_fail(err, EBB_BAD_INPUT, comma ? "Bad format string" : "Format string required");
    char *where = ebb_text_rtrim(ebb_strndup(call->args, (size_t)(comma - call->args)));
    ses_break_request request = {.where = where, .prints = format};
    int number = 0;
    ebb_status status = ses_break(c->session, &request, &number, err);
    if (status == EBB_OK)
        cli_view_new_breakpoint(reply, ses_bp_get(c->session, number));
    free(where);
    return status;
}

/* ---- save breakpoints ------------------------------------------------------------------------- */

static const char *verb_of(const ses_breakpoint *bp)
{
    switch (bp->kind) {
    case SES_BP_BREAK: return bp->exception ? "catch" : bp->prints ? "dprintf" : bp->temporary ? "tbreak" : "break";
    case SES_BP_WATCH: return "watch";
    case SES_BP_RWATCH: return "rwatch";
    case SES_BP_AWATCH: return "awatch";
    default: return bp->temporary ? "tcatch" : "catch";
    }
}

static void put_lines(FILE *to, const char *lines)
{
    fputs("  commands\n", to);
    for (const char *at = lines; *at;) {
        size_t n = strcspn(at, "\n");
        fprintf(to, "    %.*s\n", (int)n, at);
        at += n + (at[n] == '\n');
    }
    fputs("  end\n", to);
}

/* A line alone means another place once another file is looked at. */
static bool is_line_alone(const ses_breakpoint *bp)
{
    bool is_number = strspn(bp->where, "+-0123456789") == strlen(bp->where);
    return bp->kind == SES_BP_BREAK && !bp->exception && is_number && bp->n_locations > 0 && bp->locations[0].spot.file;
}

static void put_breakpoint(FILE *to, const ses_breakpoint *bp)
{
    if (is_line_alone(bp))
        fprintf(to, "%s %s:%u", verb_of(bp), bp->locations[0].spot.file, bp->locations[0].spot.line);
    else
        fprintf(to, "%s %s", verb_of(bp), bp->exception ? bp->exception : bp->where);
    if (bp->exception_type)
        fprintf(to, " %s", bp->exception_type);
    if (bp->prints)
        fprintf(to, ",%s", bp->prints);
    fputc('\n', to);
    if (bp->condition)
        fprintf(to, "  condition $bpnum %s\n", bp->condition);
    if (bp->ignore)
        fprintf(to, "  ignore $bpnum %u\n", bp->ignore);
    if (bp->commands)
        put_lines(to, bp->commands);
    if (!bp->enabled)
        fputs("disable $bpnum\n", to);
}

ebb_status cli_cmd_save_breakpoints(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    if (ses_bp_count(c->session) == 0)
        return ebb_fail(err, EBB_NOT_FOUND, "Nothing to save.");
    FILE *to = fopen(call->args, "we");
    if (!to)
        return ebb_fail_errno(err, "%s", call->args);
    for (size_t i = 0; i < ses_bp_count(c->session); i++)
        put_breakpoint(to, ses_bp_at(c->session, i));
    if (fclose(to) != 0)
        return ebb_fail_errno(err, "%s", call->args);
    if (cli_is_talking(c))
        cli_putf(&reply->text, "Saved to file '%s'.\n", call->args);
    return EBB_OK;
}
