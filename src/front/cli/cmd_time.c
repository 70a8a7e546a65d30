/* cmd_time.c - going back in time.  What moves asks the session, which asks the timeline: over a machine
 * that keeps no history these answer that there is none. */
#include "base/file.h"
#include "base/text.h"
#include "front/cli/args.h"
#include "front/cli/flow_svg.h"
#include "front/cli/handlers.h"
#include "front/cli/signals.h"
#include "front/cli/view.h"
#include "session/settings.h"
#include "session/time.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

ebb_status cli_cmd_when(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    bool to_instruction = strcmp(call->args, "-i") == 0;
    if (*call->args && !to_instruction)
        return ebb_fail(err, EBB_BAD_INPUT, "\"when\" takes -i or nothing.");
    char *position;
    ebb_status status = ses_when(c->session, to_instruction, &position, err);
    if (status != EBB_OK)
        return status;
    cli_putf(&reply->text, "%s\n", position);
    cli_field_text(reply, "position", position);
    free(position);
    return EBB_OK;
}

ebb_status cli_cmd_goto(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ses_stop stop = {0};
    ebb_status status = ses_goto(c->session, call->args, &stop, err);
    if (status == EBB_OK)
        cli_view_stop(c, reply, &stop);
    return status;
}

/* ---- bookmarks -------------------------------------------------------------------------------- */

/* "NAME -- NOTE", each of which may be missing.  Cuts `args` in place. */
static void split_bookmark(char *args, const char **name, const char **note)
{
    *name = args;
    *note = NULL;
    char *dashes = strncmp(args, "--", 2) == 0 ? args : strstr(args, " --");
    if (dashes) {
        *note = ebb_text_skip_space(dashes + (*dashes == ' ' ? 3 : 2));
        *dashes = '\0';
    }
    ebb_text_rtrim(args);
    if (**name == '\0')
        *name = NULL;
}

static json_t *view_bookmark(cli_text *text, const ses_bookmark *mark)
{
    json_t *object = json_object();
    cli_json_text(object, "name", mark->name);
    cli_json_text(object, "position", mark->position);
    cli_json_text(object, "note", mark->note);
    cli_put_style(text, CLI_STYLE_NAME, mark->name);
    cli_putf(text, "\t%s%s%s\n", mark->position, *mark->note ? "\t" : "", mark->note);
    return object;
}

ebb_status cli_cmd_bookmark(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ebb_arena arena = {0};
    const char *name, *note;
    ses_bookmark mark;
    split_bookmark(ebb_arena_strdup(&arena, call->args), &name, &note);
    ebb_status status = ses_bookmark_set(c->session, &arena, name, note, &mark, err);
    if (status == EBB_OK) {
        cli_put(&reply->text, "Bookmark ");
        cli_field_json(reply, "bookmark", view_bookmark(&reply->text, &mark));
    }
    ebb_arena_fini(&arena);
    return status;
}

ebb_status cli_cmd_delete_bookmark(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return ses_bookmark_delete(c->session, call->args, err);
}

ebb_status cli_cmd_info_bookmarks(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ebb_arena arena = {0};
    ses_bookmarks marks = {0};
    json_t *list = json_array();
    ses_bookmark_list(c->session, &arena, &marks);
    if (marks.n == 0)
        cli_put(&reply->text, "No bookmarks.\n");
    for (size_t i = 0; i < marks.n; i++)
        json_array_append_new(list, view_bookmark(&reply->text, &marks.items[i]));
    cli_field_json(reply, "bookmarks", list);
    ebb_vec_fini(&marks);
    ebb_arena_fini(&arena);
    return EBB_OK;
}

/* ---- questions -------------------------------------------------------------------------------- */

ebb_status cli_cmd_last_write(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ses_stop stop = {0};
    ebb_status status = ses_last_write(c->session, call->args, &stop, err);
    if (status == EBB_OK)
        cli_view_stop(c, reply, &stop);
    return status;
}

