/* serve.h - `ebb dap`. */
#ifndef EBB_FRONT_DAP_SERVE_H
#define EBB_FRONT_DAP_SERVE_H

#include "front/cli/options.h"

int dap_serve(const cli_options *options); /* the exit status */

#endif
