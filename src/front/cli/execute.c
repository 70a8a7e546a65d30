/* execute.c - from a line to its reply. */
#include "front/cli/cli.h"

#include "base/text.h"
#include "front/cli/handlers.h"
#include "front/cli/output.h"
#include "front/cli/prompt.h"
#include "front/cli/script.h"
#include "front/cli/signals.h"
#include "session/core.h"
#include "session/data.h"
#include "session/settings.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- settings --------------------------------------------------------------------------------- */

bool cli_setting_on(cli *c, const char *name, bool otherwise)
{
    ebb_buf value = {0};
    bool on = otherwise;
    if (ses_setting_show(c->session, name, &value, NULL) == EBB_OK)
        on = strcmp(ebb_buf_text(&value), "on") == 0;
    ebb_buf_fini(&value);
    return on;
}

unsigned cli_setting_count(cli *c, const char *name, unsigned otherwise)
{
    ebb_buf value = {0};
    uint64_t count = otherwise;
    if (ses_setting_show(c->session, name, &value, NULL) == EBB_OK) {
        if (strcmp(ebb_buf_text(&value), "unlimited") == 0)
            count = 0;
        else if (!ebb_text_to_u64(ebb_buf_text(&value), &count))
            count = otherwise; /* "auto" */
    }
    ebb_buf_fini(&value);
    return (unsigned)count;
}

/* ---- one command ------------------------------------------------------------------------------ */

static ebb_status fail_ambiguous(const cli_command *parent, const char *word, size_t nbytes,
                                 ebb_error *err)
{
    ebb_buf choices = {0};
    for (size_t i = 0; i < cli_commands.n && choices.n < 200; i++) {
        const cli_command *row = &cli_commands.rows[i];
        if (cli_is_below(row, parent) && strncmp(cli_last_word(row), word, nbytes) == 0)
            ebb_buf_addf(&choices, "%s%s", choices.n ? ", " : "", cli_last_word(row));
    }
    ebb_status status = ebb_fail(err, EBB_BAD_INPUT, "Ambiguous %s%scommand \"%.*s\": %s.",
                                 parent ? parent->name : "", parent ? " " : "", (int)nbytes, word,
                                 ebb_buf_text(&choices));
    ebb_buf_fini(&choices);
    return status;
}

/* What who is used to another debugger has to type; NULL: no idea. */
static const char *hint_for(const char *word, size_t nbytes)
{
    static const struct {
        const char *word, *instead;
    } rows[] = {
#define CLI_OTHER_WORD(word, instead) {word, instead},
#include "front/cli/other_words.def"
#undef CLI_OTHER_WORD
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strlen(rows[i].word) == nbytes && strncmp(rows[i].word, word, nbytes) == 0)
            return rows[i].instead;
    return NULL;
}

static const char *language_of(const char *word, size_t nbytes)
{
    static const struct {
        const char *word, *language;
    } rows[] = {
#define CLI_OTHER_LANGUAGE(word, language) {word, language},
#include "front/cli/other_words.def"
#undef CLI_OTHER_LANGUAGE
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strlen(rows[i].word) == nbytes && strncmp(rows[i].word, word, nbytes) == 0)
            return rows[i].language;
    return NULL;
}

static ebb_status fail_undefined(const char *line, ebb_error *err)
{
    size_t n = cli_word_length(line);
    if (n == 0)
        n = strcspn(line, " \t");
    const char *hint = hint_for(line, n), *language = language_of(line, n);
    if (language)
        return ebb_fail(err, EBB_BAD_INPUT, "%s scripting is not supported.  A script of ebb's commands is: source FILE.", language);
    if (hint)
        return ebb_fail(err, EBB_BAD_INPUT, "Undefined command: \"%.*s\".  Here it is: %s.", (int)n, line, hint);
    int shown = n > 60 ? 60 : (int)n;
    return ebb_fail(err, EBB_BAD_INPUT, "Undefined command: \"%.*s%s\".  Try \"help\".", shown,
                    line, n > 60 ? "..." : "");
}