ebb_status cli_cmd_bisect(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ses_stop stop = {0};
    ebb_status status = ses_bisect(c->session, call->args, &stop, err);
    if (status == EBB_OK)
        cli_view_stop(c, reply, &stop);
    return status;
}

static void add_past_value(cli_reply *reply, const ses_past_value *value)
{
    cli_row_begin(reply);
    cli_row_text(reply, "value", value->value);
    cli_row_text(reply, "position", value->position);
    cli_row_bool(reply, "first", value->is_first);
    cli_row_bool(reply, "new", value->is_new);
    cli_row_bool(reply, "oldest_known", value->is_oldest);
    cli_row_end(reply);
}

static void put_past_value(cli_text *text, const ses_past_value *value)
{
    const char *came = value->is_first      ? " (at the beginning of history)"
                       : value->is_oldest   ? " (what was there before is not known)"
                       : value->is_argument ? " (passed by the call)"
                       : value->is_static   ? " (the class was prepared)"
                       : value->is_new      ? " (the object was made)"
                                            : "";
    const char *const parts[] = {value->position, "\t", value->value, came, "\n"}; /* cli_putf takes three times as long */
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        cli_put(text, parts[i]);
}

/* There may be a million: making text or rows of them takes longer than finding them, so only what is shown is made. */
static void view_past_values(const cli *c, cli_reply *reply, const ses_past_values *values)
{
    cli_rows_begin(reply, "values");
    if (values->n == 0)
        cli_put(&reply->text, "It has had no value up to now.\n");
    for (size_t i = 0; i < values->n && !cli_signal_ending(); i++) {
        if (c->is_json)
            add_past_value(reply, &values->items[i]);
        else
            put_past_value(&reply->text, &values->items[i]);
    }
}

ebb_status cli_cmd_values(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ebb_arena arena = {0};
    ses_past_values values = {0};
    ebb_status status = ses_values(c->session, &arena, call->args, &values, err);
    if (status == EBB_OK)
        view_past_values(c, reply, &values);
    ebb_vec_fini(&values);
    ebb_arena_fini(&arena);
    return status;
}

static void put_link(cli_text *text, const ses_origin_link *link)
{
    int indent = 4 * (int)link->depth;
    if (link->position)
        cli_putf(text, "%*s#%-2u %s\t", indent, "", link->number, link->position);
    else
        cli_putf(text, "%*s", indent, "");
    if (link->text)
        cli_putf(text, "%s%s%s", link->text, *link->text ? "\t" : "", link->what);
    else if (link->value_high)
        cli_putf(text, "0x%llx%016llx\t%s", (unsigned long long)link->value_high, (unsigned long long)link->value, link->what);
    else
        cli_putf(text, "%llu\t%s", (unsigned long long)link->value, link->what);
    if (link->file)
        cli_putf(text, "\n%*s\t%s%sat %s:%u", indent, "", link->function ? link->function : "", link->function ? " " : "", link->file, link->line);
    if (link->source)
        cli_putf(text, "\t%s", link->source);
    cli_put(text, "\n");
}

/* As addresses are, with as many digits as it takes. */
static void put_number_json(json_t *object, const ses_origin_link *link)
{
    char text[40];
    snprintf(text, sizeof text, "0x%llx%016llx", (unsigned long long)link->value_high, (unsigned long long)link->value);
    if (link->value_high)
        cli_json_text(object, "value", text);
    else
        cli_json_address(object, "value", link->value);
}

json_t *cli_link_json(const ses_origin_link *link)
{
    json_t *object = json_object();
    cli_json_text(object, "kind", ses_origin_word(link->kind));
    cli_json_text(object, "position", link->position);
    json_object_set_new(object, "number", json_integer((json_int_t)link->number));
    if (link->depth > 0)
        json_object_set_new(object, "depth", json_integer((json_int_t)link->depth));
    if (link->text) {
        cli_json_text(object, "value", link->text);
    } else {
        put_number_json(object, link);
        json_object_set_new(object, "bytes", json_integer((json_int_t)link->nbytes));
    }
    cli_json_text(object, "what", link->what);
    cli_json_text(object, "function", link->function);
    cli_json_text(object, "file", link->file);
    if (link->file)
        json_object_set_new(object, "line", json_integer((json_int_t)link->line));
    cli_json_text(object, "source", link->source);
    return object;
}

