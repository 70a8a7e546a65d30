/* history.h - the values that were printed: $1, $2, ...; $ is the last, $$ the one before, $$n the
 * n-th before the last. */
#ifndef EBB_SESSION_HISTORY_H
#define EBB_SESSION_HISTORY_H

#include "session/state.h"

int ses_history_add(session *s, const expr_value *value); /* its number; the value is copied */
ebb_status ses_history_get(session *s, ebb_arena *arena, long index, bool from_end, expr_value *value, ebb_error *err) EBB_MUST_CHECK;
void ses_history_fini(session *s);

#endif
