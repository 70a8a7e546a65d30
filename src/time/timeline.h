/* timeline.h - the one way through which front ends and queries move in time.
 *
 * A timeline stands over a machine and has a *now*.  `run` moves it in a direction until the machine
 * has a reason to stop; `seek` puts it at a position.  How a move backward is done (undoing, or
 * replaying from a snapshot) is the timeline's own business and can't be seen from outside:
 *
 * T1  the state at a position is the same however it was reached;
 * T2  a move that fails leaves the timeline where it was, or POISONED: then every further move fails
 *     with the reason, and only ending the debuggee helps;
 * T3  all movement of a debuggee goes through its timeline, never past it to the machine.
 *
 * Over a machine that keeps no history (native mode) a timeline moves forward only, and says so. */
#ifndef EBB_TIME_TIMELINE_H
#define EBB_TIME_TIMELINE_H

#include "base/error.h"
#include "machine/machine.h"
#include "time/position.h"

typedef struct ebb_timeline ebb_timeline;

typedef enum ebb_timeline_state {
    EBB_TIMELINE_LIVE,     /* at the end of time: going forward runs the program */
    EBB_TIMELINE_POISONED, /* a move failed half-way (T2) */
    EBB_TIMELINE_ENDED,    /* the debuggee is gone and left no history to go back to */
} ebb_timeline_state;

ebb_timeline *ebb_timeline_new(machine *m); /* borrows the machine, which outlives it */
void ebb_timeline_free(ebb_timeline *tl);   /* NULL is fine */

ebb_timeline_state ebb_timeline_get_state(const ebb_timeline *tl);

/* Moves until something stops it.  EBB_NO_HISTORY if there is no way in that direction. */
ebb_status ebb_timeline_run(ebb_timeline *tl, const machine_request *request, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;

/* The present position.  EBB_UNSUPPORTED where the machine counts no time. */
ebb_status ebb_timeline_now(ebb_timeline *tl, machine_tid thread, ebb_position *now, ebb_error *err) EBB_MUST_CHECK;

/* Goes to a position of this execution. */
ebb_status ebb_timeline_seek(ebb_timeline *tl, ebb_position to, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;

#endif
