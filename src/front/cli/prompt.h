/* prompt.h - the person at the terminal: libedit, history, completion. */
#ifndef EBB_FRONT_CLI_PROMPT_H
#define EBB_FRONT_CLI_PROMPT_H

#include "front/cli/cli.h"

typedef struct cli_prompt cli_prompt;

/* The input that reads standard input: with the line editor on a terminal, else line by line. */
cli_input *cli_prompt_input(cli *c);
void cli_prompt_free(cli_prompt *prompt); /* saves the history; NULL is fine */

const char *cli_prompt_text(cli *c); /* "(ebb) ", as set */

/* Asks, if there is a live program and a person: whether ebb may end. */
bool cli_may_quit(cli *c);

/* The last lines that were typed, oldest first. */
void cli_prompt_history(cli *c, size_t at_most, ebb_buf *out);

#endif
