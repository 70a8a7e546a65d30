/* cmd_running.c - beginning, moving, ending. */
#include "base/text.h"
#include "front/cli/args.h"
#include "front/cli/handlers.h"
#include "front/cli/output.h"
#include "front/cli/prompt.h"
#include "front/cli/view.h"

#include <limits.h>
#include <string.h>

/* ---- what moves have in common ---------------------------------------------------------------- */

/* Ends a handler that moved the program: the stop is its reply. */
static ebb_status stopped(cli *c, cli_reply *reply, ebb_status status, const ses_stop *stop)
{
    if (status == EBB_OK)
        cli_view_stop(c, reply, stop);
    return status;
}

typedef ebb_status stepper(session *s, ses_step_kind kind, unsigned count, ses_stop *stop, ebb_error *err);

static ebb_status step(cli *c, const cli_call *call, cli_reply *reply, stepper *go, ses_step_kind kind, ebb_error *err)
{
    unsigned count;
    ebb_status status = cli_count(c, call->args, &count, err);
    if (status != EBB_OK)
        return status;
    ses_stop stop = {0};
    status = go(c->session, kind, count, &stop, err);
    return stopped(c, reply, status, &stop);
}

#define STEP_COMMAND(name, go, kind)                                                               \
    ebb_status cli_cmd_##name(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)      \
    {                                                                                              \
        return step(c, call, reply, go, kind, err);                                                \
    }
STEP_COMMAND(step, ses_step, SES_STEP_LINE)
STEP_COMMAND(next, ses_step, SES_NEXT_LINE)
STEP_COMMAND(stepi, ses_step, SES_STEP_INSN)
STEP_COMMAND(nexti, ses_step, SES_NEXT_INSN)
STEP_COMMAND(reverse_step, ses_step_back, SES_STEP_LINE)
STEP_COMMAND(reverse_next, ses_step_back, SES_NEXT_LINE)
STEP_COMMAND(reverse_stepi, ses_step_back, SES_STEP_INSN)
STEP_COMMAND(reverse_nexti, ses_step_back, SES_NEXT_INSN)
#undef STEP_COMMAND

/* "Continuing.", said before it happens; *count is the argument. */
static ebb_status announce_continue(cli *c, const cli_call *call, unsigned *count, ebb_error *err)
{
    ebb_status status = cli_count(c, call->args, count, err);
    if (status == EBB_OK && cli_is_talking(c))
        cli_emit_notice(c, "continuing", "Continuing.");
    return status;
}

ebb_status cli_cmd_continue(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    unsigned count;
    ses_stop stop = {0};
    ebb_status status = announce_continue(c, call, &count, err);
    if (status == EBB_OK)
        status = ses_continue(c->session, count - 1, &stop, err);
    return stopped(c, reply, status, &stop);
}

ebb_status cli_cmd_reverse_continue(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    unsigned count;
    ses_stop stop = {0};
    ebb_status status = announce_continue(c, call, &count, err);
    if (status == EBB_OK)
        status = ses_continue_back(c->session, &stop, err);
    return stopped(c, reply, status, &stop);
}

/* "Run till exit from #0 ..." before it happens: it may take long. */
static ebb_status announce_finish(cli *c, ebb_error *err)
{
    const ses_frame *frame, *caller;
    ebb_status status = ses_frame_selected(c->session, &frame, err);
    if (status != EBB_OK)
        return status;
    if (ses_frame_get(c->session, frame->level + 1, &caller, NULL) != EBB_OK)
        return ebb_fail(err, EBB_BAD_INPUT, "\"finish\" not meaningful in the outermost frame.");
    status = ses_frame_selected(c->session, &frame, err);
    if (status != EBB_OK)
        return status;
    cli_text text = {0};
    cli_put(&text, "Run till exit from ");
    json_t *fields = json_object();
    json_object_set_new(fields, "frame",
                        cli_view_frame(c, &text, frame, CLI_FRAME_LEVEL | CLI_FRAME_LOCATION));
    cli_emit_notice_text(c, "finishing", &text, fields);
    cli_text_fini(&text);
    return EBB_OK;
}

ebb_status cli_cmd_finish(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ses_stop stop = {0};
    ebb_status status = announce_finish(c, err);
    if (status == EBB_OK)
        status = ses_finish(c->session, &stop, err);
    return stopped(c, reply, status, &stop);
}

ebb_status cli_cmd_reverse_finish(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ses_stop stop = {0};
    ebb_status status = ses_finish_back(c->session, &stop, err);
    return stopped(c, reply, status, &stop);
}

ebb_status cli_cmd_until(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ses_stop stop = {0};
    ebb_status status = *call->args ? ses_advance(c->session, call->args, true, &stop, err)
                                    : ses_until(c->session, &stop, err);
    return stopped(c, reply, status, &stop);
}

ebb_status cli_cmd_advance(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ses_stop stop = {0};
    ebb_status status = ses_advance(c->session, call->args, false, &stop, err);
    return stopped(c, reply, status, &stop);
}

