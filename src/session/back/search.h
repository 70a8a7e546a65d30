/* search.h - moves backward: what the reverse- commands and the questions about the past share.
 *
 * A move backward is a search (ebb_timeline_run_back): the debuggee is run again from a snapshot on, and at each stop on
 * the way it is asked whether that is one to end at.  So a stop may be judged many times before one is chosen, and judging has
 * no effect that a user could see: no counts, no temporary breakpoint deleted, no notice.
 *
 * RV1  what the user asked to stop at counts, besides the move's own points;
 * RV2  a watchpoint stops before the instruction that changes its value, an exception before the one that throws it, everything
 *      else where it is;
 * RV3  own points are gone when the move ends, however it ends;
 * RV4  afterwards the selection is the innermost frame of the thread that ran there (SE2). */
#ifndef EBB_SESSION_BACK_SEARCH_H
#define EBB_SESSION_BACK_SEARCH_H

#include "session/state.h"
#include "machine/search.h"
#include "time/position.h"

typedef struct ses_back ses_back;

/* The last of the user's stops that a move came by, without ending there. */
typedef struct ses_aside {
    bool found;
    ebb_position at;
    bool is_before; /* it is about the instruction before */
    ses_stop stop;  /* owns its texts */
} ses_aside;

struct ses_back {
    machine_tid thread; /* whose arrivals at own points count; 0: anybody's */
    bool own_only;      /* the user's stops don't count */
    ses_aside *aside;   /* not NULL: they don't end the move, but the last of them is kept here; over several moves, if they share it */
    /* One of the own points was reached: sets ebb_verdict flags.  The debuggee stands there, with that thread selected. */
    ebb_status (*reached)(session *s, ses_back *back, const machine_stop *at, ebb_position now, unsigned *verdict, ebb_error *err);

    /* of search.c: */
    EBB_VEC(machine_point_id) points;
    EBB_VEC(machine_noted) noted; /* those of them that the machine judges alone, then the user's */
    ebb_position origin;
    ses_stop accepted; /* the last stop of the user's that was accepted; owns its texts */
    bool is_own;       /* the last accepted stop was of the move's own points */
};

/* The timeline has a past; also behind the end of the program. */
ebb_status ses_need_history(session *s, ebb_error *err) EBB_MUST_CHECK;

ebb_status ses_back_points(session *s, ses_back *back, const machine_point *points, size_t n, ebb_error *err) EBB_MUST_CHECK;
/* Points that the machine judges alone: `reached` is asked once, about what was found, and agrees. */
ebb_status ses_back_note(session *s, ses_back *back, const machine_point *points, const uint32_t *groups, size_t n, ebb_error *err) EBB_MUST_CHECK;
/* Goes back.  *at is what was found: HISTORY_START and INTERRUPTED among it.  The debuggee stands there, selected (RV4); nothing else is
 * done yet: ses_back_settle, or another move, or ses_back_fini. */
ebb_status ses_back_run(session *s, ses_back *back, machine_stop *at, ebb_error *err) EBB_MUST_CHECK;
/* Tells what was found as a stop of the session; `own` if it was one of the own points. */
void ses_back_settle(session *s, ses_back *back, const machine_stop *at, ses_stop_kind own, ses_stop *stop);
void ses_back_fini(session *s, ses_back *back);

/* Goes to what was kept aside, and tells it. */
ebb_status ses_aside_settle(session *s, ses_aside *aside, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
void ses_aside_fini(ses_aside *aside);

/* To a moment; the front end's terminal and the selection are taken care of. */
ebb_status ses_seek(session *s, ebb_position to, machine_stop *at, ebb_error *err) EBB_MUST_CHECK;
/* The debuggee was moved by somebody else: looks where it is now. */
void ses_moved(session *s, const machine_stop *at);
/* A stop of a move that went somewhere: POSITION, or what ended it before. */
void ses_settle_at(session *s, const machine_stop *at, ses_stop_kind kind, ses_stop *stop);

/* reverse-continue, reverse-stepi: the same for every language. */
ebb_status ses_reverse_continue(session *s, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_reverse_stepi(session *s, unsigned count, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;

/* The program ended, but its history is there: nothing stands any more, and there is a way back. */
void ses_end_of_time(session *s);
bool ses_is_behind_end(const session *s);

#endif
