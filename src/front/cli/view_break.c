/* view_break.c - breakpoints, watchpoints, catchpoints. */
#include "front/cli/view.h"

#include <string.h>

enum { ADDRESS_WIDTH = 18 }; /* of a column of addresses */

bool cli_is_watch(ses_bp_kind kind)
{
    return kind == SES_BP_WATCH || kind == SES_BP_RWATCH || kind == SES_BP_AWATCH;
}

static const char *kind_word(const ses_breakpoint *bp)
{
    switch (bp->kind) {
    case SES_BP_BREAK: return bp->exception ? "catchpoint" : bp->prints ? "dprintf" : "breakpoint";
    case SES_BP_WATCH: return bp->hardware ? "hw watchpoint" : "watchpoint";
    case SES_BP_RWATCH: return "read watchpoint";
    case SES_BP_AWATCH: return "acc watchpoint";
    default: return "catchpoint";
    }
}

static json_t *location_object(const ses_bp_location *location)
{
    json_t *object = json_object();
    cli_json_place(object, "address", location->place, location->spot.addr);
    cli_json_text(object, "function", location->spot.function);
    cli_json_text(object, "file", location->spot.file_name);
    cli_json_text(object, "fullname", location->spot.file);
    if (location->spot.line)
        json_object_set_new(object, "line", json_integer(location->spot.line));
    json_object_set_new(object, "enabled", json_boolean(location->enabled));
    return object;
}

static json_t *breakpoint_object(const ses_breakpoint *bp)
{
    json_t *object = json_object(), *locations = json_array();
    json_object_set_new(object, "number", json_integer(bp->number));
    cli_json_text(object, "type", kind_word(bp));
    cli_json_text(object, "where", bp->where);
    json_object_set_new(object, "enabled", json_boolean(bp->enabled));
    json_object_set_new(object, "temporary", json_boolean(bp->temporary));
    json_object_set_new(object, "pending", json_boolean(bp->pending));
    json_object_set_new(object, "hits", json_integer(bp->hits));
    if (bp->ignore)
        json_object_set_new(object, "ignore", json_integer(bp->ignore));
    cli_json_text(object, "condition", bp->condition);
    cli_json_text(object, "commands", bp->commands);
    for (size_t i = 0; i < bp->n_locations; i++)
        json_array_append_new(locations, location_object(&bp->locations[i]));
    json_object_set_new(object, "locations", locations);
    return object;
}

/* ---- a new one -------------------------------------------------------------------------------- */

static void put_new_break(cli_text *text, const ses_breakpoint *bp)
{
    cli_putf(text, "%s %d ", bp->prints ? "Dprintf" : bp->temporary ? "Temporary breakpoint" : "Breakpoint", bp->number);
    if (bp->n_locations == 0) {
        cli_putf(text, "(%s) pending.\n", bp->where);
        return;
    }
    const sym_spot *spot = &bp->locations[0].spot;
    cli_put(text, "at ");
    cli_put_place(text, bp->locations[0].place, spot->addr, false);
    if (bp->n_locations > 1) {
        bool is_line = bp->where[strspn(bp->where, "0123456789")] == '\0' && spot->file;
        cli_putf(text, ": %s%s%s. (%zu locations)\n", is_line ? spot->file : "", is_line ? ":" : "", bp->where, bp->n_locations);
    } else if (spot->file_name && spot->line) {
        cli_put(text, ": file ");
        cli_put_style(text, CLI_STYLE_FILE, spot->file_name);
        cli_putf(text, ", line %u.\n", spot->line);
    } else {
        cli_put(text, "\n");
    }
}

static const char *watch_words(const ses_breakpoint *bp)
{
    switch (bp->kind) {
    case SES_BP_RWATCH: return bp->hardware ? "Hardware read watchpoint" : "Read watchpoint";
    case SES_BP_AWATCH: return bp->hardware ? "Hardware access (read/write) watchpoint" : "Access (read/write) watchpoint";
    default: return bp->hardware ? "Hardware watchpoint" : "Watchpoint";
    }
}

void cli_view_left_out(cli_reply *reply, size_t n, const char *what)
{
    if (n == 0)
        return;
    cli_putf(&reply->text, "%zu more %s%s match%s and %s left out: a longer regular expression finds fewer.\n", n, what, n == 1 ? "" : "s",
             n == 1 ? "es" : "", n == 1 ? "is" : "are");
    cli_field_int(reply, "left_out", (long long)n);
}

