/* move.h - the one loop in which the debuggee runs.
 *
 * A *move* is a verb under way: it asks the timeline to run or to step, and decides, each time the
 * moved thread arrives somewhere, whether it is done.  The loop around it takes care of all that can
 * happen on the way: breakpoints and their conditions, watchpoints, catchpoints, signals and their
 * policy, modules that come and go, fork, exec, Ctrl-C, the end of the program.
 *
 * MV1  what the user asked to stop at is looked at before the move's own reasons;
 * MV2  internal points are the move's own and are gone when it ends, however it ends;
 * MV3  an internal point stops only the thread it is for, and, where it names a frame, only that
 *      invocation: recursion and other threads run through it. */
#ifndef EBB_SESSION_MOVE_H
#define EBB_SESSION_MOVE_H

#include "session/stack.h"
#include "session/state.h"

typedef struct ses_move ses_move;

/* What an internal point is for. */
typedef enum ses_point_role {
    SES_POINT_TARGET,      /* where the move wants to get to */
    SES_POINT_RETURN,      /* where the frame that the move began in returns to */
    SES_POINT_RESUME,      /* a call on the way is over: look again */
    SES_POINT_LONGJMP,     /* the entry of a longjmp function */
    SES_POINT_LONGJMP_END, /* where that longjmp goes */
} ses_point_role;

/* A stop that users don't see. */
typedef struct ses_internal_point {
    machine_point_id id;
    ses_point_role role;
    uint64_t addr;
    ses_frame_id frame; /* cfa 0: any */
} ses_internal_point;

enum { SES_MOVE_MAX_POINTS = 64 };

struct ses_move {
    machine_tid thread;      /* whose move it is; 0: any thread's arrival counts */
    machine_tid mover;       /* filled in: which one was selected when it began */
    machine_request request; /* what the next resume asks for; the loop fills in the signal */
    bool by_instruction;     /* stepi, nexti: show inlined frames as they are */
    /* The moved thread stepped, or reached one of the points below.  Sets *done and stop->kind, or
     * changes `request` and goes on.  NULL: such an arrival is of no interest. */
    ebb_status (*arrived)(session *s, ses_move *move, bool *done, ses_stop *stop, ebb_error *err);
    /* Every stop is shown, before anybody else looks at it; *done ends the move there, as SES_STOP_LOCATION unless the session has a reason
     * of its own.  NULL: no interest. */
    ebb_status (*seen)(session *s, ses_move *move, const machine_stop *at, bool *done, ses_stop *stop, ebb_error *err);
    /* The program executed a breakpoint instruction, or a tick that was asked for (counted.h): as `arrived`.  NULL: the move ends there. */
    ebb_status (*trapped)(session *s, ses_move *move, const machine_stop *at, bool *done, ses_stop *stop, ebb_error *err);
    bool wants_catches;      /* an exception that arrives at its handler is an arrival, too */
    /* A signal is about to be delivered to the moved thread; NULL: no interest. */
    void (*signalled)(session *s, ses_move *move);
    ses_internal_point points[SES_MOVE_MAX_POINTS];
    size_t n_points;
};

/* Runs the move to its end, selects where it stopped (SE2), and keeps *stop's texts in the session. */
ebb_status ses_move_run(session *s, ses_move *move, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
/* The same for a move within a verb: the selection and the last stop are the caller's business, and
 * so are *stop's texts (ses_stop_fini). */
ebb_status ses_move_within(session *s, ses_move *move, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;

ebb_status ses_move_point(session *s, ses_move *move, ses_point_role role, uint64_t addr, ses_frame_id frame, ebb_error *err) EBB_MUST_CHECK;
void ses_move_clear_points(session *s, ses_move *move); /* all of them */
void ses_move_clear_role(session *s, ses_move *move, ses_point_role role);
/* The internal point that the thread (whose frames are current) stands at; NULL if none. */
const ses_internal_point *ses_move_point_reached(session *s, const ses_move *move);

/* The pc of a thread. */
ebb_status ses_pc(session *s, machine_tid thread, uint64_t *pc, ebb_error *err) EBB_MUST_CHECK;

/* What the last stop told, kept for the front end. */
void ses_remember_stop(session *s, const ses_stop *stop);

/* ending.c: the debuggee is gone (it exited, was killed, was let go): frees machine and timeline. */
void ses_end(session *s);

#endif
