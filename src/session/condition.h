/* condition.h - conditions and ignore counts of breakpoints, given to the machine to save stops.
 *
 * A language makes code of a condition where it can (machine/code.h), and the machine executes it at the hits.  A condition of
 * which no code is made is tested by the session, which costs a stop for each hit: that is said when the condition is set.  A
 * class that the condition needs may come later; then it is tried again at hits, at the first, second, fourth, eighth and so on.
 *
 * CN1  nothing but speed depends on it: at a stop the session tests the condition again, and hits are counted as if all of them
 *      had stopped;
 * CN2  the machine ignores hits only where it knows whether the condition holds: all places of the breakpoint have code. */
#ifndef EBB_SESSION_CONDITION_H
#define EBB_SESSION_CONDITION_H

#include "session/state.h"

/* The place has its point in the machine: its condition is told. */
void ses_condition_tell(session *s, ses_bp *bp, size_t place);
/* Says that a condition is tested by the session, once for each. */
void ses_condition_say_slow(session *s, ses_bp *bp, const char *why);
/* The place was hit. */
void ses_condition_retry(session *s, ses_bp *bp, size_t place);

/* Before the debuggee moves forward, and after. */
void ses_ignores_tell(session *s);
void ses_ignores_collect(session *s);

#endif
