/* step.h - stepping by source line: the state machine that step, next, until and finish out of an
 * inlined function share.
 *
 * A step has a range of addresses (the present line's) and a frame.  As long as the thread stays in the
 * range it goes on; outside, one of these holds:
 *   - a new function was called: run to its return, or, where the step goes into functions with lines,
 *     to the end of its prologue, and stop there;
 *   - an inlined function was entered or is being passed;
 *   - the function returned, or control jumped: go on until the beginning of a statement of another
 *     line.  In the middle of a line the range becomes that line's.
 *
 * ST1  nothing called from the stepped line is itself stepped: it runs to a point at its return;
 * ST2  a point at a return holds only for the invocation that was called (MV3). */
#ifndef EBB_SESSION_C_STEP_H
#define EBB_SESSION_C_STEP_H

#include "session/move.h"

typedef enum ses_over { SES_OVER_NONE, SES_OVER_UNDEBUGGABLE, SES_OVER_ALL } ses_over;

typedef struct ses_stepper {
    ses_move move;            /* first: a stepper is a move */
    ses_over over;            /* which calls are run through */
    bool one_insn;            /* stepi, nexti */
    bool from_start;          /* until: the range begins where the function does */
    unsigned left;            /* steps still to make, this one included */
    ses_stop_kind stop_kind;  /* what the stop at its end is called */

    uint64_t lo, hi;          /* the range; empty: whatever comes next counts */
    ses_frame_id frame;       /* where the step is, inlined calls counted; follows returns */
    const char *file;         /* the line that the step is on; NULL and 0 if on none */
    unsigned line;
    uint64_t start_function;  /* entry of the function where the step began */
    ses_frame_id initiating;  /* the frame that the user steps in: a longjmp out of it ends the step */

    bool is_resuming;         /* runs to its RESUME point before anything is looked at again */
    bool is_signalled;        /* a signal is being delivered; its handler, if it has one, ... */
    uint64_t signalled_pc;    /* ... returns to here */
    ses_frame_id signalled_frame;
} ses_stepper;

/* Prepares one step of the selected thread's innermost frame.  *done: it is made already (an inlined
 * function was entered without moving). */
ebb_status ses_stepper_begin(session *s, ses_stepper *st, bool *done, ebb_error *err) EBB_MUST_CHECK;
/* Runs a prepared one to its end. */
ebb_status ses_stepper_run(session *s, ses_stepper *st, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
/* Takes the step's frame and line from the frame at a level; the range is left alone. */
void ses_stepper_set_frame(session *s, ses_stepper *st, unsigned level);
uint64_t ses_function_entry_at(session *s, uint64_t pc); /* 0 if unknown */
/* Where a step into the function that pc is in stops: after its prologue, at the beginning of a line. */
uint64_t ses_function_body(session *s, uint64_t pc);

/* longjmp.c: LONGJMP points on libc's longjmp functions, once a move. */
ebb_status ses_longjmp_watch(session *s, ses_move *move, ebb_error *err) EBB_MUST_CHECK;
/* The thread stands at the beginning of one: a LONGJMP_END point goes to where it leads. */
ebb_status ses_longjmp_follow(session *s, ses_move *move, ebb_error *err) EBB_MUST_CHECK;
/* The thread stands where it led: whether it left the frame, or came back right to it. */
bool ses_longjmp_ends(session *s, ses_frame_id initiating);

/* Whether steps pass over the function that `pc` is in (session/skip.h). */
bool ses_c_is_skipped(session *s, uint64_t pc);

#endif
