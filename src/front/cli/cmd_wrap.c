/* cmd_wrap.c - commands around commands: with, pipe; and logging, around all of them. */
#include "base/text.h"
#include "front/cli/args.h"
#include "front/cli/handlers.h"
#include "front/cli/output.h"
#include "session/settings.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- with ------------------------------------------------------------------------------------- */

/* The setting that a text begins with, which may be of two words; *value is after it.  free() */
static char *take_setting(cli *c, const char *text, const char **value)
{
    size_t first = strcspn(text, " \t");
    const char *second = ebb_text_skip_space(text + first);
    size_t n = strcspn(second, " \t");
    ebb_buf ignored = {0};
    for (int words = 2; words > 0; words--) {
        char *name = words == 2 ? ebb_asprintf("%.*s %.*s", (int)first, text, (int)n, second) : ebb_strndup(text, first);
        if ((words == 1 || n) && ses_setting_show(c->session, name, &ignored, NULL) == EBB_OK) {
            *value = ebb_text_skip_space(words == 2 ? second + n : text + first);
            ebb_buf_fini(&ignored);
            return name;
        }
        free(name);
    }
    ebb_buf_fini(&ignored);
    return NULL;
}

static ebb_status with_setting(cli *c, const char *name, const char *value, const char *line, ebb_error *err)
{
    ebb_buf before = {0};
    ebb_status status = ses_setting_show(c->session, name, &before, err);
    if (status == EBB_OK)
        status = ses_setting_set(c->session, name, *value ? value : "on", err);
    if (status == EBB_OK) {
        ebb_error ignored;
        status = cli_execute(c, line, err);
        (void)!ses_setting_set(c->session, name, ebb_buf_text(&before), &ignored);
    }
    ebb_buf_fini(&before);
    return status;
}

ebb_status cli_cmd_with(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    (void)reply;
    const char *split = strstr(call->args, " -- ");
    if (!split)
        return ebb_fail(err, EBB_BAD_INPUT, "Missing the command: with SETTING [VALUE] -- COMMAND");
    char *head = ebb_text_rtrim(ebb_strndup(call->args, (size_t)(split - call->args)));
    const char *value = "";
    char *name = take_setting(c, head, &value);
    ebb_status status = name ? with_setting(c, name, value, ebb_text_skip_space(split + 4), err)
                             : ebb_fail(err, EBB_NOT_FOUND, "There is no setting \"%.60s\".", head);
    free(name);
    free(head);
    return status;
}

/* ---- pipe ------------------------------------------------------------------------------------- */

static ebb_status through(cli *c, const char *line, const char *shell, ebb_error *err)
{
    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    FILE *to = saved >= 0 ? popen(shell, "we") : NULL;
    if (!to) {
        close(saved);
        return ebb_fail_errno(err, "can't run %s", shell);
    }
    dup2(fileno(to), STDOUT_FILENO);
    ebb_status status = cli_execute(c, line, err);
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    pclose(to);
    return status;
}

/* pipe [-d DELIMITER] COMMAND | SHELL COMMAND */
ebb_status cli_cmd_pipe(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    (void)reply;
    ebb_buf delimiter = {0};
    const char *args = call->args;
    ebb_buf_adds(&delimiter, "|");
    if (cli_take_word(&args, "-d")) {
        ebb_buf_truncate(&delimiter, 0);
        cli_next_word(&args, &delimiter);
    }
    const char *split = strstr(args, ebb_buf_text(&delimiter));
    ebb_status status = split && split > args ? EBB_OK : ebb_fail(err, EBB_BAD_INPUT, "Missing delimiter: pipe COMMAND | SHELL-COMMAND");
    if (status == EBB_OK) {
        char *line = ebb_text_rtrim(ebb_strndup(args, (size_t)(split - args)));
        status = through(c, line, split + delimiter.n, err);
        free(line);
    }
    ebb_buf_fini(&delimiter);
    return status;
}