static ebb_status check_state(cli *c, const cli_command *row, ebb_error *err)
{
    bool live = ses_get_state(c->session) == SES_STOPPED;
    if (row->flags & CLI_NEEDS_STACK && !live)
        return ebb_fail(err, EBB_GONE, "No stack: the program is not being run.");
    bool moves = row->group == CLI_GROUP_RUNNING && row->handler != cli_cmd_detach && row->handler != cli_cmd_kill && row->handler != cli_cmd_gcore;
    if (row->flags & CLI_NEEDS_LIVE && (!live || (moves && ses_is_core(c->session))))
        return ebb_fail(err, EBB_GONE, "The program is not being run.");
    return EBB_OK;
}

static void drop_follow_up(cli *c)
{
    free(c->follow_up);
    c->follow_up = NULL;
}

static ebb_status handle(cli *c, const cli_call *call, ebb_error *err)
{
    ebb_status status = cli_check_args(call->command, call->args, err);
    if (status == EBB_OK)
        status = check_state(c, call->command, err);
    if (status != EBB_OK)
        return status;
    cli_reply reply = {0};
    cli_signals_busy(true);
    bool came_before = cli_signal_take_int(); /* after the line was typed */
    status = came_before ? ebb_fail(err, EBB_INTERRUPTED, "Quit") : call->command->handler(c, call, &reply, err);
    if (cli_signals_busy(false) || came_before)
        c->was_interrupted = true; /* also if the work had ended by then */
    ses_module_warnings(c->session);
    if (status == EBB_OK) {
        cli_emit_reply(c, call->line, &reply);
        if (c->gave_up)
            status = ebb_fail(err, EBB_INTERRUPTED, "Quit");
        if (reply.kind == CLI_STOP) {
            drop_follow_up(c);
            c->follow_up = reply.follow_up;
            reply.follow_up = NULL;
        }
    }
    cli_reply_fini(&reply);
    cli_window_draw(c);
    return status;
}

/* What an empty line at the prompt will do. */
static void remember(cli *c, const char *line, unsigned flags, const char *name)
{
    if (c->depth > 1 || !c->input || !c->input->is_prompt || c->in_follow_up)
        return;
    char *kept = flags & CLI_REPEATS        ? ebb_strdup(line)
                 : flags & CLI_REPEATS_BARE ? ebb_strdup(name)
                                            : NULL;
    free(c->last_line);
    c->last_line = kept;
}

static ebb_status execute_command(cli *c, const char *line, ebb_error *err)
{
    const char *args;
    const cli_command *row;
    switch (cli_find_line(&cli_commands, line, &row, &args)) {
    case CLI_FOUND: break;
    case CLI_FOUND_MANY:
        return row ? fail_ambiguous(row, args, cli_word_length(args), err)
                   : fail_ambiguous(NULL, line, cli_word_length(line), err);
    case CLI_FOUND_NONE: return fail_undefined(line, err);
    }
    char *trimmed = ebb_strdup(args);
    if (!(row->flags & CLI_VERBATIM))
        ebb_text_rtrim(trimmed);
    remember(c, line, row->flags, row->name);
    ebb_status status = handle(
        c, &(cli_call){.command = row, .args = trimmed, .line = line, .is_repeat = c->is_repeating},
        err);
    free(trimmed);
    return status;
}

static ebb_status execute_alias(cli *c, const char *stands_for, const char *args, ebb_error *err)
{
    char *line = ebb_asprintf("%s%s%s", stands_for, *args == '/' || *args == '\0' ? "" : " ", args);
    ebb_status status = cli_execute(c, line, err);
    free(line);
    return status;
}

