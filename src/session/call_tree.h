/* call_tree.h - the activations that links (time.h) happened in, as a tree of calls.
 *
 * CZ1  the debuggee goes to every link, in their order, and its stack there is compared with the one before: what is the same from the outside on is the same activation;
 * CZ2  a link that passes something to a method begins a new activation of it.  Else a method that was called anew from the same place, without a link in between that says so, is
 *      taken for the activation that was there before. */
#ifndef EBB_SESSION_CALL_TREE_H
#define EBB_SESSION_CALL_TREE_H

#include "session/session.h"
#include "session/time.h"

enum { SES_NO_CALL = -1 };

typedef struct ses_call {
    int caller;           /* an index into the same list, smaller than its own, or SES_NO_CALL */
    machine_tid thread;
    uint64_t frame;       /* the activation's number */
    const char *function; /* NULL: not known */
} ses_call;

typedef struct ses_call_tree {
    EBB_VEC(ses_call) calls;
    EBB_VEC(int) of_link; /* which call each of the links is in, or SES_NO_CALL */
} ses_call_tree;

/* Zeroed by the caller, who gives it back in any case.  Texts are the arena's. */
ebb_status ses_call_tree_make(session *s, ebb_arena *arena, const ses_origin_links *links, ses_call_tree *out, ebb_error *err) EBB_MUST_CHECK;
void ses_call_tree_fini(ses_call_tree *tree);

#endif
