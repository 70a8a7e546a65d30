/* activations.h - frames as stepping back sees them.
 *
 * An *activation* is one invocation of one function, together with the call that made it.  The language supplies them (language.h);
 * stepping back compares them and asks where one of them stands now.
 *
 * AV1  `id` names the function and the frame (of C the CFA, of Java the machine's number).  A frame that has returned leaves its
 *      id to the next one in the same place: what tells the two apart is the call in between, so who looks for an activation
 *      in the past also looks for the call that made it, and looks no further;
 * AV2  `place` is the instruction under way: of a frame that has called another one, the call. */
#ifndef EBB_SESSION_BACK_ACTIVATIONS_H
#define EBB_SESSION_BACK_ACTIVATIONS_H

#include "session/state.h"

typedef struct ses_activation {
    machine_tid thread;
    ses_frame_id id;       /* of the physical frame; inlined calls are frames within it: */
    unsigned inlined;      /* so many of them are under way at `place` */
    machine_place place;   /* when it was looked at (AV2) */
    bool has_caller;       /* the call that made it is known: */
    ses_frame_id caller;
    bool is_interrupt;     /* ... but it is no call: a signal was delivered to the caller before the instruction `call` */
    machine_place call;    /* the instruction */
    machine_place back;    /* where it goes on when the call returns */
    /* Its own last instruction, if the caller then goes on with the call itself and nobody could stop there: of Java an initialiser, which the
     * call of a method of its class had to wait for.  0: `back` will do. */
    machine_place leaves_at;
} ses_activation;

/* ses_activation.inlined: as deep as they go, so that every row counts for itself. */
enum { SES_ALL_INLINED = ~0u >> 1 };

/* A row of a function's line table. */
typedef struct ses_row {
    const char *file; /* NULL: the only one of its function */
    unsigned line;
    machine_place lo, hi;
} ses_row;

typedef EBB_VEC(machine_place) ses_places;

/* The one `depth` calls away from the innermost; false if there are fewer. */
bool ses_activation_at(session *s, machine_tid thread, unsigned depth, ses_activation *out);
bool ses_activation_is_innermost(session *s, const ses_activation *a);
/* Where it stands now; 0 if it isn't there. */
machine_place ses_activation_place(session *s, const ses_activation *a);
/* What it called and is under way: the nearest, or (shown_only) the nearest that a person steps through.  False if there is none. */
bool ses_activation_callee(session *s, const ses_activation *a, bool shown_only, ses_activation *out);
/* The innermost one within it, near or far, that a person steps through.  False if there is none. */
bool ses_activation_innermost_callee(session *s, const ses_activation *a, ses_activation *out);
/* A point at that place, for that frame alone (cfa 0: for any). */
machine_point ses_activation_point(ses_frame_id frame, machine_place place);
/* It is set: a machine that doesn't know frames is told how to recognise that of the point, if there is a way. */
void ses_activation_tell(session *s, const machine_point *point, machine_point_id id);

/* The row that a person sees who looks from `inlined` inlined calls deep.  False: the place is on no line. */
bool ses_row_at(session *s, machine_place place, unsigned inlined, ses_row *row);
bool ses_row_same_line(const ses_row *a, const ses_row *b);

#endif
