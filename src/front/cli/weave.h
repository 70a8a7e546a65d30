/* weave.h - `ebb weave`: transforms class files, and says what it did. */
#ifndef EBB_FRONT_CLI_WEAVE_H
#define EBB_FRONT_CLI_WEAVE_H

#include "front/cli/options.h"

/* The words that can stand after `ebb weave`. */
bool cli_weave_has(const char *kind);
int cli_weave(cli_options *options); /* the exit status */

#endif
