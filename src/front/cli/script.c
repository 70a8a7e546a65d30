/* script.c - bodies of lines, and the commands that have one. */
#include "front/cli/script.h"

#include "base/text.h"
#include "front/cli/args.h"
#include "front/cli/handlers.h"
#include "front/cli/output.h"
#include "front/cli/prompt.h"
#include "front/cli/signals.h"
#include "session/data.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- reading a body --------------------------------------------------------------------------- */

static bool is_word(const char *line, const char *word)
{
    line = ebb_text_skip_space(line);
    size_t n = strlen(word);
    return strncmp(line, word, n) == 0 && ebb_text_is_blank(line + n);
}

/* Whether a body of its own begins with this line. */
static bool opens_body(const char *line)
{
    const cli_command *row;
    line = ebb_text_skip_space(line);
    return cli_find_word(&cli_commands, NULL, line, cli_word_length(line), &row) == CLI_FOUND &&
           row->flags & CLI_BLOCK;
}

ebb_status cli_read_body(cli *c, const char *what, ebb_buf *body, ebb_buf *otherwise,
                         ebb_error *err)
{
    if (!c->input)
        return ebb_fail(err, EBB_BAD_INPUT, "\"%s\" needs lines up to \"end\", and there are none.",
                        what);
    if (cli_is_talking(c))
        cli_emit_notice(c, "body", "Type the lines for \"%s\", and \"end\" after them.", what);
    ebb_buf line = {0}, *into = body;
    unsigned depth = 0;
    bool is_text = strcmp(what, "document") == 0; /* its lines are no commands */
    ebb_status status = EBB_OK;
    cli_signals_busy(false); /* Ctrl-C is for the body */
    for (;;) {
        cli_read read = cli_input_next(c->input, ">", &line);
        const char *text = ebb_buf_text(&line);
        if (read == CLI_READ_END)
            status = ebb_fail(err, EBB_BAD_INPUT,
                              "The input ends inside \"%s\": \"end\" is missing.", what);
        else if (read == CLI_READ_INTERRUPTED && cli_signal_take_int())
            status = ebb_fail(err, EBB_INTERRUPTED, "Interrupted.");
        else if (read != CLI_READ_LINE)
            status = ebb_fail(err, EBB_BAD_INPUT, "A line inside \"%s\" can't be read.", what);
        if (status != EBB_OK || (depth == 0 && is_word(text, "end")))
            break;
        if (otherwise && depth == 0 && is_word(text, "else")) {
            into = otherwise;
            continue;
        }
        if (!is_text && opens_body(text))
            depth++;
        else if (is_word(text, "end"))
            depth--;
        ebb_buf_addf(into, "%s\n", text);
    }
    cli_signals_busy(true);
    ebb_buf_fini(&line);
    return status;
}

/* ---- if, while -------------------------------------------------------------------------------- */

ebb_status cli_cmd_if(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ebb_buf body = {0}, otherwise = {0};
    bool holds = false;
    ebb_status status = cli_read_body(c, "if", &body, &otherwise, err);
    if (status == EBB_OK)
        status = ses_evaluate_bool(c->session, call->args, &holds, err);
    if (status == EBB_OK)
        status = cli_execute_text(c, NULL, ebb_buf_text(holds ? &body : &otherwise), err);
    ebb_buf_fini(&body);
    ebb_buf_fini(&otherwise);
    return status;
}

ebb_status cli_cmd_while(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ebb_buf body = {0};
    bool holds = false;
    ebb_status status = cli_read_body(c, "while", &body, NULL, err);
    cli_signals_busy(false); /* Ctrl-C is for the loop */
    c->was_interrupted = false;
    while (status == EBB_OK && !c->wants_quit && !cli_signal_ending()) {
        if (cli_signal_take_int() || c->was_interrupted)
            status = ebb_fail(err, EBB_INTERRUPTED, "Interrupted.");
        else
            status = ses_evaluate_bool(c->session, call->args, &holds, err);
        if (status != EBB_OK || !holds)
            break;
        status = cli_execute_text(c, NULL, ebb_buf_text(&body), err);
        bool leaves = c->loop == CLI_LOOP_BREAK;
        c->loop = CLI_LOOP_ON;
        if (leaves)
            break;
    }
    ebb_buf_fini(&body);
    return status;
}

