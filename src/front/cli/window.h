/* window.h - a window with the source text over the conversation (`tui enable`, `layout src`).
 *
 * The terminal's scrolling region is made smaller: the conversation, the program's output and the line editor have the lower part, as if it
 * were the whole terminal; the upper part shows the lines around the selected frame's, and a bar with its place.  It is drawn anew after
 * every command.
 *
 * CW1  a terminal that ebb leaves has its whole height again. */
#ifndef EBB_FRONT_CLI_WINDOW_H
#define EBB_FRONT_CLI_WINDOW_H

#include "base/error.h"

#include <stdbool.h>

typedef struct cli cli;

typedef struct cli_window {
    bool is_on;
    bool shows_code;      /* machine code instead of the source text */
    unsigned rows;        /* of the terminal, when it was last drawn; 0: not yet */
} cli_window;

/* EBB_UNSUPPORTED where nobody looks at a terminal. */
ebb_status cli_window_show(cli *c, bool code, ebb_error *err) EBB_MUST_CHECK;
void cli_window_hide(cli *c);
/* Draws it, if it is on. */
void cli_window_draw(cli *c);

#endif
