/* apply.c - the selection is put back afterwards, however the command ends. */
#include "front/cli/apply.h"

#include "front/cli/args.h"
#include "front/cli/output.h"
#include "session/frames.h"

void cli_apply_options(const char **args, apply_options *options)
{
    for (;;) {
        if (cli_take_word(args, "-q"))
            options->quiet = true;
        else if (cli_take_word(args, "-s"))
            options->silent = true;
        else if (cli_take_word(args, "-c"))
            options->complain = true;
        else
            return;
    }
}

static void show_heading(cli *c, const apply_options *options, const cli_heading *heading)
{
    if (!options->quiet && (!options->silent || c->is_json)) {
        cli_emit_notice_text(c, heading->word, &heading->text, heading->fields);
        return;
    }
    json_decref(heading->fields);
    if (!options->quiet)
        c->pending_heading = &heading->text; /* shown only if the command has something to say */
}

ebb_status cli_apply(cli *c, const cli_applied *apply, const cli_heading *heading, ebb_error *err)
{
    ebb_error why;
    const apply_options *options = &apply->options;
    show_heading(c, options, heading);
    ebb_status status = cli_execute(c, apply->command, &why);
    c->pending_heading = NULL;
    if (status == EBB_OK || (options->silent && !c->gave_up))
        return EBB_OK;
    if (!options->complain || c->gave_up)
        return ebb_fail(err, status, "%s", why.text);
    cli_emit_error(c, apply->command, &why);
    return EBB_OK;
}

ebb_status cli_apply_all_silently(cli *c, cli_handler *apply, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    char *args = ebb_asprintf("all -s %s", call->args);
    cli_call all = *call;
    all.args = args;
    ebb_status status = apply(c, &all, reply, err);
    free(args);
    return status;
}

cli_selection cli_selection_get(cli *c)
{
    const ses_frame *frame;
    cli_selection selection = {.thread =
                                   ses_thread_number(c->session, ses_thread_selected(c->session))};
    if (ses_get_state(c->session) == SES_STOPPED &&
        ses_frame_selected(c->session, &frame, NULL) == EBB_OK)
        selection.level = frame->level;
    return selection;
}

void cli_selection_restore(cli *c, const cli_selection *selection)
{
    if (ses_get_state(c->session) != SES_STOPPED)
        return;
    if (ses_thread_select(c->session, selection->thread, NULL) == EBB_OK &&
        ses_frame_select(c->session, selection->level, NULL) == EBB_OK)
        return;
}
