/* again.h - runs of a program that counts its time, of which the answers to questions about its past are made.  See session/counted.h.
 *
 *     again.c        a run: begun, to a timestamp, to the next stop
 *     trail.c        where runs were at some of their ticks, by which one that differs is known
 *     place.c        from a timestamp on to a place; where the question was asked, and back to it
 *     breakpoints.c  breakpoints at positions
 *     writes.c       last-write, values
 *     bisect.c       bisect
 *
 * CT7  a run that comes to nothing says why: it differs (CT1), it was killed or interrupted, or there is no such moment. */
#ifndef EBB_SESSION_COUNTED_AGAIN_H
#define EBB_SESSION_COUNTED_AGAIN_H

#include "base/mem.h"
#include "session/counted.h"
#include "session/position.h"

machine_tid ses_again_main_thread(const session *s);

/* ---- what does not stop such a run ---- */

typedef EBB_VEC(int) ses_muted; /* numbers of breakpoints */
void ses_again_mute(session *s, ses_muted *muted);
void ses_again_unmute(session *s, ses_muted *muted); /* frees it */
void ses_again_tell_signals(session *s, bool told);

/* ---- runs ---- */

/* A new run, which stands at main. */
ebb_status ses_again_begin(session *s, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
/* The tick that gives `time` will be a stop; SES_COUNTED_NEVER: none. */
ebb_status ses_again_stop_at(session *s, uint64_t now, uint64_t time, ebb_error *err) EBB_MUST_CHECK;
void ses_again_forget_stop(session *s);
/* To the tick that gives this timestamp, from before it; or to the next one that is the program's own, where this one was counted by a child in its
 * memory (x86/counter.h). */
ebb_status ses_again_to_time_or_after(session *s, uint64_t time, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_again_to_time(session *s, uint64_t time, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
/* From the tick on to the first moment in the code that it belongs to. */
ebb_status ses_again_leave_tick(session *s, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_again_run_on(session *s, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK; /* to the next stop, wherever */

/* CT7: all three fail. */
ebb_status ses_again_differs(ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_again_interrupted(ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_again_ended(const session *s, const ses_stop *stop, uint64_t time, ebb_error *err) EBB_MUST_CHECK; /* it was to come to `time` */

/* ---- the trail ---- */

/* To the tick that gives `time`, or to the next of the program's own where that was a child's (TRAP), or to another stop.  What the trail stops the main thread for is one
 * move with it; where an earlier run was elsewhere then, that is said once a question.  `thread`: as in ses_move. */
ebb_status ses_trail_run(session *s, machine_tid thread, uint64_t now, uint64_t time, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;

/* ---- places ---- */

/* From the tick that gave its timestamp. */
ebb_status ses_again_to_place(session *s, const ses_position *to, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_again_go_to(session *s, ebb_position at, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;

/* ---- there and back ---- */

/* What was as it is when somebody asks. */
typedef struct ses_asked {
    ebb_position at;
    bool is_somewhere; /* `at` is known, a moment of the main thread */
    uint64_t state;    /* which of the passes of that place at that timestamp it is, where code that does not count passes it several times; 0: any */
    unsigned level;
    ses_muted muted;
} ses_asked;

bool ses_again_is_there(session *s, const ses_asked *from, ebb_position now); /* it is that place at that time, of whichever pass */
bool ses_again_is_same(session *s, const ses_asked *from);                    /* and it is that pass */
/* Goes to the pass that is meant; NOT_FOUND: none at that time is as it was. */
ebb_status ses_again_go_to_pass(session *s, const ses_asked *from, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
/* Where the main thread stops; breakpoints are out of the way from here on. */
ebb_status ses_again_ask(session *s, ses_asked *from, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_again_return(session *s, ses_asked *from, ebb_status status) EBB_MUST_CHECK; /* CT4; gives `status` */

#endif
