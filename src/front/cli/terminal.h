/* terminal.h - the modes of the terminal, of which ebb and the debuggee each have their own.
 *
 * A debuggee that draws on the whole screen or reads single keys changes the terminal's modes.  While it
 * stands still the terminal is as ebb had it; when it runs on, as it left it. */
#ifndef EBB_FRONT_CLI_TERMINAL_H
#define EBB_FRONT_CLI_TERMINAL_H

#include <stdbool.h>
#include <termios.h>

typedef struct cli_terminal {
    bool has_ours, has_theirs;
    struct termios ours, theirs;
} cli_terminal; /* zero-initialised knows nothing */

void cli_terminal_lend(cli_terminal *t);      /* the debuggee is about to run */
void cli_terminal_take_back(cli_terminal *t); /* it has stopped */

#endif
