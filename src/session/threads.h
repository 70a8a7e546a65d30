/* threads.h - the debuggee's threads under the numbers that users know them by. */
#ifndef EBB_SESSION_THREADS_H
#define EBB_SESSION_THREADS_H

#include "session/state.h"

/* Follows the machine's list: numbers the new ones, drops those that ended, says so unless quiet. */
void ses_threads_sync(session *s, bool quiet);
void ses_threads_leave(session *s); /* none is there any more, but time may go back */
bool ses_thread_exists(const session *s, machine_tid tid);
bool ses_thread_is_helper(const session *s, machine_tid tid); /* of the machine, not of the program */
/* The signal that the thread stopped for and that is to be passed on; 0 if none. */
void ses_thread_put_signal(session *s, machine_tid tid, int signal);
int ses_thread_take_signal(session *s, machine_tid tid);

#endif
