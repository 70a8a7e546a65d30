/* cmd_macro.c - macros of the preprocessor. */
#include "base/text.h"
#include "front/cli/handlers.h"
#include "front/cli/view.h"
#include "session/macros.h"

ebb_status cli_cmd_macro_expand(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    ebb_buf text = {0};
    ebb_status status = ses_macro_expand(c->session, call->args, &text, err);
    if (status == EBB_OK)
        cli_putf(&reply->text, "expands to: %s\n", ebb_buf_text(&text));
    ebb_buf_fini(&text);
    return status;
}

ebb_status cli_cmd_macro_define(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    (void)reply;
    return ses_macro_define(c->session, call->args, err);
}

ebb_status cli_cmd_macro_undef(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    (void)reply, (void)err;
    ses_macro_undefine(c->session, call->args);
    return EBB_OK;
}

ebb_status cli_cmd_macro_list(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    (void)call, (void)err;
    ses_macro_list_own(c->session, &reply->text.bytes);
    return EBB_OK;
}

ebb_status cli_cmd_info_macro(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    bool all = ebb_text_starts(call->args, "-a");
    const char *name = call->args;
    while (all && *name && *name != ' ')
        name++;
    name = ebb_text_skip_space(name);
    if (!*name)
        return ebb_fail(err, EBB_BAD_INPUT, "You must follow the `info macro' command with the name of the macro\nwhose definition you want to see.");
    return ses_macro_info(c->session, name, all, &reply->text.bytes, err);
}

ebb_status cli_cmd_info_macros(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    (void)call, (void)err;
    ses_macro_list(c->session, &reply->text.bytes);
    return EBB_OK;
}
