/* complete.h - what a line that is being typed could become.
 *
 * The line is matched against the table as far as it goes; where the cursor is, the schema of the
 * command says what kind of argument stands there, and that kind's completer offers words. */
#ifndef EBB_FRONT_CLI_COMPLETE_H
#define EBB_FRONT_CLI_COMPLETE_H

#include "front/cli/cli.h"

typedef EBB_VEC(char *) cli_words;

/* Words that could replace line[*from..]; sorted, each once, owned by `words`. */
void cli_complete(cli *c, const char *line, size_t *from, cli_words *words);
void cli_words_fini(cli_words *words);
/* How many bytes all of them begin with. */
size_t cli_words_common(const cli_words *words);

#endif
