/* far.h - `ebb run --listen` and `ebb run --connect`. */
#ifndef EBB_FRONT_CLI_FAR_H
#define EBB_FRONT_CLI_FAR_H

#include "front/cli/options.h"
#include "session/session.h"

/* Serves until it is ended; returns an exit status if it can't. */
int cli_listen(const cli_options *options);
ebb_status cli_connect(session *s, const cli_options *options, ebb_error *err) EBB_MUST_CHECK;

#endif
