/* table.c - commands.def as an array. */
#include "front/cli/handlers.h"

static const cli_command rows[] = {
#define CLI_COMMAND(name, aliases, group, schema, handler, flags, brief, details)                  \
    {name, aliases, CLI_GROUP_##group, schema, cli_cmd_##handler, flags, brief, details},
#include "front/cli/commands.def"
#undef CLI_COMMAND
};

const cli_table cli_commands = {rows, sizeof rows / sizeof *rows};
