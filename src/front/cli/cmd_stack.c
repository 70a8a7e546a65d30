/* cmd_stack.c - frames: backtrace, selecting, doing things in several of them. */
#include "base/text.h"
#include "front/cli/apply.h"
#include "front/cli/args.h"
#include "front/cli/handlers.h"
#include "front/cli/output.h"
#include "front/cli/signals.h"
#include "front/cli/view.h"

#include <limits.h>
#include <regex.h>
#include <string.h>

/* ---- backtrace -------------------------------------------------------------------------------- */

typedef struct frame_range {
    unsigned first, n;
    bool more_follow;
} frame_range;

/* "5": the innermost five, "-5": the outermost five, "": all. */
static ebb_status which_frames(cli *c, const char *args, frame_range *range, ebb_error *err)
{
    unsigned limit = cli_setting_count(c, "backtrace limit", 0);
    *range = (frame_range){0, limit ? limit : UINT_MAX, false};
    if (*args == '\0')
        return EBB_OK;
    unsigned count;
    bool outermost = *args == '-';
    ebb_status status = cli_count(c, args + outermost, &count, err);
    if (status != EBB_OK)
        return status;
    range->n = count;
    if (outermost) {
        unsigned depth = ses_frame_depth(c->session, UINT_MAX);
        range->first = depth > count ? depth - count : 0;
    }
    return EBB_OK;
}

static void add_locals(cli *c, cli_text *text, unsigned level, json_t *frame_object)
{
    ebb_arena arena = {0};
    ses_named_values locals = {0};
    if (ses_frame_locals(c->session, &arena, level, &locals, NULL) == EBB_OK)
        json_object_set_new(frame_object, "locals",
                            cli_view_values(text, &locals, "        ", "No locals."));
    ebb_vec_fini(&locals);
    ebb_arena_fini(&arena);
}

ebb_status cli_cmd_backtrace(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    const char *args = call->args;
    bool full = cli_take_word(&args, "full") || cli_take_word(&args, "-full");
    frame_range range;
    ebb_status status = which_frames(c, args, &range, err);
    if (status != EBB_OK)
        return status;
    json_t *list = json_array();
    unsigned i = 0;
    const ses_frame *frame;
    while (i < range.n && !cli_signal_interrupted() &&
           ses_frame_get(c->session, range.first + i, &frame, NULL) == EBB_OK) {
        json_t *object =
            cli_view_frame(c, &reply->text, frame, CLI_FRAME_LEVEL | CLI_FRAME_LOCATION);
        if (full)
            add_locals(c, &reply->text, range.first + i, object);
        json_array_append_new(list, object);
        i++;
    }
    cli_field_json(reply, "frames", list);
    if (i == 0 && range.first == 0 && ses_frame_get(c->session, 0, &frame, NULL) != EBB_OK)
        cli_put(&reply->text, "No stack.\n");
    if (cli_signal_interrupted())
        cli_put(&reply->text, "Quit\n");
    else if (i == range.n && ses_frame_get(c->session, range.first + i, &frame, NULL) == EBB_OK) {
        cli_put(&reply->text, "(More stack frames follow...)\n");
        cli_field_bool(reply, "more", true);
    } else if (ses_frame_stop_reason(c->session)) {
        cli_putf(&reply->text, "Backtrace stopped: %s\n", ses_frame_stop_reason(c->session));
        cli_field_text(reply, "stopped", ses_frame_stop_reason(c->session));
    }
    return EBB_OK;
}

/* ---- selecting -------------------------------------------------------------------------------- */

static ebb_status show_selected(cli *c, cli_reply *reply, ebb_error *err)
{
    const ses_frame *frame;
    ebb_status status = ses_frame_selected(c->session, &frame, err);
    if (status != EBB_OK)
        return status;
    ses_list_forget(c->session);
    cli_field_json(reply, "frame",
                   cli_view_frame(c, &reply->text, frame,
                                  CLI_FRAME_LEVEL | CLI_FRAME_LOCATION | CLI_FRAME_SOURCE));
    return EBB_OK;
}

