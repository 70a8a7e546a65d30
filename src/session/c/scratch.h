/* scratch.h - what an expression does to the program in the past, it does to a copy that is thrown away when the expression has its value. */
#ifndef EBB_SESSION_C_SCRATCH_H
#define EBB_SESSION_C_SCRATCH_H

#include "expr/expr.h"
#include "session/state.h"

/* Before something is changed or called: in the past, from now on in a copy.  Nothing is done if that is so already, or live. */
ebb_status ses_scratch_begin(session *s, ebb_error *err) EBB_MUST_CHECK;
/* The expression is done: `outer` is whether there was a copy before it began, for another one around it. */
void ses_scratch_end(session *s, bool outer);

/* The value of an expression; whatever that changed in the past is gone when this returns. */
ebb_status ses_evaluate_aside(session *s, ebb_arena *arena, const char *expression, expr_value *value, ebb_error *err) EBB_MUST_CHECK;

#endif