/* `is_own`: only those in the program's own code. */
static void view_links(cli *c, cli_reply *reply, ses_origin_links *links, bool is_own)
{
    json_t *list = json_array();
    size_t left_out = is_own ? ses_origin_keep_own(c->session, links) : 0;
    for (size_t i = 0; i < links->n; i++) {
        put_link(&reply->text, &links->items[i]);
        json_array_append_new(list, cli_link_json(&links->items[i]));
    }
    cli_field_json(reply, "links", list);
    if (left_out > 0) {
        cli_putf(&reply->text, "(%zu more in code that steps pass through: without --own they are told, too)\n", left_out);
        cli_field_int(reply, "left_out", (long long)left_out);
    }
}

ebb_status cli_cmd_origin(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ebb_arena arena = {0};
    ses_origin_links links = {0};
    const char *args = call->args;
    bool is_own = cli_take_word(&args, "--own");
    ebb_status status = ses_origin(c->session, &arena, args, &links, err);
    view_links(c, reply, &links, is_own);
    ebb_vec_fini(&links);
    ebb_arena_fini(&arena);
    return status;
}

/* "--svg FILE EXPR": cuts `args` in place.  NULL: no picture is wanted. */
static const char *take_svg(char **args)
{
    const char *at = *args;
    if (!cli_take_word(&at, "--svg"))
        return NULL;
    char *file = *args + (at - *args), *end = file + strcspn(file, " \t");
    *args = (char *)ebb_text_skip_space(end);
    *end = '\0';
    return file;
}

static ebb_status draw_flow(cli *c, ebb_arena *arena, const char *file, const ses_origin_links *links, ebb_error *err)
{
    ses_call_tree tree = {0};
    ebb_status status = ses_call_tree_make(c->session, arena, links, &tree, err);
    if (status == EBB_OK)
        status = cli_flow_svg(file, links, &tree, err);
    ses_call_tree_fini(&tree);
    return status;
}

ebb_status cli_cmd_flow(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ebb_arena arena = {0};
    ses_origin_links links = {0};
    const char *args = call->args;
    bool is_own = cli_take_word(&args, "--own");
    char *expression = ebb_arena_strdup(&arena, args);
    const char *file = take_svg(&expression);
    ebb_status status = ses_flow(c->session, &arena, expression, &links, err);
    if (is_own && file)
        ses_origin_keep_own(c->session, &links);
    if (status == EBB_OK && file)
        status = draw_flow(c, &arena, file, &links, err);
    if (file && status == EBB_OK)
        cli_putf(&reply->text, "Drew %zu moves to %s.\n", links.n, file);
    else
        view_links(c, reply, &links, is_own);
    ebb_vec_fini(&links);
    ebb_arena_fini(&arena);
    return status;
}

/* "not LINE", "-- OUTPUT", or an expression. */
static ses_question why_question(const char *args)
{
    const char *at = args;
    if (strncmp(args, "--", 2) == 0 && (args[2] == ' ' || args[2] == '\0'))
        return (ses_question){SES_WHY_PRINTED, args + 2 + (args[2] == ' ')};
    if (cli_take_word(&at, "not"))
        return (ses_question){SES_WHY_NOT, at};
    return (ses_question){SES_WHY_VALUE, args};
}

ebb_status cli_cmd_why(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ebb_arena arena = {0};
    ses_origin_links links = {0};
    const char *args = call->args;
    bool is_own = cli_take_word(&args, "--own");
    ses_question question = why_question(args);
    ebb_status status = ses_why(c->session, &arena, &question, &links, err);
    view_links(c, reply, &links, is_own);
    ebb_vec_fini(&links);
    ebb_arena_fini(&arena);
    return status;
}

