/* siginfo.h - $_siginfo: what is told of the signal that the selected thread stopped for. */
#ifndef EBB_SESSION_C_SIGINFO_H
#define EBB_SESSION_C_SIGINFO_H

#include "session/c/world.h"

/* False: there is no thread, or it did not stop for a signal. */
bool ses_siginfo_value(session *s, ebb_arena *arena, expr_value *value);

#endif
