/* convenience.h - variables of the user's own, $name, and those that ebb sets: $_, $__, $_exitcode,
 * $bpnum, $_exception; $_thread, $_gthread and $_inferior are computed when asked for.  What their values are is the language's (LA2). */
#ifndef EBB_SESSION_CONVENIENCE_H
#define EBB_SESSION_CONVENIENCE_H

#include "session/state.h"

void ses_convenience_init(session *s);
void ses_convenience_fini(session *s);
void ses_convenience_set(session *s, const char *name, void *kept); /* takes a value of the session's language */
void ses_convenience_set_int(session *s, const char *name, int64_t number);
/* Borrowed; NULL if it was never set, or is of another language. */
const void *ses_convenience_get(session *s, const char *name);
/* The ones that are computed: false if it is none of them. */
bool ses_convenience_computed(session *s, const char *name, int64_t *number);

#endif