void cli_view_new_breakpoint(cli_reply *reply, const ses_breakpoint *bp)
{
    if (bp->exception)
        cli_putf(&reply->text, "%s %d (%s)\n", bp->temporary ? "Temporary catchpoint" : "Catchpoint", bp->number, bp->exception);
    else if (bp->kind == SES_BP_BREAK)
        put_new_break(&reply->text, bp);
    else if (cli_is_watch(bp->kind))
        cli_putf(&reply->text, "%s %d: %s\n", watch_words(bp), bp->number, bp->where);
    else
        cli_putf(&reply->text, "Catchpoint %d (%s)\n", bp->number, bp->where);
    cli_field_json(reply, "breakpoint", breakpoint_object(bp));
}

/* ---- info breakpoints ------------------------------------------------------------------------- */

int cli_breakpoint_type_width(const ses_breakpoint *bp)
{
    int n = (int)strlen(kind_word(bp));
    return n > 14 ? n : 14;
}

void cli_view_breakpoint_heading(cli_text *text, int type_width)
{
    cli_put_stylef(text, CLI_STYLE_TITLE, "%-7s %-*s %-4s %-3s %-18s %s", "Num", type_width, "Type",
                   "Disp", "Enb", "Address", "What");
    cli_put(text, "\n");
}

static void put_place(cli_text *text, const ses_bp_location *location)
{
    const sym_spot *spot = &location->spot;
    cli_put_place(text, location->place, spot->addr, true);
    for (size_t n = location->place ? strlen(location->place) : ADDRESS_WIDTH; n < ADDRESS_WIDTH; n++)
        cli_put(text, " ");
    if (spot->function && !location->place) {
        cli_put(text, spot->line ? " in " : " <");
        cli_put_style(text, CLI_STYLE_FUNCTION, spot->function);
        if (!spot->line)
            cli_put(text, ">");
    }
    if (spot->file_name && spot->line) {
        cli_put(text, " at ");
        cli_put_style(text, CLI_STYLE_FILE, spot->file_name);
        cli_putf(text, ":%u", spot->line);
    }
    cli_put(text, "\n");
}

static void put_what(cli_text *text, const ses_breakpoint *bp)
{
    if (bp->exception)
        cli_putf(text, "%-18s exception %s\n%s%s%s", "", bp->exception, bp->exception_type ? "\tmatching: " : "",
                 bp->exception_type ? bp->exception_type : "", bp->exception_type ? "\n" : "");
    else if (bp->kind != SES_BP_BREAK)
        cli_putf(text, "%-18s %s\n", "", bp->where);
    else if (bp->n_locations == 0)
        cli_putf(text, "%-18s %s\n", "<PENDING>", bp->where);
    else if (bp->n_locations > 1)
        cli_putf(text, "%-18s \n", "<MULTIPLE>");
    else
        put_place(text, &bp->locations[0]);
}

static void put_conditions(cli_text *text, const ses_breakpoint *bp)
{
    if (bp->condition)
        cli_putf(text, "\tstop only if %s\n", bp->condition);
    if (bp->thread)
        cli_putf(text, "\tstop only in %s\n", bp->thread_words);
    if (bp->hits)
        cli_putf(text, "\tbreakpoint already hit %u time%s\n", bp->hits, bp->hits == 1 ? "" : "s");
    if (bp->ignore)
        cli_putf(text, "\tignore next %u hits\n", bp->ignore);
    if (bp->stops_left > 1)
        cli_putf(text, "\tdisable after next %u hits\n", bp->stops_left);
    if (bp->prints)
        cli_putf(text, "        printf %s\n", bp->prints);
    for (const char *at = bp->commands ? bp->commands : ""; *at;) {
        size_t n = strcspn(at, "\n");
        cli_putf(text, "        %.*s\n", (int)n, at);
        at += n + (at[n] == '\n');
    }
}

json_t *cli_view_breakpoint(cli_text *text, const ses_breakpoint *bp, int type_width)
{
    cli_putf(text, "%-7d %-*s %-4s %-3s ", bp->number, type_width, kind_word(bp),
             bp->temporary ? "del" : bp->after == SES_BP_AFTER_DISABLE ? "dis" : "keep", bp->enabled ? "y" : "n");
    put_what(text, bp);
    put_conditions(text, bp);
    if (bp->kind == SES_BP_BREAK && bp->n_locations > 1 && !bp->exception) {
        for (size_t i = 0; i < bp->n_locations; i++) {
            char number[32];
            snprintf(number, sizeof number, "%d.%zu", bp->number, i + 1);
            cli_putf(text, "%-7s %-*s %-4s %-3s ", number, type_width, "", "",
                     bp->locations[i].enabled ? "y" : "n");
            put_place(text, &bp->locations[i]);
        }
    }
    return breakpoint_object(bp);
}
