/* cc.c - ebb becomes GCC. */
#include "front/cli/cc.h"

#include "gcc/command.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int cli_cc(const cli_options *options)
{
    ebb_error err;
    char **command;
    if (gcc_command(options->verb == CLI_VERB_CXX, options->rest, &command, &err) != EBB_OK) {
        fprintf(stderr, "ebb: %s\n", err.text);
        return 1;
    }
    execvp(command[0], command);
    fprintf(stderr, "ebb: %s: %s\n", command[0], strerror(errno));
    gcc_command_free(command);
    return 1;
}
