/* trail.h - the moves by which a value of a Java program is followed back.
 *
 * A *spot* is an instruction in one activation of its method: that frame of that thread.  Nothing of what the user set stops these moves.
 *
 * TA1  a move that finds nothing, as *found says, leaves the debuggee where it was, or at the beginning of history if nothing lies before it;
 * TA2  an interrupt ends a move with EBB_INTERRUPTED. */
#ifndef EBB_SESSION_JAVA_TRAIL_H
#define EBB_SESSION_JAVA_TRAIL_H

#include "session/java/java.h"

typedef struct ses_java_spot {
    machine_place place;
    machine_tid thread;
    uint64_t frame;
} ses_java_spot;
typedef EBB_VEC(ses_java_spot) ses_java_spots;

/* Back to before the instruction that was the last of these to be executed before now: *which. */
ebb_status ses_java_trail_last(session *s, const ses_java_spot *spots, size_t n, size_t *which, bool *found, ebb_error *err) EBB_MUST_CHECK;
/* Forward to where one is reached next. */
ebb_status ses_java_trail_next(session *s, ses_java_spot spot, bool *found, ebb_error *err) EBB_MUST_CHECK;
/* Back to before the last instruction of that thread. */
ebb_status ses_java_trail_step(session *s, machine_tid thread, bool *found, ebb_error *err) EBB_MUST_CHECK;
/* Back to before the last instruction that wrote there, also what was there already; *is_new: that made the object which lies there. */
ebb_status ses_java_trail_write(session *s, machine_addr addr, unsigned nbytes, bool *is_new, bool *found, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_java_trail_go(session *s, ebb_position to, ebb_error *err) EBB_MUST_CHECK;

#endif
