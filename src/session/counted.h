/* counted.h - time in native mode, of programs that count it by themselves (gcc/plugin.cc).
 *
 * Such a program has a counter, and executes a breakpoint instruction when that becomes zero.  So in native mode, at full speed, `when` has
 * an answer; and a position can be reached again by running the program again: one stop at its timestamp, one at its place.  The
 * questions about the past are passes of that kind.  All of it asks the program for what it has: variables, through the language.
 *
 * CT1  a run that comes to another timestamp, another place or its end where an earlier run came to a position is an error that
 *      says so (EBB_DIVERGED): the program does not do the same in each run;
 * CT2  the user's breakpoints do not stop a run that goes to a position, and are as they were afterwards.
 *
 * What a program does to the world outside it does again.  Threads other than the main thread run as they like. */
#ifndef EBB_SESSION_COUNTED_H
#define EBB_SESSION_COUNTED_H

#include "session/state.h"
#include "session/time.h"
#include "time/position.h"

/* The program runs, or ran last, in native mode and counts. */
bool ses_is_counted(session *s);
ebb_status ses_counted_now(session *s, ebb_position *now, ebb_error *err) EBB_MUST_CHECK;
/* A timestamp, TIMESTAMP@PLACE, a bookmark, or "start". */
ebb_status ses_counted_goto(session *s, const char *where, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
/* Continues; an enabled breakpoint at a position ahead is reached in two stops: at its timestamp and at its place. */
ebb_status ses_counted_run_on(session *s, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
/* To after the last write that changed the expression's place: two passes. */
ebb_status ses_counted_last_write(session *s, const char *expression, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;
ebb_status ses_counted_values(session *s, ebb_arena *arena, const char *expression, ses_past_values *out, ebb_error *err) EBB_MUST_CHECK;
/* To the first timestamp at which the condition is false, which held at main: as many runs as that number has digits in base two. */
ebb_status ses_counted_bisect(session *s, const char *condition, ses_stop *stop, ebb_error *err) EBB_MUST_CHECK;

#endif
