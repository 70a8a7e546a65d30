/* gdb_words.h - the command line as gdb's users write it: `ebb ./a.out`, `ebb ./a.out PID`, `ebb -p PID`, `ebb --args ./a.out ARG...`, with
 * gdb's names of the options that ebb has, too.  It is put into ebb's own words before anybody else reads it. */
#ifndef EBB_FRONT_CLI_GDB_WORDS_H
#define EBB_FRONT_CLI_GDB_WORDS_H

#include "base/error.h"
#include "base/mem.h"

#include <stdbool.h>

typedef EBB_VEC(char *) cli_words; /* borrowed from argv, or literals; ends in NULL */

/* Whether the first word can be meant for gdb: an option of its, or a program. */
bool cli_gdb_words_begin(const char *word);
/* `words` becomes "ebb VERB OPTION... -- REST". */
ebb_status cli_gdb_words(int argc, char **argv, cli_words *words, ebb_error *err) EBB_MUST_CHECK;

#endif
