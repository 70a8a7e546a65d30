/* counted.h - time of programs that count it by themselves: native ones (gcc/plugin.cc), and woven ones on a stock JVM (weave/).
 *
 * Such a program has a counter, and stops when that becomes what was asked for.  So at full speed, on the CPU itself or on any JVM, `when` has
 * an answer; and a position can be reached again by running the program again: one stop at its timestamp, one at its place.  The
 * questions about the past are passes of that kind.  The passes are the same for all; how the counter is read, how a run begins and how data is
 * named so that another run knows it is the language's (ses_counting).
 *
 * CT1  a run that comes to another timestamp, another place or its end where an earlier run came to a position is an error that
 *      says so (EBB_DIVERGED): the program does not do the same in each run.  Of a timestamp that no run has shown, of one
 *      that was killed, and of one that the user interrupted, nothing of the kind is said;
 *      Where a run went is known at some of its ticks, more of them the more there are (counted/trail.c): one that has another place there than
 *      an earlier run had is said to differ, in a warning, whatever was asked for;
 * CT2  the user's breakpoints do not stop a run that goes to a position, and are as they were afterwards;
 * CT3  bisect: where the condition makes no sense (a null on the way, a class that is not there yet) it counts as holding;
 * CT4  a question that has no answer leaves the program where it was asked, unless the runs differ: then there is no way back;
 * CT5  where data has another value in the run that answers than where the question was asked, that is said;
 * CT6  bisect, of Java: a condition that reads variables is about main's frame, the only one that another run surely knows; it is asked there
 *      whatever main has called.  Any other is asked in no frame, so that its names mean the same everywhere.  Of C: one that reads variables is
 *      asked in the frame that was selected, which another run has at the same address, as other calls of that function from there have; where
 *      there is no such frame it counts as holding.
 *
 * What a program does to the world outside it does again.  Threads other than the main thread run as they like. */
#ifndef EBB_SESSION_COUNTED_H
#define EBB_SESSION_COUNTED_H

#include "session/state.h"
#include "session/time.h"
#include "time/position.h"

#define SES_COUNTED_NEVER (UINT64_C(1) << 62)

typedef struct ses_counting {
    bool ticks_in_code; /* a tick is an instruction among the program's, not a call that the stop is in */
    bool (*is_on)(session *s); /* the program runs, or ran last or will, so that it alone counts */
    ebb_status (*now)(session *s, ebb_position *now, ebb_error *err); /* of the selected thread */
    /* What tells one pass of a place from another in the same run or in the next one; 0: nothing does. */
    uint64_t (*state)(session *s);
    /* The tick that gives `time` will be a stop (TRAP); SES_COUNTED_NEVER: none will. */
    ebb_status (*stop_at)(session *s, uint64_t now, uint64_t time, ebb_error *err);
    /* Where a stop at a tick is not in the code that the tick belongs to: on to that. */
    ebb_status (*leave_tick)(session *s, ses_stop *stop, ebb_error *err);
    ebb_status (*begin)(session *s, ses_stop *stop, ebb_error *err); /* a new run, to main (LOCATION) or to another stop; nothing runs now */
    /* The expression's place in words that can be watched in another run; caller frees.  *is_whole: whatever is written there is written to it, and
     * not to its neighbours. */
    ebb_status (*fix)(session *s, const char *expression, char **fixed, bool *is_whole, ebb_error *err);
    ebb_status (*prepare)(session *s, const char *fixed, ebb_error *err); /* at main: so that it can be watched from here on */
    /* In which object the expression's place is in this run; 0: in none. */
    ebb_status (*owner)(session *s, const char *expression, uint64_t *object, ebb_error *err);
    char *(*written)(const char *shown); /* the value in what a stop shows; caller frees */
} ses_counting;

bool ses_is_counted(session *s);
/* To the first of these places that is reached, in whatever frame. */
ebb_status ses_counted_run_to(session *s, const uint64_t *places, size_t n, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
/* Refused where another thread than the main thread is selected: no run can be repeated up to its moments. */
ebb_status ses_counted_need_main(session *s, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_counted_now(session *s, ebb_position *now, ebb_error *err) EBB_MUST_CHECK;
/* A timestamp, TIMESTAMP@PLACE, a bookmark, or "start". */
ebb_status ses_counted_goto(session *s, const char *where, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
void ses_counted_forget_runs(session *s); /* what comes may be another program, or the same with other input */
void ses_counted_begin_run(session *s);
ebb_status ses_counted_run(session *s, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
/* Continues; an enabled breakpoint at a position ahead is reached in two stops: at its timestamp and at its place. */
ebb_status ses_counted_run_on(session *s, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
/* To after the last write to the expression's place, whatever it stored there: two passes. */
ebb_status ses_counted_last_write(session *s, const char *expression, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_counted_values(session *s, ebb_arena *arena, const char *expression, ses_past_values *out, ebb_error *err) EBB_MUST_CHECK;
/* To the first timestamp at which the condition is false, which held at main: as many runs as that number has digits in base two. */
ebb_status ses_counted_bisect(session *s, const char *condition, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;

#endif
