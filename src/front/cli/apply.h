/* apply.h - doing one command in several threads or frames. */
#ifndef EBB_FRONT_CLI_APPLY_H
#define EBB_FRONT_CLI_APPLY_H

#include "front/cli/cli.h"

typedef struct apply_options {
    bool quiet;    /* -q: no headings */
    bool silent;   /* -s: where the command fails, nothing is shown */
    bool complain; /* -c: where it fails, say so and go on */
} apply_options;

/* Takes -q, -s, -c off *args. */
void cli_apply_options(const char **args, apply_options *options);

/* Shows the heading (and, for programs, the fields, which are taken) and does the command. */
ebb_status cli_apply(cli *c, const apply_options *options, const char *word,
                     const cli_text *heading, json_t *taken_fields, const char *command,
                     ebb_error *err) EBB_MUST_CHECK;

/* `frame apply` or `thread apply`, with "all -s" in front of its arguments. */
ebb_status cli_apply_all_silently(cli *c, cli_handler *apply, const cli_call *call, cli_reply *reply, ebb_error *err) EBB_MUST_CHECK;

/* Which thread and frame questions are about. */
typedef struct cli_selection {
    unsigned thread, level;
} cli_selection;
cli_selection cli_selection_get(cli *c);
void cli_selection_restore(cli *c, const cli_selection *selection); /* as far as they still exist */

#endif