ebb_status cli_cmd_as_of(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    expr_format format = ses_default_format(c->session);
    const char *at = call->args;
    ebb_arena arena = {0};
    ebb_status status = cli_take_format(&at, "as-of", &format, err);
    char *position = ebb_arena_strdup(&arena, at);
    char *expression = position + strcspn(position, " \t");
    if (*expression)
        *expression++ = '\0';
    expression = (char *)ebb_text_skip_space(expression);
    if (status == EBB_OK && *expression == '\0')
        status = ebb_fail(err, EBB_BAD_INPUT, "as-of POSITION EXPR: the moment (as `when` tells it), and what to print of it.");
    if (status == EBB_OK)
        status = ses_as_of(c->session, position, expression, &format, &reply->text.bytes, err);
    if (status == EBB_OK) {
        cli_field_text(reply, "value", ebb_buf_text(&reply->text.bytes));
        cli_put(&reply->text, "\n");
    }
    ebb_arena_fini(&arena);
    return status;
}

/* ---- history itself --------------------------------------------------------------------------- */

ebb_status cli_cmd_branch(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ses_stop stop = {0};
    ebb_buf undone = {0};
    ebb_status status = ses_branch(c->session, &undone, &stop, err);
    if (status == EBB_OK) {
        cli_put(&reply->text, "From here on the program runs live; the recorded future is dropped.\n");
        if (undone.n) {
            cli_putf(&reply->text, "What could not be put back:\n%s", ebb_buf_text(&undone));
            cli_field_text(reply, "not_undone", ebb_buf_text(&undone));
        }
        cli_view_stop(c, reply, &stop);
    }
    ebb_buf_fini(&undone);
    return status;
}

ebb_status cli_cmd_save(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ebb_status status = ses_save(c->session, call->args, err);
    if (status != EBB_OK)
        return status;
    cli_putf(&reply->text, "Saved the recording to %s.\n", call->args);
    cli_field_text(reply, "file", call->args);
    return EBB_OK;
}

ebb_status cli_cmd_schedule_save(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    EBB_TRY(ses_save_schedule(c->session, call->args, err));
    cli_putf(&reply->text, "Saved the schedule to %s.\n", call->args);
    cli_field_text(reply, "file", call->args);
    return EBB_OK;
}

ebb_status cli_cmd_schedule_show(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ebb_buf text = {0};
    int file = memfd_create("schedule", MFD_CLOEXEC);
    char *path = ebb_asprintf("/proc/%d/fd/%d", (int)getpid(), file);
    ebb_status status = ses_save_schedule(c->session, path, err);
    if (status == EBB_OK)
        status = ebb_file_read(path, &text, err);
    if (status == EBB_OK) {
        cli_put(&reply->text, ebb_buf_text(&text));
        cli_field_text(reply, "schedule", ebb_buf_text(&text));
    }
    ebb_buf_fini(&text);
    free(path);
    close(file);
    return status;
}

static const char *mode_word(cli *c)
{
    return ses_get_mode(c->session) == SES_MODE_VM ? "vm" : "native";
}

static void put_size(cli_text *text, uint64_t nbytes)
{
    const char *units[] = {"bytes", "KiB", "MiB", "GiB"};
    double size = (double)nbytes;
    size_t unit = 0;
    for (; size >= 1024 && unit < 3; unit++)
        size /= 1024;
    cli_putf(text, unit ? "%.1f %s" : "%.0f %s", size, units[unit]);
}

static void view_undo(cli_text *text, const ses_history_info *info)
{
    if (!info->undo_limit) {
        cli_put(text, "Undo log: none.\n");
        return;
    }
    cli_put(text, "Undo log: ");
    put_size(text, info->undo_nbytes);
    cli_put(text, " of ");
    put_size(text, info->undo_limit);
    if (info->undo_oldest == UINT64_MAX)
        cli_put(text, ", empty");
    else
        cli_putf(text, ", back to %llu", (unsigned long long)info->undo_oldest);
    if (info->undo_cut_by)
        cli_putf(text, " (cut by %s)", info->undo_cut_by);
    cli_put(text, ".\n");
}

