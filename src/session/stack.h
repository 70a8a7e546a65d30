/* stack.h - frames and their identity, for the parts of session/ that move the debuggee.
 *
 * A *physical* frame is one that the machine knows: of the CPU, registers and a CFA.  The inlined calls at its pc are
 * virtual frames within it.  The language adds physical frames one by one, when they are asked for, and lays the
 * virtual ones out as the levels that users see. */
#ifndef EBB_SESSION_STACK_H
#define EBB_SESSION_STACK_H

#include "session/state.h"

void ses_stack_forget(session *s); /* the debuggee moved, or its registers changed */
void ses_stack_fini(ses_stack *stack);

/* For the language, which fills the stack: forgets the frames but not what is known of the innermost one; says that
 * there are no more, and why if that is too early; whether `backtrace limit` is reached. */
void ses_stack_clear(ses_stack *stack);
void ses_stack_end(session *s, const char *reason);
bool ses_stack_is_full(session *s);

/* Makes thread and level the selection; the frames of another thread are forgotten. */
void ses_select(session *s, machine_tid thread, unsigned level);

bool ses_frame_id_same(ses_frame_id a, ses_frame_id b);
/* Identity of the frame at a level; without the inlined calls: of the physical frame around it.
 * Zero if there is no such frame. */
ses_frame_id ses_frame_id_at(session *s, unsigned level);
ses_frame_id ses_frame_physical_id(ses_frame_id id);
/* The n-th physical frame's innermost level; false if there are fewer. */
bool ses_physical_level(session *s, unsigned n, unsigned *level);
ses_frame_id ses_physical_id(session *s, unsigned n);
/* Level of the frame with that identity; false if it is gone. */
bool ses_frame_find(session *s, ses_frame_id id, unsigned *level);
/* Where the physical frame around `level` returns to, and who is there; knows callers that backtraces
 * leave out (main's, too).  False if there is none. */
bool ses_caller_of(session *s, unsigned level, uint64_t *pc, ses_frame_id *caller);

#endif
