/* shell_words.h - command lines split into words and put together again, with the shell's quoting and
 * nothing else of the shell: no variables, no globbing, no redirection. */
#ifndef EBB_SESSION_SHELL_WORDS_H
#define EBB_SESSION_SHELL_WORDS_H

#include "session/state.h"

ebb_status ses_words_split(const char *text, ses_strings *words, ebb_error *err) EBB_MUST_CHECK; /* appends */
/* Appends the word, quoted if it has to be. */
void ses_word_quote(const char *word, ebb_buf *out);

#endif
