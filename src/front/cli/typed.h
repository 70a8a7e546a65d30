/* typed.h - the lines that were typed, kept from one conversation to the next.
 *
 * They live in $XDG_STATE_HOME/ebb/history, or ~/.local/state/ebb/history.  A file that can't be
 * read or written (no home, a full disk) is one line of warning at most, and never stops anything. */
#ifndef EBB_FRONT_CLI_TYPED_H
#define EBB_FRONT_CLI_TYPED_H

#include "front/cli/cli.h"

#include <histedit.h>

typedef struct cli_typed cli_typed;

cli_typed *cli_typed_new(cli *c);  /* reads the file */
void cli_typed_free(cli_typed *h); /* writes it, if `history save` is on; NULL is fine */
void cli_typed_add(cli_typed *h, const char *line);
void cli_typed_list(cli_typed *h, size_t at_most, ebb_buf *out);
History *cli_typed_of_editor(cli_typed *h); /* borrowed */

/* "$XDG_x_HOME/ebb/NAME", or the same below ~/FALLBACK; NULL without a home.  Caller frees. */
char *cli_home_file(const char *variable, const char *fallback, const char *name);

#endif
