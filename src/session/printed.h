/* printed.h - the values that were printed: $1, $2, ...; $ is the last, $$ the one before, $$n the
 * n-th before the last.  They are numbered here; what they are is the language's (LA2). */
#ifndef EBB_SESSION_PRINTED_H
#define EBB_SESSION_PRINTED_H

#include "session/state.h"

int ses_printed_add(session *s, void *kept); /* takes a value of the session's language; answers its number */
/* Borrowed.  *value is NULL where gdb has void: $ where nothing was printed. */
ebb_status ses_printed_get(session *s, long index, bool from_end, const void **value, ebb_error *err) EBB_MUST_CHECK;
void ses_printed_fini(session *s);

void ses_held_drop(ses_held *kept);
/* The value, if it is of the session's language. */
ebb_status ses_held_get(session *s, const ses_held *kept, const void **value, ebb_error *err) EBB_MUST_CHECK;

#endif
