/* handlers.h - prototypes of the handlers that commands.def names. */
#ifndef EBB_FRONT_CLI_HANDLERS_H
#define EBB_FRONT_CLI_HANDLERS_H

#include "front/cli/command.h"

#define CLI_COMMAND(name, aliases, group, schema, handler, flags, brief, details)                  \
    cli_handler cli_cmd_##handler;
#include "front/cli/commands.def"
#undef CLI_COMMAND

#endif
