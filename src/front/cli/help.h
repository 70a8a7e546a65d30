/* help.h - what the table says about itself. */
#ifndef EBB_FRONT_CLI_HELP_H
#define EBB_FRONT_CLI_HELP_H

#include "front/cli/cli.h"

/* Help on a command ("info locals") or a group ("data"); "" is the list of groups.  c may be NULL: then
 * only the table is asked. */
ebb_status cli_help(cli *c, const char *topic, cli_text *text, ebb_error *err) EBB_MUST_CHECK;

#endif
