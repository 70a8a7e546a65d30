/* scratch.c - see scratch.h. */
#include "session/c/scratch.h"
#include "machine/history.h"
#include "session/stack.h"
#include "session/c/world.h"

bool ses_scratch_open(session *s)
{
    s->n_expressions++;
    return s->in_scratch;
}

ebb_status ses_scratch_refuse(ebb_error *err)
{
    return ebb_fail(err, EBB_UNSUPPORTED, "The past can't be changed: \"branch\" makes it the present, \"goto end\" leaves it.");
}

ebb_status ses_scratch_begin(session *s, ebb_error *err)
{
    if (s->in_scratch || ebb_timeline_get_state(s->timeline) != EBB_TIMELINE_REPLAYING)
        return EBB_OK;
    if (s->n_expressions == 0) /* PX1 */
        return ses_scratch_refuse(err);
    EBB_TRY(s->machine->history->scratch_begin(s->machine, err));
    ebb_timeline_part(s->timeline);
    s->in_scratch = true;
    return EBB_OK;
}

void ses_scratch_end(session *s, bool outer)
{
    s->n_expressions--;
    if (!s->in_scratch || outer)
        return;
    s->in_scratch = false;
    s->machine->history->scratch_end(s->machine);
    ebb_timeline_rejoin(s->timeline);
    ses_stack_forget(s);
}

ebb_status ses_evaluate_aside(session *s, ebb_arena *arena, const char *expression, expr_value *value, ebb_error *err)
{
    bool outer = ses_scratch_open(s);
    ebb_status status = expr_evaluate(arena, ses_world(s), expression, value, err);
    if (status == EBB_OK && s->in_scratch && !outer)
        status = expr_value_fetch(arena, ses_world(s), value, err);
    ses_scratch_end(s, outer);
    return status;
}