ebb_status cli_cmd_loop_break(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    c->loop = CLI_LOOP_BREAK;
    return EBB_OK;
}

ebb_status cli_cmd_loop_continue(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    c->loop = CLI_LOOP_CONTINUE;
    return EBB_OK;
}

/* ---- define, document ------------------------------------------------------------------------- */

static bool is_name(const char *name)
{
    return isalpha((unsigned char)*name) && cli_word_length(name) == strlen(name);
}

const cli_user_command *cli_user_get(cli *c, const char *name)
{
    return ebb_map_get(c->user, name);
}

const char *cli_user_find(cli *c, const char *word, size_t nbytes, bool begun_too)
{
    const char *begun = NULL;
    ebb_map_entry entry;
    for (size_t at = 0; nbytes && ebb_map_next(c->user, &at, &entry);) {
        if (strncmp(entry.text, word, nbytes) != 0)
            continue;
        if (entry.text[nbytes] == '\0')
            return entry.text;
        if (begun_too && begun)
            return NULL; /* begins several */
        begun = entry.text;
    }
    return begun_too ? begun : NULL;
}

static cli_user_command *user_command(cli *c, const char *name)
{
    cli_user_command *user = ebb_map_get(c->user, name);
    if (!user) {
        user = EBB_NEW(cli_user_command);
        ebb_map_set(c->user, name, user);
    }
    return user;
}

ebb_status cli_cmd_define(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    const cli_command *row;
    ebb_buf body = {0};
    if (!is_name(call->args))
        return ebb_fail(err, EBB_BAD_INPUT, "Not a name for a command: \"%.40s\".", call->args);
    cli_find_word(&cli_commands, NULL, call->args, strlen(call->args), &row);
    if (row && strcmp(row->name, call->args) == 0 &&
        !cli_ask(c, "Really redefine built-in command \"%s\"?", row->name))
        return ebb_fail(err, EBB_INTERRUPTED, "Not confirmed.");
    ebb_status status = cli_read_body(c, "define", &body, NULL, err);
    if (status != EBB_OK) {
        ebb_buf_fini(&body);
        return status;
    }
    cli_user_command *user = user_command(c, call->args);
    free(user->body);
    user->body = ebb_buf_take(&body);
    return EBB_OK;
}

ebb_status cli_cmd_document(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ebb_buf help = {0};
    ebb_status status = cli_read_body(c, "document", &help, NULL, err);
    if (status == EBB_OK && !ebb_map_get(c->user, call->args))
        status =
            ebb_fail(err, EBB_NOT_FOUND, "No command of your own is named \"%.40s\".", call->args);
    if (status != EBB_OK) {
        ebb_buf_fini(&help);
        return status;
    }
    cli_user_command *user = user_command(c, call->args);
    free(user->help);
    user->help = ebb_buf_take(&help);
    return EBB_OK;
}

/* One word of the arguments, quotes holding blanks together; *at moves after it. */
static char *take_argument(const char **at)
{
    const char *from = ebb_text_skip_space(*at), *to = from;
    for (char quote = '\0'; *to && (quote || !isspace((unsigned char)*to)); to++) {
        if (quote)
            quote = *to == quote ? '\0' : quote;
        else if (*to == '"' || *to == '\'')
            quote = *to;
    }
    *at = to;
    return ebb_strndup(from, (size_t)(to - from));
}

/* The body with $argc and $argN replaced. */
static char *with_arguments(const char *body, const char *args)
{
    enum { MAX_ARGUMENTS = 100 };
    char *argument[MAX_ARGUMENTS];
    unsigned n = 0;
    for (const char *at = args; n < MAX_ARGUMENTS && !ebb_text_is_blank(at);)
        argument[n++] = take_argument(&at);
    ebb_buf out = {0};
    for (const char *at = body; *at;) {
        if (strncmp(at, "$argc", 5) == 0 && !isalnum((unsigned char)at[5]) && at[5] != '_') {
            ebb_buf_addf(&out, "%u", n);
            at += 5;
        } else if (strncmp(at, "$arg", 4) == 0 && isdigit((unsigned char)at[4])) {
            char *end;
            unsigned long i = strtoul(at + 4, &end, 10);
            ebb_buf_adds(&out, i < n ? argument[i] : "");
            at = end;
        } else {
            ebb_buf_addc(&out, *at++);
        }
    }
    while (n)
        free(argument[--n]);
    return out.data ? ebb_buf_take(&out) : ebb_strdup("");
}

