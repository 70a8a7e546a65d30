/* hits.h - which of the user's stops a machine's stop means. */
#ifndef EBB_SESSION_HITS_H
#define EBB_SESSION_HITS_H

#include "session/state.h"

/* Looks at the breakpoints and watchpoints where `thread` (selected, innermost frame) stands; counts
 * hits; fills *stop and answers true if one of them really stops. */
bool ses_check_hits(session *s, const machine_stop *at, ses_stop *stop);
/* Adds the breakpoint to the stop's list and deletes it if it was temporary. */
void ses_stop_add_breakpoint(session *s, ses_stop *stop, ses_bp *bp);
/* Takes the text.  Of a stop that is only judged it is said when it has been chosen. */
void ses_complain(session *s, machine_tid thread, char *text);
/* Thread, condition, hit and ignore counts of a breakpoint whose place was reached. */
bool ses_bp_holds(session *s, ses_bp *bp, ses_bp_place *place); /* its condition does, which can be tested here */
bool ses_bp_passes(session *s, ses_bp *bp, ses_bp_place *place, machine_tid thread);
/* Whether an enabled breakpoint of the user's was set on that inlined function at pc. */
bool ses_has_breakpoint_on_inlined(session *s, uint64_t pc, const char *function);

#endif
