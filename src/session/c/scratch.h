/* scratch.h - what an expression does to the program in the past, it does to a copy that is thrown away when the expression has its value.
 *
 * PX1  a copy is there only between open and end, which whoever evaluates puts around the expression: what would change the past outside of
 *      these is refused. */
#ifndef EBB_SESSION_C_SCRATCH_H
#define EBB_SESSION_C_SCRATCH_H

#include "session/data.h"
#include "session/state.h"

/* An expression begins; the answer is for ses_scratch_end. */
bool ses_scratch_open(session *s);
/* Before something is changed or called: in the past, from now on in a copy.  Nothing is done if that is so already, or live. */
ebb_status ses_scratch_begin(session *s, ebb_error *err) EBB_MUST_CHECK;
/* The expression is done: `outer` is whether there was a copy before it began, for another one around it. */
void ses_scratch_end(session *s, bool outer);
ebb_status ses_scratch_refuse(ebb_error *err) EBB_MUST_CHECK; /* the past can't be changed */

#endif
