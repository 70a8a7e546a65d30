/* signals.h - what happens when the debuggee gets a signal. */
#ifndef EBB_SESSION_SIGNALS_H
#define EBB_SESSION_SIGNALS_H

#include "session/state.h"

void ses_signals_init(session *s);
void ses_signals_fini(session *s);
/* Tells the machine which signals it has to tell of, and which it passes on. */
void ses_signals_apply(session *s);
ses_signal_policy ses_signal_policy_of(const session *s, int number);

#endif
