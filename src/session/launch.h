/* launch.h - what to run and how: program, arguments, environment, directory. */
#ifndef EBB_SESSION_LAUNCH_H
#define EBB_SESSION_LAUNCH_H

#include "session/state.h"

void ses_launch_fini(session *s);
/* From now on the debuggee is of that language. */
void ses_launch_speak(session *s, const ses_language *language);
/* bookmarks.c: those of another execution go; those of an opened recording come. */
void ses_bookmarks_begin(session *s);
/* Ends what runs, and begins the program: it stands at its very beginning. */
ebb_status ses_launch(session *s, ebb_error *err) EBB_MUST_CHECK;
/* There is a history from now on, or may be one: its settings are told to the machine and the timeline. */
void ses_history_begins(session *s);
/* The machine, which the session owns from now on, is the debuggee; attached: it is not ended with the session. */
ebb_status ses_adopt_machine(session *s, machine *m, bool attached, ebb_error *err) EBB_MUST_CHECK;
/* The program is the debuggee's, unless one was named. */
void ses_adopt_program(session *s);
/* The stop of a debuggee that just stands where it is. */
void ses_standing_stop(session *s, ses_stop_kind kind, ses_stop *stop);
/* The user's environment (borrowed texts) with a NULL at its end; nothing at all if it is ebb's own. */
void ses_launch_environment(session *s, ses_strings *environment);

#endif