/* User-defined commands and aliases come before the table's, abbreviations of them after it. */
static ebb_status execute_word(cli *c, const char *line, ebb_error *err)
{
    size_t n = cli_word_length(line);
    const char *args = ebb_text_skip_space(line + n);
    const char *alias = ebb_map_getn(c->aliases, line, n);
    if (alias)
        return execute_alias(c, alias, args, err);
    const cli_command *row;
    bool in_table = cli_find_word(&cli_commands, NULL, line, n, &row) != CLI_FOUND_NONE;
    const char *user = cli_user_find(c, line, n, !in_table);
    if (!user)
        return execute_command(c, line, err);
    remember(c, line, CLI_REPEATS, user);
    return cli_user_run(c, user, args, err);
}

/* The commands of breakpoints run once the command that led to the stop is done.  One of them may go
 * on running the program: what is left of the old ones is then dropped, and the loop, not a deeper
 * call, does those of the new stop. */
static ebb_status run_follow_up(cli *c, ebb_error *err)
{
    ebb_status status = EBB_OK;
    c->in_follow_up = true;
    while (status == EBB_OK && c->follow_up && !c->wants_quit && !cli_signal_pending()) {
        char *lines = c->follow_up;
        c->follow_up = NULL;
        cli_lines_input input;
        cli_lines_input_init(&input, NULL, lines);
        input.input.outer = c->input;
        c->input = &input.input;
        ebb_buf line = {0};
        while (status == EBB_OK && !c->follow_up && !c->wants_quit &&
               cli_input_next(&input.input, NULL, &line) == CLI_READ_LINE)
            status = cli_execute(c, ebb_buf_text(&line), err);
        ebb_buf_fini(&line);
        c->input = input.input.outer;
        free(lines);
    }
    drop_follow_up(c);
    c->in_follow_up = false;
    return status;
}

ebb_status cli_execute(cli *c, const char *line, ebb_error *err)
{
    line = ebb_text_skip_space(line);
    if (*line == '\0' || *line == '#')
        return EBB_OK;
    if (c->depth >= CLI_MAX_DEPTH)
        return ebb_fail(err, EBB_BAD_INPUT, "Commands are nested more than %d deep.",
                        CLI_MAX_DEPTH);
    c->depth++;
    ebb_status status = execute_word(c, line, err);
    c->depth--;
    if (c->in_follow_up)
        return status;
    if (status == EBB_OK)
        return run_follow_up(c, err);
    drop_follow_up(c);
    return status;
}

/* ---- many lines ------------------------------------------------------------------------------- */

/* An error gets the place of its line in front, once, so that it can be found and mended. */
static ebb_status fail_at(cli *c, const cli_input *input, ebb_status status, ebb_error *err)
{
    if (!input->name || !err || c->error_is_placed)
        return status;
    c->error_is_placed = true;
    ebb_error inner = *err;
    return ebb_fail(err, status, "%s:%u: %s", input->name, input->line, inner.text);
}

static ebb_status fail_read(cli_read read, ebb_error *err)
{
    switch (read) {
    case CLI_READ_BAD: return ebb_fail(err, EBB_BAD_INPUT, "The line has a NUL byte in it.");
    case CLI_READ_INTERRUPTED: return ebb_fail(err, EBB_INTERRUPTED, "Interrupted.");
    case CLI_READ_LINE:
    case CLI_READ_END: break;
    }
    return EBB_OK;
}

ebb_status cli_execute_input(cli *c, cli_input *input, ebb_error *err)
{
    if (c->depth >= CLI_MAX_DEPTH)
        return ebb_fail(err, EBB_BAD_INPUT, "Commands are nested more than %d deep.",
                        CLI_MAX_DEPTH);
    c->depth++;
    input->outer = c->input;
    c->input = input;
    ebb_buf line = {0};
    ebb_status status = EBB_OK;
    while (status == EBB_OK && !c->wants_quit && c->loop == CLI_LOOP_ON) {
        cli_read read = cli_input_next(input, NULL, &line);
        if (read == CLI_READ_END)
            break;
        status = cli_signal_take_int() ? ebb_fail(err, EBB_INTERRUPTED, "Interrupted.")
                                       : fail_read(read, err);
        if (status == EBB_OK)
            status = cli_execute(c, ebb_buf_text(&line), err);
        if (status != EBB_OK)
            status = fail_at(c, input, status, err);
        if (cli_signal_ending())
            c->wants_quit = true;
    }
    ebb_buf_fini(&line);
    c->input = input->outer;
    c->depth--;
    return status;
}

