/* goto.h - `goto` over a machine that keeps a history: "start", "end", a bookmark's name, a timestamp, TIMESTAMP@WHERE, "#3" (links.h). */
#ifndef EBB_SESSION_GOTO_H
#define EBB_SESSION_GOTO_H

#include "session/state.h"

ebb_status ses_travel(session *s, const char *where, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;

#endif
