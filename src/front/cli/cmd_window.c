/* cmd_window.c - the window with the source text. */
#include "front/cli/handlers.h"
#include "front/cli/view.h"
#include "front/cli/window.h"

ebb_status cli_cmd_window_source(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return cli_window_show(c, false, err);
}

ebb_status cli_cmd_window_code(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    return cli_window_show(c, true, err);
}

ebb_status cli_cmd_window_hide(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    cli_window_hide(c);
    return EBB_OK;
}

/* Whatever the program drew over it. */
ebb_status cli_cmd_window_refresh(cli *c, const cli_call *call, cli_reply *reply, ebb_error *err)
{
    c->window.rows = 0;
    return EBB_OK;
}
