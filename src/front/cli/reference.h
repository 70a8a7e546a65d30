/* reference.h - documents that are made from the tables, so that they can't tell anything else than the program does. */
#ifndef EBB_FRONT_CLI_REFERENCE_H
#define EBB_FRONT_CLI_REFERENCE_H

#include "base/buf.h"

void cli_reference_markdown(ebb_buf *out); /* docs/commands.md */
void cli_reference_man(ebb_buf *out);      /* ebb(1), for roff */

#endif
