/* convenience.h - variables of the user's own, $name, and those that ebb sets: $_, $__, $_exitcode,
 * $bpnum; $_thread is computed when asked for. */
#ifndef EBB_SESSION_CONVENIENCE_H
#define EBB_SESSION_CONVENIENCE_H

#include "session/state.h"

void ses_convenience_init(session *s);
void ses_convenience_fini(session *s);
void ses_convenience_set(session *s, const char *name, const expr_value *value);
void ses_convenience_set_int(session *s, const char *name, int64_t number);
/* void if it was never set. */
void ses_convenience_get(session *s, ebb_arena *arena, const char *name, expr_value *value);

#endif
