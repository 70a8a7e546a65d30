/* recordings.h - `ebb ps`, `ebb jdk`, and `ebb record` of a script: many recordings at once. */
#ifndef EBB_FRONT_CLI_RECORDINGS_H
#define EBB_FRONT_CLI_RECORDINGS_H

#include "front/cli/options.h"

/* Each answers the exit status. */
int cli_ps(const cli_options *options);
int cli_jdk(const cli_options *options);
int cli_record_script(const cli_options *options);

#endif
