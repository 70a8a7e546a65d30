/* cmd_time.c - going back in time.  What moves asks the session, which asks the timeline: over a machine
 * that keeps no history these answer that there is none. */
#include "front/cli/args.h"
#include "front/cli/handlers.h"
#include "front/cli/view.h"

#include <string.h>

ebb_status cli_cmd_when(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    bool to_instruction = strcmp(call->args, "-i") == 0;
    if (*call->args && !to_instruction)
        return ebb_fail(err, EBB_BAD_INPUT, "\"when\" takes -i or nothing.");
    char *position;
    ebb_status status = ses_when(c->session, to_instruction, &position, err);
    if (status != EBB_OK)
        return status;
    cli_putf(&reply->text, "%s\n", position);
    cli_field_text(reply, "position", position);
    free(position);
    return EBB_OK;
}

ebb_status cli_cmd_goto(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ses_stop stop = {0};
    ebb_status status = ses_goto(c->session, call->args, &stop, err);
    if (status == EBB_OK)
        cli_view_stop(c, reply, &stop);
    return status;
}

ebb_status cli_cmd_history_only(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return ebb_fail(err, EBB_NO_HISTORY,
                    "\"%s\" needs recorded history, and none is kept yet.",
                    call->command->name);
}

ebb_status cli_cmd_info_bookmarks(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    cli_put(&reply->text, "No bookmarks.\n");
    cli_field_json(reply, "bookmarks", json_array());
    return EBB_OK;
}

static const char *mode_word(cli *c)
{
    return ses_get_mode(c->session) == SES_MODE_VM ? "vm" : "native";
}

ebb_status cli_cmd_info_history(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    cli_putf(&reply->text, "Mode: %s.\nNo history is kept: the program runs forward only.\n", mode_word(c));
    cli_field_text(reply, "mode", mode_word(c));
    cli_field_bool(reply, "keeps_history", false);
    return EBB_OK;
}

ebb_status cli_cmd_mode(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    if (strcmp(call->args, "vm") == 0)
        ses_set_mode(c->session, SES_MODE_VM);
    else if (strcmp(call->args, "native") == 0)
        ses_set_mode(c->session, SES_MODE_NATIVE);
    else if (*call->args)
        return ebb_fail(err, EBB_BAD_INPUT, "No such mode: \"%.40s\" (native or vm).", call->args);
    cli_putf(&reply->text, "%s\n", mode_word(c));
    cli_field_text(reply, "mode", mode_word(c));
    return EBB_OK;
}
