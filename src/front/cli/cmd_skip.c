/* cmd_skip.c - functions and files that steps pass over. */
#include "base/text.h"
#include "front/cli/args.h"
#include "front/cli/handlers.h"
#include "front/cli/view.h"
#include "session/skip.h"

#include <stdlib.h>
#include <string.h>

typedef struct skip_option {
    const char *name, *long_name;
    bool is_file, is_pattern;
} skip_option;

static const skip_option options[] = {
    {"-fi", "-file", true, false}, {"-gfi", "-gfile", true, true}, {"-fu", "-function", false, false}, {"-rfu", "-rfunction", false, true}};

static const skip_option *find_option(const char *word)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strcmp(word, options[i].name) == 0 || strcmp(word, options[i].long_name) == 0)
            return &options[i];
    return NULL;
}

static char *take_word(const char **at)
{
    size_t n = strcspn(*at, " \t");
    char *word = ebb_strndup(*at, n);
    *at = ebb_text_skip_space(*at + n);
    return word;
}

static void wish_for(ses_skip *wish, const skip_option *option, char *taken)
{
    char **to = option->is_file ? &wish->file : &wish->function;
    free(*to);
    *to = taken;
    if (option->is_file)
        wish->file_is_pattern = option->is_pattern;
    else
        wish->function_is_regex = option->is_pattern;
}

static ebb_status read_options(const char *at, ses_skip *wish, ebb_error *err)
{
    while (*at == '-') {
        char *word = take_word(&at);
        const skip_option *option = find_option(word);
        ebb_status status = !option ? ebb_fail(err, EBB_BAD_INPUT, "Invalid skip option: %.40s", word)
                            : !*at  ? ebb_fail(err, EBB_BAD_INPUT, "Missing value for %.40s option.", word)
                                    : EBB_OK;
        free(word);
        if (status != EBB_OK)
            return status;
        wish_for(wish, option, take_word(&at));
    }
    if (*at && (wish->file || wish->function))
        return ebb_fail(err, EBB_BAD_INPUT, "Invalid argument: %.40s", at);
    if (*at)
        wish->function = ebb_strdup(at);
    return EBB_OK;
}

static void put_wish(cli_text *text, const ses_skip *wish)
{
    if (wish->function)
        cli_putf(text, "Function%s %s", wish->function_is_regex ? "(s)" : "", wish->function);
    if (wish->file)
        cli_putf(text, "%s%s %s", wish->function ? " in file" : "File", wish->file_is_pattern ? "(s)" : "", wish->file);
    cli_put(text, " will be skipped when stepping.\n");
}

/* Ends a handler; the wish's texts are freed. */
static ebb_status add(cli *c, ses_skip *wish, ebb_status status, cli_reply *reply, ebb_error *err)
{
    int number;
    if (status == EBB_OK)
        status = ses_skip_add(c->session, wish, &number, err);
    if (status == EBB_OK) {
        put_wish(&reply->text, wish);
        cli_field_int(reply, "number", number);
    }
    free(wish->file);
    free(wish->function);
    return status;
}

static ebb_status current_function(cli *c, ses_skip *wish, ebb_error *err)
{
    const ses_frame *frame;
    if (ses_get_state(c->session) != SES_STOPPED)
        return ebb_fail(err, EBB_BAD_INPUT, "No default function now.");
    EBB_TRY(ses_frame_selected(c->session, &frame, err));
    if (!frame->name)
        return ebb_fail(err, EBB_BAD_INPUT, "No function to skip.");
    const sym_function_info *info = frame->function ? sym_function_get_info(frame->function) : NULL;
    wish->function = ebb_strdup(info && info->full_name ? info->full_name : frame->name);
    return EBB_OK;
}

ebb_status cli_cmd_skip(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ses_skip wish = {0};
    ebb_status status = *call->args ? read_options(call->args, &wish, err) : current_function(c, &wish, err);
    return add(c, &wish, status, reply, err);
}

ebb_status cli_cmd_skip_function(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ses_skip wish = {.function = *call->args ? ebb_strdup(call->args) : NULL};
    ebb_status status = *call->args ? EBB_OK : current_function(c, &wish, err);
    return add(c, &wish, status, reply, err);
}

ebb_status cli_cmd_skip_file(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ses_skip wish = {.file = *call->args ? ebb_strdup(call->args) : NULL};
    const ses_frame *frame;
    ebb_status status = EBB_OK;
    if (!wish.file && (ses_get_state(c->session) != SES_STOPPED || ses_frame_selected(c->session, &frame, NULL) != EBB_OK || !frame->has_line))
        status = ebb_fail(err, EBB_BAD_INPUT, "No default file now.");
    else if (!wish.file)
        wish.file = ebb_strdup(frame->line.file);
    return add(c, &wish, status, reply, err);
}

static ebb_status alter(cli *c, const cli_call *call, ses_skip_change change, ebb_error *err)
{
    if (!*call->args)
        return ses_skip_alter(c->session, 0, change, err);
    for (const char *at = call->args; *at;) {
        char *word = take_word(&at), *end;
        long first = strtol(word, &end, 10), last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        ebb_status status = first > 0 && !*end ? EBB_OK : ebb_fail(err, EBB_BAD_INPUT, "Arguments must be skiplist entry numbers.");
        for (long i = first; status == EBB_OK && i <= last; i++)
            status = ses_skip_alter(c->session, (int)i, change, err);
        free(word);
        if (status != EBB_OK)
            return status;
    }
    return EBB_OK;
}

ebb_status cli_cmd_skip_delete(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return alter(c, call, SES_SKIP_DELETE, err);
}

ebb_status cli_cmd_skip_enable(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return alter(c, call, SES_SKIP_ENABLE, err);
}

ebb_status cli_cmd_skip_disable(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return alter(c, call, SES_SKIP_DISABLE, err);
}

ebb_status cli_cmd_info_skip(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    int wanted = atoi(call->args), n = 0;
    for (size_t i = 0; i < ses_skip_count(c->session); i++) {
        const ses_skip *skip = ses_skip_at(c->session, i);
        if (wanted && skip->number != wanted)
            continue;
        if (n++ == 0)
            cli_put(&reply->text, "Num   Enb Glob File                 RE Function\n");
        cli_putf(&reply->text, "%-5d %-3s %4s %-20s %2s %s\n", skip->number, skip->is_enabled ? "y" : "n", skip->file_is_pattern ? "y" : "n",
                 skip->file ? skip->file : "<none>", skip->function_is_regex ? "y" : "n", skip->function ? skip->function : "<none>");
    }
    if (n == 0 && wanted)
        return ebb_fail(err, EBB_NOT_FOUND, "No skiplist entries found with number %d.", wanted);
    if (n == 0)
        cli_put(&reply->text, "Not skipping any files or functions.\n");
    return EBB_OK;
}
