/* verbs.h - checks that the moving verbs share. */
#ifndef EBB_SESSION_VERBS_H
#define EBB_SESSION_VERBS_H

#include "session/state.h"

/* Moves go from the innermost frame, whatever frame is selected. */
void ses_select_innermost(session *s);

/* Runs until something stops it. */
ebb_status ses_run_on(session *s, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;

#endif
