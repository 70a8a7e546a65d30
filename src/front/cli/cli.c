/* cli.c - the conversation as a whole: its session, and what the session tells while it works. */
#include "front/cli/cli.h"

#include "base/text.h"
#include "front/cli/logging.h"
#include "front/cli/output.h"
#include "front/cli/prompt.h"
#include "front/cli/script.h"
#include "front/cli/shrunk.h"
#include "front/cli/signals.h"
#include "front/cli/terminal.h"
#include "session/time.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void on_notice(void *self, const ses_notice *notice)
{
    cli *c = self;
    if (notice->kind == SES_NOTICE_FORK)
        c->pid = ses_get_pid(c->session); /* a child may be followed */
    if (notice->kind == SES_NOTICE_WARNING || notice->kind == SES_NOTICE_MODULE)
        cli_emit_warning(c, "warning: %s", notice->text);
    else if (!c->tells_warnings_only)
        cli_emit_notice(c, ses_notice_word(notice->kind), "%s", notice->text);
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Long work through the past, for a person at a terminal: a percentage that goes away by itself. */
static void on_progress(void *self, uint64_t done, uint64_t total)
{
    enum { PATIENCE_MS = 600, STEP_MS = 100 };
    cli *c = self;
    int64_t now = now_ms();
    if (!cli_is_talking(c) || total == 0 || now - c->busy_since_ms < PATIENCE_MS || now - c->progress_at_ms < STEP_MS)
        return;
    c->progress_at_ms = now;
    printf("\r%3u%%", (unsigned)(100.0 * (double)done / (double)total));
    fflush(stdout);
}

static void clear_progress(cli *c)
{
    if (c->progress_at_ms) {
        fputs("\r\033[K", stdout);
        fflush(stdout);
    }
    c->progress_at_ms = 0;
}

static void on_resuming(void *self)
{
    cli *c = self;
    c->busy_since_ms = now_ms();
    pid_t pid = ses_get_pid(c->session);
    if (pid)
        c->pid = pid;
    cli_terminal_lend(&c->terminal);
}

static void on_stopped(void *self)
{
    cli *c = self;
    c->n_moves++;
    cli_terminal_take_back(&c->terminal);
    clear_progress(c);
}

void cli_init(cli *c)
{
    *c = (cli){
        .in_is_terminal = isatty(STDIN_FILENO),
        .out_is_terminal = isatty(STDOUT_FILENO),
        .user = ebb_map_new(),
        .aliases = ebb_map_new(),
    };
    c->session = ses_new(&(ses_listener){
        .self = c, .notice = on_notice, .resuming = on_resuming, .stopped = on_stopped});
    ses_on_progress(c->session, on_progress, c);
    cli_signals_install(c->session);
    cli_shrunk_survive();
}

bool cli_is_talking(const cli *c)
{
    return c->in_is_terminal && c->out_is_terminal && !c->is_batch && !c->is_json && c->input &&
           c->input->is_prompt;
}

void cli_fini(cli *c)
{
    cli_window_hide(c);
    cli_logging_end(c);
    cli_prompt_free(c->prompt);
    c->prompt = NULL;
    cli_signals_forget();
    ses_free(c->session);
    cli_user_fini(c);
    free(c->last_line);
    free(c->missing_source);
    free(c->follow_up);
}
