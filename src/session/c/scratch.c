/* scratch.c - see scratch.h. */
#include "session/c/scratch.h"
#include "machine/history.h"
#include "session/stack.h"
#include "session/c/world.h"

ebb_status ses_scratch_begin(session *s, ebb_error *err)
{
    if (s->in_scratch || ebb_timeline_get_state(s->timeline) != EBB_TIMELINE_REPLAYING)
        return EBB_OK;
    EBB_TRY(s->machine->history->scratch_begin(s->machine, err));
    ebb_timeline_part(s->timeline);
    s->in_scratch = true;
    return EBB_OK;
}

void ses_scratch_end(session *s, bool outer)
{
    if (!s->in_scratch || outer)
        return;
    s->in_scratch = false;
    s->machine->history->scratch_end(s->machine);
    ebb_timeline_rejoin(s->timeline);
    ses_stack_forget(s);
}

ebb_status ses_evaluate_aside(session *s, ebb_arena *arena, const char *expression, expr_value *value, ebb_error *err)
{
    bool outer = s->in_scratch;
    ebb_status status = expr_evaluate(arena, ses_world(s), expression, value, err);
    if (status == EBB_OK && s->in_scratch && !outer)
        status = expr_value_fetch(arena, ses_world(s), value, err);
    ses_scratch_end(s, outer);
    return status;
}
