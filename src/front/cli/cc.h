/* cc.h - `ebb cc` and `ebb c++`: GCC with timestamps compiled in. */
#ifndef EBB_FRONT_CLI_CC_H
#define EBB_FRONT_CLI_CC_H

#include "front/cli/options.h"

int cli_cc(const cli_options *options); /* returns only if GCC can't be executed */

#endif
