/* far.h - a Java program on another computer: one ebb listens beside it, another connects and debugs it. */
#ifndef EBB_SESSION_FAR_H
#define EBB_SESSION_FAR_H

#include "session/session.h"

/* From now on `run` and `start` begin the program of the ebb that listens at [HOST:]PORT.  The first of them uses this connection, later
 * ones their own.  `forwards_input`: standard input is the program's while it runs. */
ebb_status ses_connect(session *s, const char *where, const char *token, bool forwards_input, ebb_error *err) EBB_MUST_CHECK;

bool ses_is_far(const session *s); /* the program is there */

/* Serves such an ebb with the session's program, as often as one comes; `ready` is told where.  Returns only if it fails. */
ebb_status ses_listen(session *s, const char *where, const char *token,
                      void (*ready)(void *self, const char *address, bool is_loopback), void *self, ebb_error *err) EBB_MUST_CHECK;

#endif
