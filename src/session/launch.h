/* launch.h - what to run and how: program, arguments, environment, directory. */
#ifndef EBB_SESSION_LAUNCH_H
#define EBB_SESSION_LAUNCH_H

#include "session/state.h"

void ses_launch_fini(session *s);
void ses_apply_machine_settings(session *s); /* those that a running machine has to know */

#endif
