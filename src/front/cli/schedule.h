/* schedule.h - `ebb schedule`: checks, converts and draws schedule files, and makes them of traces. */
#ifndef EBB_FRONT_CLI_SCHEDULE_H
#define EBB_FRONT_CLI_SCHEDULE_H

#include "front/cli/options.h"
#include "schedule/schedule.h"

/* The words that can stand after `ebb schedule`. */
bool cli_schedule_has(const char *kind);
int cli_schedule(cli_options *options); /* the exit status */

/* Reads these files, which are one schedule, NULL-terminated; with messages made into switches.  False: what is wrong has been told. */
bool cli_schedule_read(char **files, sched_schedule *schedule);
/* Prints the complaints about a file and frees them; gives `status` back. */
ebb_status cli_schedule_told(const char *file, sched_complaints *all, ebb_status status);

#endif
