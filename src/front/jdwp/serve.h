/* serve.h - `ebb serve --jdwp`. */
#ifndef EBB_FRONT_JDWP_SERVE_H
#define EBB_FRONT_JDWP_SERVE_H

#include "front/cli/options.h"

int jdwp_serve(const cli_options *options); /* the status to exit with */

#endif