ebb_status cli_cmd_jump(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ses_stop stop = {0};
    ebb_status status = ses_jump(c->session, call->args, &stop, err);
    return stopped(c, reply, status, &stop);
}

ebb_status cli_cmd_signal(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    int number = ses_signal_number(call->args);
    if (number == 0 && strcmp(call->args, "0") != 0)
        return ebb_fail(err, EBB_BAD_INPUT, "No such signal: \"%.40s\".", call->args);
    ses_stop stop = {0};
    ebb_status status = ses_signal(c->session, number, &stop, err);
    return stopped(c, reply, status, &stop);
}

ebb_status cli_cmd_return(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    const ses_frame *frame;
    ebb_status status = ses_frame_selected(c->session, &frame, err);
    if (status != EBB_OK)
        return status;
    if (!cli_ask(c, "Make %s return now?", frame->name ? frame->name : "the selected frame"))
        return ebb_fail(err, EBB_INTERRUPTED, "Not confirmed.");
    status = ses_return_from(c->session, *call->args ? call->args : NULL, err);
    if (status == EBB_OK)
        status = ses_frame_get(c->session, 0, &frame, err);
    if (status == EBB_OK)
        cli_field_json(reply, "frame",
                       cli_view_frame(c, &reply->text, frame,
                                      CLI_FRAME_LEVEL | CLI_FRAME_LOCATION | CLI_FRAME_SOURCE));
    return status;
}

/* ---- beginning -------------------------------------------------------------------------------- */

/* A program that is already being debugged gives way, if the person agrees. */
static ebb_status make_way(cli *c, ebb_error *err)
{
    if (ses_get_state(c->session) != SES_STOPPED)
        return EBB_OK;
    if (!cli_ask(
            c,
            "The program being debugged has been started already.\nStart it from the beginning?"))
        return ebb_fail(err, EBB_INTERRUPTED, "Program not restarted.");
    return ses_was_attached(c->session) ? ses_detach(c->session, err) : ses_kill(c->session, err);
}

typedef ebb_status begin_verb(session *s, ses_stop *stop, ebb_error *err);

static ebb_status begin(cli *c, const cli_call *call, cli_reply *reply, begin_verb *verb,
                        ebb_error *err)
{
    if (!ses_get_program(c->session))
        return ebb_fail(err, EBB_BAD_INPUT, "No program to debug: name one with `file PROGRAM`.");
    ebb_status status = make_way(c, err);
    if (status == EBB_OK && *call->args)
        status = ses_set_args(c->session, call->args, err);
    if (status != EBB_OK)
        return status;
    if (cli_is_talking(c)) {
        char *args = ses_args_text(c->session);
        cli_emit_notice(c, "starting", "Starting program: %s %s", ses_get_program(c->session),
                        args);
        free(args);
    }
    ses_stop stop = {0};
    status = verb(c->session, &stop, err);
    return stopped(c, reply, status, &stop);
}

ebb_status cli_cmd_run(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return begin(c, call, reply, ses_run, err);
}

ebb_status cli_cmd_start(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return begin(c, call, reply, ses_start, err);
}

ebb_status cli_cmd_starti(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return begin(c, call, reply, ses_starti, err);
}

ebb_status cli_cmd_attach(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    uint64_t pid;
    if (!ebb_text_to_u64(call->args, &pid) || pid == 0 || pid > INT_MAX)
        return ebb_fail(err, EBB_BAD_INPUT, "Not the number of a process: \"%.40s\".", call->args);
    ebb_status status = make_way(c, err);
    if (status != EBB_OK)
        return status;
    ses_stop stop = {0};
    status = ses_attach(c->session, (pid_t)pid, &stop, err);
    return stopped(c, reply, status, &stop);
}

/* ---- ending ----------------------------------------------------------------------------------- */

ebb_status cli_cmd_detach(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    long pid = (long)ses_get_pid(c->session);
    ebb_status status = ses_detach(c->session, err);
    if (status == EBB_OK) {
        cli_putf(&reply->text, "[Inferior 1 (process %ld) detached]\n", pid);
        cli_field_int(reply, "pid", pid);
    }
    return status;
}

ebb_status cli_cmd_kill(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    long pid = (long)ses_get_pid(c->session);
    if (!cli_ask(c, "Kill the program being debugged?"))
        return ebb_fail(err, EBB_INTERRUPTED, "Not confirmed.");
    ebb_status status = ses_kill(c->session, err);
    if (status == EBB_OK) {
        cli_putf(&reply->text, "[Inferior 1 (process %ld) killed]\n", pid);
        cli_field_int(reply, "pid", pid);
    }
    return status;
}

ebb_status cli_cmd_quit(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    uint64_t code = 0;
    if (*call->args) {
        ebb_status status = ses_evaluate_u64(c->session, call->args, &code, err);
        if (status != EBB_OK)
            return status;
    }
    if (!cli_may_quit(c))
        return ebb_fail(err, EBB_INTERRUPTED, "Not confirmed.");
    c->wants_quit = true;
    c->exit_status = (int)(code & 0xff);
    return EBB_OK;
}