static void view_gaps(cli_reply *reply, const ses_history_info *info)
{
    if (info->begins_after)
        cli_putf(&reply->text, "It begins there because %s.\n", info->begins_after);
    if (info->ended_by)
        cli_putf(&reply->text, "Nothing is recorded any more, because %s.\n", info->ended_by);
    if (info->doubt)
        cli_putf(&reply->text, "It may be wrong: %s.\n", info->doubt);
    cli_field_text(reply, "begins_after", info->begins_after);
    cli_field_text(reply, "ended_by", info->ended_by);
    cli_field_text(reply, "doubt", info->doubt);
}

/* What is chosen by the settings beside `flow`, as far as it is not the usual. */
static void put_alias_choices(cli *c, cli_text *text)
{
    static const struct { const char *setting, *usual; } choices[] = {{"flow-classes", ""}, {"flow-kinds", ""}, {"flow-origins", "on"}, {"flow-predecessors", "on"}};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        const char *value = ses_setting_text(c->session, choices[i].setting);
        if (strcmp(value, choices[i].usual) != 0)
            cli_putf(text, ", %s %s", choices[i].setting, value);
    }
}

/* Nothing is said where none are kept. */
static void view_aliases(cli *c, cli_reply *reply, const ses_aliases_info *aliases)
{
    cli_text *text = &reply->text;
    if (!aliases->is_on)
        return;
    cli_putf(text, "Aliases (flow %s", aliases->kept);
    put_alias_choices(c, text);
    cli_putf(text, "): %llu in ", (unsigned long long)aliases->alive);
    put_size(text, aliases->nbytes);
    cli_putf(text, " of %s, %llu made since %llu%s.\n", ses_setting_text(c->session, "flow-limit"), (unsigned long long)aliases->made, (unsigned long long)aliases->since,
             aliases->is_cut ? "; the oldest did not fit and are forgotten" : "");
    cli_field_text(reply, "flow", aliases->kept);
    cli_field_int(reply, "flow_since", (long long)aliases->since);
    cli_field_int(reply, "aliases", (long long)aliases->alive);
    cli_field_int(reply, "alias_bytes", (long long)aliases->nbytes);
    cli_field_int(reply, "aliases_made", (long long)aliases->made);
    cli_field_bool(reply, "aliases_cut", aliases->is_cut);
}

static void view_history(cli *c, cli_reply *reply, const ses_history_info *info)
{
    cli_text *text = &reply->text;
    cli_putf(text, "History from %llu to %llu; now is %llu (%s).\n", (unsigned long long)info->oldest,
             (unsigned long long)info->newest, (unsigned long long)info->now, info->state);
    view_gaps(reply, info);
    cli_put(text, "Recording: ");
    put_size(text, info->recording_nbytes);
    if (info->n_verified)
        cli_putf(text, ", %llu states compared on the way here", (unsigned long long)info->n_verified);
    cli_putf(text, ".\nSnapshots: %zu, ", info->n_snapshots);
    put_size(text, info->snapshot_nbytes);
    cli_put(text, " of their own.\n");
    view_undo(text, info);
    view_aliases(c, reply, &info->aliases);
    cli_field_int(reply, "oldest", (long long)info->oldest);
    cli_field_int(reply, "newest", (long long)info->newest);
    cli_field_int(reply, "now", (long long)info->now);
    cli_field_text(reply, "state", info->state);
    cli_field_int(reply, "recording_bytes", (long long)info->recording_nbytes);
    cli_field_int(reply, "states_compared", (long long)info->n_verified);
    cli_field_int(reply, "snapshots", (long long)info->n_snapshots);
    cli_field_int(reply, "snapshot_bytes", (long long)info->snapshot_nbytes);
    cli_field_int(reply, "undo_bytes", (long long)info->undo_nbytes);
    cli_field_int(reply, "undo_limit", (long long)info->undo_limit);
    if (info->undo_oldest != UINT64_MAX)
        cli_field_int(reply, "undo_oldest", (long long)info->undo_oldest);
    if (info->undo_cut_by)
        cli_field_text(reply, "undo_cut_by", info->undo_cut_by);
}

