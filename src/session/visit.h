/* visit.h - the debuggee goes elsewhere in time to answer a question, and comes back.
 *
 * VI1  after a visit everything is as it was before it, whatever came of the question: the debuggee's moment, why it stopped there, the
 *      selected thread and frame, and what `list` shows next. */
#ifndef EBB_SESSION_VISIT_H
#define EBB_SESSION_VISIT_H

#include "session/state.h"

typedef struct ses_visit {
    ebb_position began;
    bool was_newest; /* at the end of time: live, or after the program's end */
    machine_stop at;
    machine_tid thread, stop_thread;
    unsigned level;
    char *list_file;
    unsigned list_first, list_last, list_next;
    bool list_fresh;
} ses_visit;

/* EBB_NO_HISTORY: there is nowhere to go.  Each that began ends. */
ebb_status ses_visit_begin(session *s, ses_visit *v, ebb_error *err) EBB_MUST_CHECK;
/* `status` came of the question: the first reason stays. */
ebb_status ses_visit_end(session *s, ses_visit *v, ebb_status status, ebb_error *err) EBB_MUST_CHECK;

/* The debuggee was moved on the visit: looks where it is. */
void ses_visit_stand(session *s);

#endif