static ebb_status select_level(cli *c, uint64_t level, cli_reply *reply, ebb_error *err)
{
    const ses_frame *frame;
    if (level > INT_MAX || ses_frame_get(c->session, (unsigned)level, &frame, NULL) != EBB_OK)
        return ebb_fail(err, EBB_NOT_FOUND, "No frame at level %llu.", (unsigned long long)level);
    ebb_status status = ses_frame_select(c->session, (unsigned)level, err);
    return status == EBB_OK ? show_selected(c, reply, err) : status;
}

ebb_status cli_cmd_frame(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    if (*call->args == '\0')
        return show_selected(c, reply, err);
    uint64_t level;
    ebb_status status = ses_evaluate_u64(c->session, call->args, &level, err);
    return status == EBB_OK ? select_level(c, level, reply, err) : status;
}

/* Java's names begin with those of classes and packages, which may be left out, as `break` has it. */
static bool is_end_of(const char *name, const char *typed)
{
    size_t n = strlen(name), m = strlen(typed);
    return m > 0 && n > m && strchr(".$", name[n - m - 1]) && strcmp(name + n - m, typed) == 0;
}

ebb_status cli_cmd_frame_function(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    const ses_frame *frame;
    for (int whole = 1; whole >= 0; whole--)
        for (unsigned i = 0; ses_frame_get(c->session, i, &frame, NULL) == EBB_OK; i++)
            if (frame->name && (whole ? strcmp(frame->name, call->args) == 0 : is_end_of(frame->name, call->args)))
                return select_level(c, i, reply, err);
    return ebb_fail(err, EBB_NOT_FOUND, "No frame for function \"%.100s\".", call->args);
}

static ebb_status selected_level(cli *c, unsigned *level, ebb_error *err)
{
    const ses_frame *frame;
    ebb_status status = ses_frame_selected(c->session, &frame, err);
    if (status == EBB_OK)
        *level = frame->level;
    return status;
}

ebb_status cli_cmd_up(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    unsigned count, level;
    EBB_TRY(cli_count(c, call->args, &count, err));
    EBB_TRY(selected_level(c, &level, err));
    unsigned to = level;
    const ses_frame *frame;
    while (count-- && ses_frame_get(c->session, to + 1, &frame, NULL) == EBB_OK)
        to++;
    if (to == level)
        return ebb_fail(err, EBB_NOT_FOUND, "Initial frame selected; you cannot go up.");
    return select_level(c, to, reply, err);
}

ebb_status cli_cmd_down(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    unsigned count, level;
    EBB_TRY(cli_count(c, call->args, &count, err));
    EBB_TRY(selected_level(c, &level, err));
    if (level == 0)
        return ebb_fail(err, EBB_NOT_FOUND,
                        "Bottom (innermost) frame selected; you cannot go down.");
    return select_level(c, count > level ? 0 : level - count, reply, err);
}

/* ---- apply ------------------------------------------------------------------------------------ */

static ebb_status apply_in_frame(cli *c, unsigned level, unsigned part, void *data, ebb_error *err)
{
    const cli_applied *apply = data;
    const ses_frame *frame;
    ebb_status status = ses_frame_select(c->session, level, err);
    if (status == EBB_OK)
        status = ses_frame_selected(c->session, &frame, err);
    if (status != EBB_OK)
        return status;
    cli_heading heading = {.word = "frame", .fields = json_object()};
    json_object_set_new(heading.fields, "frame", cli_view_frame(c, &heading.text, frame, CLI_FRAME_LEVEL | CLI_FRAME_LOCATION));
    status = cli_apply(c, apply, &heading, err);
    cli_text_fini(&heading.text);
    return status;
}

/* Every frame from `first` on, at most n of them. */
static ebb_status apply_in_range(cli *c, unsigned first, unsigned n, const cli_applied *apply,
                                 ebb_error *err)
{
    ebb_status status = EBB_OK;
    const ses_frame *frame;
    for (unsigned i = 0; status == EBB_OK && i < n && !cli_signal_pending() &&
                         ses_frame_get(c->session, first + i, &frame, NULL) == EBB_OK;
         i++)
        status = apply_in_frame(c, first + i, 0, (void *)apply, err);
    return status;
}