ebb_status cli_user_run(cli *c, const char *name, const char *args, ebb_error *err)
{
    const cli_user_command *user = cli_user_get(c, name);
    char *lines = with_arguments(user->body ? user->body : "", args);
    ebb_status status = cli_execute_text(c, NULL, lines, err);
    free(lines);
    return status;
}

void cli_user_fini(cli *c)
{
    ebb_map_entry entry;
    for (size_t at = 0; ebb_map_next(c->user, &at, &entry);) {
        cli_user_command *user = entry.value;
        free(user->body);
        free(user->help);
        free(user);
    }
    ebb_map_free(c->user);
    for (size_t at = 0; ebb_map_next(c->aliases, &at, &entry);)
        free(entry.value);
    ebb_map_free(c->aliases);
}

ebb_status cli_cmd_show_user(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ebb_map_entry entry;
    for (size_t at = 0; ebb_map_next(c->user, &at, &entry);) {
        if (*call->args && strcmp(entry.text, call->args) != 0)
            continue;
        const cli_user_command *user = entry.value;
        cli_putf(&reply->text, "User command \"%s\":\n", entry.text);
        for (const char *line = user->body ? user->body : ""; *line;) {
            size_t n = strcspn(line, "\n");
            cli_putf(&reply->text, "  %.*s\n", (int)n, line);
            line += n + (line[n] == '\n');
        }
        cli_put(&reply->text, "\n");
    }
    if (*call->args && reply->text.bytes.n == 0)
        return ebb_fail(err, EBB_NOT_FOUND, "No command of your own is named \"%.40s\".",
                        call->args);
    return EBB_OK;
}

/* ---- alias, source, shell --------------------------------------------------------------------- */

ebb_status cli_cmd_alias(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    const char *at = call->args;
    while (cli_take_word(&at, "-a") || cli_take_word(&at, "--"))
        ;
    const char *equals = strchr(at, '=');
    if (!equals)
        return ebb_fail(err, EBB_BAD_INPUT, "An alias is: alias NAME = COMMAND");
    char *name = ebb_strndup(at, (size_t)(equals - at));
    const char *stands_for = ebb_text_skip_space(equals + 1), *args;
    const cli_command *row;
    ebb_status status = EBB_OK;
    if (!is_name(ebb_text_rtrim(name)))
        status = ebb_fail(err, EBB_BAD_INPUT, "Not a name for a command: \"%.40s\".", name);
    else if (ebb_map_get(c->aliases, name) || cli_user_get(c, name) ||
             (cli_find_word(&cli_commands, NULL, name, strlen(name), &row) == CLI_FOUND &&
              cli_is_named(row, name, strlen(name))))
        status = ebb_fail(err, EBB_BAD_INPUT, "Alias already exists: %s", name);
    else if (cli_find_line(&cli_commands, stands_for, &row, &args) != CLI_FOUND &&
             !cli_user_find(c, stands_for, cli_word_length(stands_for), false))
        status = ebb_fail(err, EBB_BAD_INPUT, "Invalid command to alias to: %.60s", stands_for);
    if (status == EBB_OK)
        ebb_map_set(c->aliases, name, ebb_strdup(stands_for));
    free(name);
    return status;
}

ebb_status cli_cmd_source(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return cli_execute_file(c, call->args, err);
}

ebb_status cli_cmd_show_commands(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    enum { AS_MANY_AS_GDB = 10 };
    cli_prompt_history(c, AS_MANY_AS_GDB, &reply->text.bytes);
    return EBB_OK;
}

static int wait_for(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return status;
}

ebb_status cli_cmd_shell(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    const char *shell = getenv("SHELL");
    if (!shell || !*shell)
        shell = "/bin/sh";
    pid_t child = fork();
    if (child < 0)
        return ebb_fail_errno(err, "The shell can't be started");
    if (child == 0) {
        if (*call->args)
            execl(shell, ebb_path_base(shell), "-c", call->args, (char *)NULL);
        else
            execl(shell, ebb_path_base(shell), (char *)NULL);
        _exit(127);
    }
    int status = wait_for(child);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    cli_field_int(reply, "exit_code", code);
    char *set = ebb_asprintf("$_shell_exitcode = %d", code);
    ebb_status kept = ses_assign(c->session, set, err);
    free(set);
    return kept;
}
