/* condition_scope.h - what the names in a watchpoint's condition mean.
 *
 * Data is written anywhere, most often in another function than the one whose variables the condition names.  As in gdb, names mean what
 * they meant in the frame in which the condition was given: variables of it are those of the innermost frame of that function, and other
 * names are looked up from there.  Where no frame of that function is on the stack the condition can't be tested, and the watchpoint stops. */
#ifndef EBB_SESSION_CONDITION_SCOPE_H
#define EBB_SESSION_CONDITION_SCOPE_H

#include "session/state.h"

typedef struct ses_condition_scope {
    char *function;      /* in which it was given (language.h: function_words); NULL: names mean what they mean where the data is written */
    bool names_locals;   /* of that function; else no frame is needed */
    machine_place place; /* where it was given; 0: the debuggee is another one since, which has not come to that code yet */
} ses_condition_scope;

/* What is meant before a condition is tested, for after it. */
typedef struct ses_outer_scope {
    unsigned level;
    struct ses_scope scope;
} ses_outer_scope;

void ses_condition_scope_fini(ses_condition_scope *scope);
/* Of a condition that was given just now, in the selected frame; fails if it makes no sense there. */
ebb_status ses_condition_scope_note(session *s, ses_condition_scope *scope, const char *condition, ebb_error *err) EBB_MUST_CHECK;
void ses_condition_scope_keep(session *s, ses_condition_scope *scope); /* for the next debuggee */

/* Around a test of the condition, where the debuggee stands; false: it can't be tested there.  To be left in both cases. */
bool ses_condition_scope_enter(session *s, ses_condition_scope *scope, ses_outer_scope *outer);
void ses_condition_scope_leave(session *s, const ses_outer_scope *outer);
/* The place from which code of the condition, to be executed at the innermost frame, has to see names; 0: there can be none. */
machine_place ses_condition_scope_seen_from(session *s, ses_condition_scope *scope);

#endif
