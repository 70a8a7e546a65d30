/* record.h - `ebb record`: a program runs to its end, and its recording is kept.
 *
 * Nobody looks at it meanwhile: what it stops at (a signal, a trap of its own) is no reason to end, and ebb prints nothing but warnings, and
 * at the end where the recording is, to standard error. */
#ifndef EBB_FRONT_CLI_RECORD_H
#define EBB_FRONT_CLI_RECORD_H

#include "front/cli/cli.h"
#include "front/cli/options.h"

/* The exit status: the program's, 128 and the signal that killed it, or 1 with *err if it could not be run. */
ebb_status cli_record(cli *c, const cli_options *options, int *exit_status, ebb_error *err) EBB_MUST_CHECK;

#endif
