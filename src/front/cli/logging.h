/* logging.h - `set logging`: what ebb says goes to a file, too, or instead. */
#ifndef EBB_FRONT_CLI_LOGGING_H
#define EBB_FRONT_CLI_LOGGING_H

#include "front/cli/cli.h"

/* Begins, into the file that the setting `logging file` names; false: it can't be opened. */
ebb_status cli_logging_begin(cli *c, ebb_error *err) EBB_MUST_CHECK;
void cli_logging_end(cli *c);
/* Copies what is said to the file, if there is one; true: it is to be said nowhere else. */
bool cli_logging_takes(cli *c, const char *bytes, size_t nbytes);

#endif
