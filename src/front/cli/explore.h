/* explore.h - `ebb explore`: searches schedules of a Java program for one under which it fails, and says what it found.
 *
 * Status: 0 nothing failed, 1 a failure was found (or the search could not be made), 2 the command line made no sense. */
#ifndef EBB_FRONT_CLI_EXPLORE_H
#define EBB_FRONT_CLI_EXPLORE_H

#include "front/cli/options.h"

int cli_explore(const cli_options *options); /* the exit status */

#endif
