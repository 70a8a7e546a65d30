/* serve.h - `ebb serve --gdb`. */
#ifndef EBB_FRONT_RSP_SERVE_H
#define EBB_FRONT_RSP_SERVE_H

#include "front/cli/options.h"

int rsp_serve(const cli_options *options); /* the exit status */

#endif