/* "all COMMAND", "3 COMMAND", "-3 COMMAND", "level 1-3 COMMAND". */
static ebb_status apply_to_frames(cli *c, const char *args, ebb_error *err)
{
    cli_applied apply = {0};
    bool all = cli_take_word(&args, "all");
    bool levels = !all && cli_take_word(&args, "level");
    const char *list = args;
    if (levels)
        args += cli_numbers_length(args);
    else if (!all)
        args += strcspn(args, " \t");
    char *numbers = ebb_strndup(list, all ? 0 : (size_t)(args - list));
    args = ebb_text_skip_space(args);
    cli_apply_options(&args, &apply.options);
    apply.command = args;
    frame_range range = {0, UINT_MAX, false};
    ebb_status status = EBB_OK;
    if (*args == '\0')
        status =
            ebb_fail(err, EBB_BAD_INPUT,
                     "Say which frames and what to do there: frame apply all|N|level LIST COMMAND");
    else if (levels)
        status = cli_for_numbers(c, numbers, apply_in_frame, &apply, err);
    else
        status = which_frames(c, ebb_text_rtrim(numbers), &range, err);
    if (status == EBB_OK && !levels)
        status = apply_in_range(c, range.first, range.n, &apply, err);
    free(numbers);
    return status;
}

ebb_status cli_cmd_frame_apply(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    cli_selection selection = cli_selection_get(c);
    ebb_status status = apply_to_frames(c, call->args, err);
    cli_selection_restore(c, &selection);
    return status;
}

ebb_status cli_cmd_faas(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return cli_apply_all_silently(c, cli_cmd_frame_apply, call, reply, err);
}

/* ---- info ------------------------------------------------------------------------------------- */

typedef ebb_status frame_values(session *s, ebb_arena *arena, unsigned level, ses_named_values *out,
                                ebb_error *err);

static ebb_status args_of(session *s, ebb_arena *arena, unsigned level, ses_named_values *out,
                          ebb_error *err)
{
    return ses_frame_args(s, arena, level, false, out, err);
}

/* Keeps the values whose names match. */
static ebb_status filter_values(ses_named_values *values, const char *regex, ebb_error *err)
{
    regex_t pattern;
    if (regcomp(&pattern, regex, REG_EXTENDED | REG_NOSUB) != 0)
        return ebb_fail(err, EBB_BAD_INPUT, "Not a regular expression: \"%.100s\".", regex);
    size_t kept = 0;
    for (size_t i = 0; i < values->n; i++)
        if (regexec(&pattern, values->items[i].name, 0, NULL, 0) == 0)
            values->items[kept++] = values->items[i];
    values->n = kept;
    regfree(&pattern);
    return EBB_OK;
}

typedef struct value_list {
    frame_values *get;
    const char *key;  /* in the answer's fields */
    const char *none; /* the words for an empty one */
} value_list;

static ebb_status show_values(cli *c, const value_list *list, const char *regex, cli_reply *reply, ebb_error *err)
{
    unsigned level;
    ebb_arena arena = {0};
    ses_named_values values = {0};
    ebb_status status = selected_level(c, &level, err);
    if (status == EBB_OK)
        status = list->get(c->session, &arena, level, &values, err);
    if (status == EBB_OK && *regex)
        status = filter_values(&values, regex, err);
    if (status == EBB_OK)
        cli_field_json(reply, list->key, cli_view_values(&reply->text, &values, "", list->none));
    ebb_vec_fini(&values);
    ebb_arena_fini(&arena);
    return status;
}

ebb_status cli_cmd_info_locals(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    static const value_list locals = {.get = ses_frame_locals, .key = "locals", .none = "No locals."};
    return show_values(c, &locals, call->args, reply, err);
}

ebb_status cli_cmd_info_args(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    static const value_list args = {.get = args_of, .key = "args", .none = "No arguments."};
    return show_values(c, &args, call->args, reply, err);
}

ebb_status cli_cmd_info_frame(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    cli_selection selection = cli_selection_get(c);
    uint64_t level = selection.level;
    ebb_status status = EBB_OK;
    if (*call->args)
        status = ses_evaluate_u64(c->session, call->args, &level, err);
    if (status == EBB_OK && level > INT_MAX)
        status = ebb_fail(err, EBB_NOT_FOUND, "No frame at level %llu.", (unsigned long long)level);
    if (status == EBB_OK)
        status = ses_frame_select(c->session, (unsigned)level, err);
    if (status == EBB_OK)
        status = ses_info_frame(c->session, &reply->text.bytes, err);
    cli_selection_restore(c, &selection);
    return status;
}
