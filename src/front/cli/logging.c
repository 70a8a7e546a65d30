/* logging.c - see logging.h. */
#include "front/cli/logging.h"
#include "base/text.h"
#include "front/cli/handlers.h"
#include "front/cli/output.h"
#include "front/cli/view.h"
#include "session/settings.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static char *file_name(cli *c)
{
    ebb_buf name = {0};
    if (ses_setting_show(c->session, "logging file", &name, NULL) != EBB_OK || !name.n)
        ebb_buf_adds(&name, "ebb.txt");
    return ebb_buf_take(&name);
}

ebb_status cli_logging_begin(cli *c, ebb_error *err)
{
    char *name = file_name(c);
    int how = cli_setting_on(c, "logging overwrite", false) ? O_TRUNC : O_APPEND;
    int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC | how, 0666);
    ebb_status status = EBB_OK;
    if (fd < 0) {
        status = ebb_fail_errno(err, "set logging: %s", name);
    } else {
        cli_logging_end(c);
        c->log_fd = fd + 1;
    }
    free(name);
    return status;
}

void cli_logging_end(cli *c)
{
    if (c->log_fd)
        close(c->log_fd - 1);
    c->log_fd = 0;
}

bool cli_logging_takes(cli *c, const char *bytes, size_t nbytes)
{
    return c->log_fd && cli_write_all(c->log_fd - 1, bytes, nbytes) && cli_setting_on(c, "logging redirect", false);
}

static ebb_status begin(cli *c, cli_reply *reply, ebb_error *err)
{
    char *name = file_name(c);
    ebb_status status = EBB_OK;
    if (c->log_fd)
        status = ebb_fail(err, EBB_BAD_INPUT, "Already logging to %s.", name);
    else
        status = cli_logging_begin(c, err);
    if (status == EBB_OK)
        cli_emit_notice(c, "logging", "%s output to %s.", cli_setting_on(c, "logging redirect", false) ? "Redirecting" : "Copying", name);
    free(name);
    return status;
}

static ebb_status end(cli *c, cli_reply *reply, ebb_error *err)
{
    if (!c->log_fd)
        return ebb_fail(err, EBB_BAD_INPUT, "You aren't set up for logging.");
    char *name = file_name(c);
    cli_logging_end(c);
    cli_putf(&reply->text, "Done logging to %s.\n", name);
    free(name);
    return EBB_OK;
}

ebb_status cli_cmd_logging_on(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return begin(c, reply, err);
}

ebb_status cli_cmd_logging_off(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return end(c, reply, err);
}

ebb_status cli_cmd_logging_enabled(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    bool on = !*call->args || strcmp(call->args, "on") == 0 || strcmp(call->args, "1") == 0 || strcmp(call->args, "yes") == 0;
    bool off = strcmp(call->args, "off") == 0 || strcmp(call->args, "0") == 0 || strcmp(call->args, "no") == 0;
    if (!on && !off)
        return ebb_fail(err, EBB_BAD_INPUT, "\"on\" or \"off\" expected.");
    return on ? begin(c, reply, err) : end(c, reply, err);
}

/* Settings of that group: file, overwrite, redirect. */
ebb_status cli_cmd_logging(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    size_t n = strcspn(call->args, " \t");
    char *name = ebb_asprintf("logging %.*s", (int)n, call->args);
    ebb_status status = ses_setting_set(c->session, name, ebb_text_skip_space(call->args + n), err);
    free(name);
    return status;
}