static void view_trade_offs(cli *c, cli_reply *reply)
{
    const char *unit = ses_setting_text(c->session, "unit"), *optimize = ses_setting_text(c->session, "optimize");
    cli_putf(&reply->text, "Unit: %s.\nOptimize: %s.\n", unit, optimize);
    cli_field_text(reply, "unit", unit);
    cli_field_text(reply, "optimize", optimize);
}

ebb_status cli_cmd_info_history(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ses_history_info info;
    ebb_status status = ses_history_info_get(c->session, &info, err);
    if (status != EBB_OK)
        return status;
    const char *mode = info.is_kept ? info.machine : mode_word(c);
    cli_putf(&reply->text, "Mode: %s.\n", mode);
    cli_field_text(reply, "mode", mode);
    view_trade_offs(c, reply);
    cli_field_bool(reply, "keeps_history", info.is_kept);
    if (info.is_kept)
        view_history(c, reply, &info);
    else if (info.runs_again)
        cli_put(&reply->text, "No history is kept: `goto`, `last-write`, `values` and `bisect` run the program again.\n");
    else
        cli_put(&reply->text, "No history is kept: the program runs forward only.\n");
    if (!info.is_kept)
        view_aliases(c, reply, &info.aliases);
    return EBB_OK;
}

ebb_status cli_cmd_mode(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    if (strcmp(call->args, "vm") == 0)
        ses_set_mode(c->session, SES_MODE_VM);
    else if (strcmp(call->args, "native") == 0)
        ses_set_mode(c->session, SES_MODE_NATIVE);
    else if (*call->args)
        return ebb_fail(err, EBB_BAD_INPUT, "No such mode: \"%.40s\" (native or vm).", call->args);
    cli_putf(&reply->text, "%s\n", mode_word(c));
    cli_field_text(reply, "mode", mode_word(c));
    return EBB_OK;
}

/* ---- info output ---- */

/* The last n lines of it; 0: all. */
static const char *last_lines(const ebb_buf *text, uint64_t n)
{
    const char *at = ebb_buf_text(text) + text->n;
    while (n > 0 && at > ebb_buf_text(text)) {
        at--;
        n -= at > ebb_buf_text(text) && at[-1] == '\n';
    }
    return n == 0 ? at : ebb_buf_text(text);
}

static void view_output(const ebb_buf *text, uint64_t n_lines, uint64_t total, cli_reply *reply)
{
    const char *shown = n_lines == 0 ? ebb_buf_text(text) : last_lines(text, n_lines);
    uint64_t left_out = total - (uint64_t)(ebb_buf_text(text) + text->n - shown);
    if (total == 0)
        cli_put(&reply->text, "It has printed nothing yet.\n");
    if (left_out > 0)
        cli_putf(&reply->text, "(%lu bytes before)\n", (unsigned long)left_out);
    cli_put(&reply->text, shown);
    if (text->n > 0 && text->data[text->n - 1] != '\n')
        cli_put(&reply->text, "\n");
    cli_field_text(reply, "output", shown);
    cli_field_int(reply, "total", (long long)total);
}

ebb_status cli_cmd_info_output(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    enum { USUAL_LINES = 10 };
    uint64_t n_lines = USUAL_LINES, total = 0;
    ebb_buf text = {0};
    if (*call->args && !ebb_text_to_u64(call->args, &n_lines))
        return ebb_fail(err, EBB_BAD_INPUT, "\"%.40s\" is no number of lines.", call->args);
    ebb_status status = ses_printed_by_now(c->session, &text, &total, err);
    if (status == EBB_OK)
        view_output(&text, n_lines, total, reply);
    ebb_buf_fini(&text);
    return status;
}
