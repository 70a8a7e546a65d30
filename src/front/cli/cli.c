/* cli.c - the conversation as a whole: its session, and what the session tells while it works. */
#include "front/cli/cli.h"

#include "base/text.h"
#include "front/cli/output.h"
#include "front/cli/prompt.h"
#include "front/cli/script.h"
#include "front/cli/shrunk.h"
#include "front/cli/signals.h"
#include "front/cli/terminal.h"

#include <string.h>
#include <unistd.h>

static void on_notice(void *self, const ses_notice *notice)
{
    cli *c = self;
    if (notice->kind == SES_NOTICE_WARNING || notice->kind == SES_NOTICE_MODULE)
        cli_emit_warning(c, "warning: %s", notice->text);
    else
        cli_emit_notice(c, ses_notice_word(notice->kind), "%s", notice->text);
}

static void on_resuming(void *self)
{
    cli *c = self;
    pid_t pid = ses_get_pid(c->session);
    if (pid)
        c->pid = pid;
    cli_terminal_lend(&c->terminal);
}

static void on_stopped(void *self)
{
    cli *c = self;
    cli_terminal_take_back(&c->terminal);
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
    cli_prompt_free(c->prompt);
    c->prompt = NULL;
    cli_signals_forget();
    ses_free(c->session);
    cli_user_fini(c);
    free(c->last_line);
    free(c->follow_up);
}