ebb_status cli_execute_text(cli *c, const char *name, const char *lines, ebb_error *err)
{
    cli_lines_input input;
    cli_lines_input_init(&input, name, lines);
    return cli_execute_input(c, &input.input, err);
}

ebb_status cli_execute_file(cli *c, const char *path, ebb_error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    if (fd < 0)
        return ebb_fail_errno(err, "%s", path);
    if (fstat(fd, &info) == 0 && S_ISDIR(info.st_mode)) {
        close(fd);
        return ebb_fail(err, EBB_BAD_FILE, "%s: Is a directory", path);
    }
    cli_fd_input input;
    cli_fd_input_init(&input, path, fd, false, cli_signal_wait);
    ebb_status status = cli_execute_input(c, &input.input, err);
    close(fd);
    return status;
}

/* ---- the driver ------------------------------------------------------------------------------- */

static void answer_error(cli *c, const char *line, ebb_status status, ebb_error *err)
{
    err->status = status;
    cli_emit_error(c, line, err);
}

/* Whether the conversation goes on at the end of standard input. */
static bool stays_at_end(cli *c, const cli_input *input)
{
    if (!input->is_prompt || !c->in_is_terminal)
        return false;
    cli_write_all(STDOUT_FILENO, "quit\n", 5);
    return !cli_may_quit(c);
}

static bool drive_line(cli *c, const char *line, ebb_error *err)
{
    c->is_repeating = c->input->is_prompt && ebb_text_is_blank(line) && c->last_line;
    char *meant =
        ebb_strdup(c->is_repeating ? c->last_line : line); /* last_line changes meanwhile */
    c->rows_shown = 0;
    c->paging_off = false;
    c->error_is_placed = false;
    c->gave_up = false;
    ebb_status status = cli_execute(c, meant, err);
    c->loop = CLI_LOOP_ON;
    if (status != EBB_OK)
        answer_error(c, ebb_text_rtrim((char *)ebb_text_skip_space(meant)),
                     fail_at(c, c->input, status, err), err);
    free(meant);
    return status == EBB_OK;
}

bool cli_drive(cli *c, cli_input *input, bool until_failure)
{
    bool all_worked = true;
    ebb_buf line = {0};
    ebb_error err;
    input->outer = c->input;
    c->input = input;
    while (!c->wants_quit && (all_worked || !until_failure)) {
        cli_read read = cli_input_next(input, cli_prompt_text(c), &line);
        if (cli_signal_ending())
            break;
        bool was_interrupted = cli_signal_take_int();
        if (read == CLI_READ_END && !stays_at_end(c, input))
            break;
        if (read == CLI_READ_LINE && was_interrupted && input->is_prompt)
            answer_error(c, NULL, ebb_fail(&err, EBB_INTERRUPTED, "Quit"), &err); /* it was typed, and is not wanted any more */
        if (read == CLI_READ_END || (was_interrupted && input->is_prompt))
            continue;
        if (was_interrupted)
            read = CLI_READ_INTERRUPTED;
        if (read != CLI_READ_LINE) {
            answer_error(c, NULL, fail_at(c, input, fail_read(read, &err), &err), &err);
            all_worked = false;
        } else if (!drive_line(c, ebb_buf_text(&line), &err)) {
            all_worked = false;
        }
    }
    if (cli_signal_ending())
        c->wants_quit = true;
    ebb_buf_fini(&line);
    c->input = input->outer;
    return all_worked;
}
