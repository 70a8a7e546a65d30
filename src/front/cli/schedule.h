/* schedule.h - `ebb schedule`: checks, converts and draws schedule files, and makes them of traces. */
#ifndef EBB_FRONT_CLI_SCHEDULE_H
#define EBB_FRONT_CLI_SCHEDULE_H

#include "front/cli/options.h"

/* The words that can stand after `ebb schedule`. */
bool cli_schedule_has(const char *kind);
int cli_schedule(cli_options *options); /* the exit status */

#endif
