/* token.h - the secret that two ebbs share: never on a command line, where everybody who may list processes could read it.
 *
 * It is what EBB_TOKEN says, or the first line of a file that only its owner can read; else whoever listens makes one up, and who
 * connects is asked for it. */
#ifndef EBB_FRONT_CLI_TOKEN_H
#define EBB_FRONT_CLI_TOKEN_H

#include "base/error.h"

/* Also takes EBB_TOKEN out of the environment, so that no program gets it.  *token is the caller's; NULL: neither is there. */
ebb_status cli_token_given(const char *file, char **token, ebb_error *err) EBB_MUST_CHECK;
ebb_status cli_token_new(char **token, ebb_error *err) EBB_MUST_CHECK;
ebb_status cli_token_ask(const char *where, char **token, ebb_error *err) EBB_MUST_CHECK; /* of a person at the terminal */

#endif
