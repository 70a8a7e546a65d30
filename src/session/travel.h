/* travel.h - going to a moment of the past: what goto, the questions about the past and stepping back share.
 *
 * TV1  what time travel shows is no news: threads come and go quietly, and a watched value that is another one there has not
 *      changed (WA2);
 * TV2  after the end of the program nothing stands any more: no thread is selected, and there is only a way back. */
#ifndef EBB_SESSION_TRAVEL_H
#define EBB_SESSION_TRAVEL_H

#include "session/state.h"
#include "time/position.h"

/* The timeline has a past; also after the end of the program.  If not, EBB_NO_HISTORY says why. */
ebb_status ses_need_history(session *s, ebb_error *err) EBB_MUST_CHECK;

/* TV2: the program ended, but its history is there. */
void ses_end_of_time(session *s);
bool ses_is_after_end(const session *s);

/* To a moment; the front end's terminal and the selection are taken care of. */
ebb_status ses_seek(session *s, ebb_position to, machine_stop *at, ebb_error *err) EBB_MUST_CHECK;
/* To before the instruction that was executed last, whatever thread did it.  Nobody has looked at that moment yet: ses_moved. */
ebb_status ses_instruction_before(session *s, machine_stop *at, ebb_error *err) EBB_MUST_CHECK;
/* The debuggee was moved by somebody else: looks where it is now. */
void ses_moved(session *s, const machine_stop *at);
/* A stop of a move that went somewhere: `kind`, or what ended it before. */
void ses_settle_at(session *s, const machine_stop *at, ses_stop_kind kind, ses_stop *stop);

/* ---- for those who move the timeline themselves */

/* The front end hears that the program moves, and that it stands again.  One travel may be made of others: the front end hears of the outermost,
 * and an interrupt is meant for that. */
void ses_travel_begin(session *s);
void ses_travel_end(session *s);
/* Selects the thread that the stop is about, and nothing else. */
void ses_stand(session *s, const machine_stop *at);
/* The same on the way, where somebody only looks at one thing: which threads there are besides that one is not asked. */
void ses_look_in_passing(session *s, const machine_stop *at);
/* What such a stop is called, if it isn't the arrival that was asked for; and whether it isn't. */
ses_stop_kind ses_arrival_kind(const machine_stop *at, ses_stop_kind arrived);
bool ses_ended_early(const machine_stop *at);
/* Fills in what every stop tells, and keeps it; `mover` was selected when the move began. */
void ses_travel_settle(session *s, const machine_stop *at, machine_tid mover, ses_stop *stop);

#endif
