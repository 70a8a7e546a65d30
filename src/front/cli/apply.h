/* apply.h - doing one command in several threads or frames. */
#ifndef EBB_FRONT_CLI_APPLY_H
#define EBB_FRONT_CLI_APPLY_H

#include "front/cli/cli.h"

typedef struct apply_options {
    bool quiet;    /* -q: no headings */
    bool silent;   /* -s: where the command fails, nothing is shown */
    bool complain; /* -c: where it fails, say so and go on */
} apply_options;

/* A command, and how it is done in each of several. */
typedef struct cli_applied {
    apply_options options;
    const char *command;
} cli_applied;

/* What one of them is shown as. */
typedef struct cli_heading {
    const char *word; /* "thread", "frame" */
    cli_text text;
    json_t *fields;   /* for programs */
} cli_heading;

/* Takes -q, -s, -c off *args. */
void cli_apply_options(const char **args, apply_options *options);

/* Shows the heading, whose fields are taken, and does the command. */
ebb_status cli_apply(cli *c, const cli_applied *apply, const cli_heading *heading, ebb_error *err) EBB_MUST_CHECK;

/* `frame apply` or `thread apply`, with "all -s" in front of its arguments. */
ebb_status cli_apply_all_silently(cli *c, cli_handler *apply, const cli_call *call, cli_reply *reply, ebb_error *err) EBB_MUST_CHECK;

/* Which thread and frame questions are about. */
typedef struct cli_selection {
    unsigned thread, level;
} cli_selection;
cli_selection cli_selection_get(cli *c);
void cli_selection_restore(cli *c, const cli_selection *selection); /* as far as they still exist */

#endif
