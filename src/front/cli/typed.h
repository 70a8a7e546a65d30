/* typed.h - the lines that were typed, kept from one conversation to the next.
 *
 * They live in $XDG_STATE_HOME/ebb/history, or ~/.local/state/ebb/history.  A history that can't be
 * read or written (no home, a full disk) is one line of warning at most, and never stops anything. */
#ifndef EBB_FRONT_CLI_TYPED_H
#define EBB_FRONT_CLI_TYPED_H

#include "front/cli/cli.h"

#include <histedit.h>

typedef struct cli_history cli_history;

cli_history *cli_history_new(cli *c);  /* reads the file */
void cli_history_free(cli_history *h); /* writes it, if `history save` is on; NULL is fine */
void cli_history_add(cli_history *h, const char *line);
void cli_history_list(cli_history *h, size_t at_most, ebb_buf *out);
History *cli_history_of_editor(cli_history *h); /* borrowed */

/* "$XDG_x_HOME/ebb/NAME", or the same below ~/FALLBACK; NULL without a home.  Caller frees. */
char *cli_home_file(const char *variable, const char *fallback, const char *name);

#endif
