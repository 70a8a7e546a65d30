/* script.h - commands made of commands: bodies of lines, and what users define. */
#ifndef EBB_FRONT_CLI_SCRIPT_H
#define EBB_FRONT_CLI_SCRIPT_H

#include "front/cli/cli.h"

typedef struct cli_user_command {
    char *body; /* lines */
    char *help; /* from `document`; NULL if none */
} cli_user_command;

/* The command of that exact name, or, if `begun_too`, the only one that the word begins. */
const char *cli_user_find(cli *c, const char *word, size_t nbytes, bool begun_too);
const cli_user_command *cli_user_get(cli *c, const char *name);
ebb_status cli_user_run(cli *c, const char *name, const char *args, ebb_error *err) EBB_MUST_CHECK;
void cli_user_fini(cli *c);

/* The lines of the current input up to the `end` that belongs to this body, nested bodies included.
 * with_else: *otherwise (may be NULL) gets what stands after `else`. */
ebb_status cli_read_body(cli *c, const char *what, ebb_buf *body, ebb_buf *otherwise,
                         ebb_error *err) EBB_MUST_CHECK;

#endif
