/* search.h - looking back for a stop: one question to the timeline (ebb_timeline_run_back), and what came of it.
 *
 * The debuggee is run again from a moment of the past on.  The machine notes the hits of the points that it can judge alone
 * (machine/search.h), and at each other stop on the way it is asked whether that is one to end at.  So a stop may be judged many times before one is chosen, and judging has no effect that a user could see: no counts,
 * no temporary breakpoint deleted, no notice.
 *
 * RV1  what the user asked to stop at counts, besides the search's own points;
 * RV2  a watchpoint stops before the instruction that changes its value, everything else where it is: an
 *      exception where it is thrown;
 * RV3  own points are gone when the search ends, however it ends;
 * RV4  afterwards the selection is the innermost frame of the thread that ran there (SE2);
 * RV5  hits that are to be ignored are used up by going back over them, as by going forward.  What is only kept aside uses up none: a
 *      breakpoint that has some left is passed by. */
#ifndef EBB_SESSION_BACK_SEARCH_H
#define EBB_SESSION_BACK_SEARCH_H

#include "session/points.h"
#include "time/position.h"

typedef struct ses_search ses_search;

/* The last of the user's stops that a search came by, without ending there. */
typedef struct ses_aside {
    bool found;
    ebb_position at;
    bool is_before; /* it is about the instruction before */
    ses_stop stop;  /* owns its texts */
} ses_aside;

/* What the user's stops mean to a search: they end it, unless one of these is said. */
typedef struct ses_users {
    bool own_only;    /* they don't count */
    ses_aside *aside; /* the last of them is kept here; over several searches, if they share it */
} ses_users;

struct ses_search {
    machine_tid thread; /* whose arrivals at own points count; 0: anybody's */
    ses_users users;
    /* One of the own points was reached: sets ebb_verdict flags.  The debuggee stands there, with that thread selected. */
    ebb_status (*reached)(session *s, ses_search *search, const machine_stop *at, ebb_position now, unsigned *verdict, ebb_error *err);

    /* of search.c: */
    machine_stop at;   /* what was found: HISTORY_START and INTERRUPTED among it */
    EBB_VEC(machine_point_id) points;
    ses_noted noted; /* those of them that the machine judges alone, then the user's */
    ebb_position origin;
    ses_stop accepted; /* the last stop of the user's that was accepted; owns its texts */
    bool is_own;       /* the last accepted stop was of the search's own points */
    bool is_own_too;   /* ... is the user's, but there is an own point as well */
};

ebb_status ses_search_points(session *s, ses_search *search, const machine_point *points, size_t n, ebb_error *err) EBB_MUST_CHECK;
/* Points that the machine judges alone: `reached` is asked once, about what was found, and agrees. */
ebb_status ses_search_note(session *s, ses_search *search, const machine_point *points, const uint32_t *groups, size_t n, ebb_error *err) EBB_MUST_CHECK;
/* Goes back.  The debuggee stands where `at` says, selected (RV4); nothing else is done yet: ses_search_settle, or another search, or
 * ses_search_fini. */
ebb_status ses_search_run(session *s, ses_search *search, ebb_error *err) EBB_MUST_CHECK;
bool ses_search_found_own(const ses_search *search); /* it ended at an own point */
/* Tells what was found as a stop of the session; `own` if it was one of the own points. */
void ses_search_settle(session *s, ses_search *search, ses_stop_kind own, ses_stop *stop);
void ses_search_fini(session *s, ses_search *search);

/* Goes to what was kept aside, and tells it. */
ebb_status ses_aside_settle(session *s, ses_aside *aside, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
void ses_aside_fini(ses_aside *aside);

#endif
