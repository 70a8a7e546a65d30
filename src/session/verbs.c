/* verbs.c - continue and signal: the verbs that are a move and little else. */
#include "session/verbs.h"
#include "session/counted.h"
#include "session/move.h"
#include "session/points.h"
#include "session/threads.h"

void ses_select_innermost(session *s)
{
    ses_select(s, s->thread, 0);
}

/* ---- continue ------------------------------------------------------------------------------- */

static void ignore_last_breakpoint(session *s, unsigned count)
{
    if (count == 0 || s->last_stop.n_breakpoints == 0)
        return;
    ses_bp *bp = ses_bp_find(s, s->last_stop.breakpoints[0]);
    if (bp)
        bp->view.ignore = count;
}

ebb_status ses_run_on(session *s, ses_stop *stop, ebb_error *err)
{
    ses_move move = {.request.move = MACHINE_RUN};
    return ses_move_run(s, &move, stop, err);
}

ebb_status ses_continue(session *s, unsigned ignore_next, ses_stop *stop, ebb_error *err)
{
    EBB_TRY(ses_need_debuggee(s, err));
    ses_select_innermost(s);
    ignore_last_breakpoint(s, ignore_next);
    if (ebb_timeline_get_state(s->timeline) == EBB_TIMELINE_REPLAYING)
        ses_catch_tell_unmet(s);
    return ses_is_counted(s) ? ses_counted_run_on(s, stop, err) : ses_run_on(s, stop, err);
}

ebb_status ses_signal(session *s, int signal, ses_stop *stop, ebb_error *err)
{
    EBB_TRY(ses_need_debuggee(s, err));
    ses_select_innermost(s);
    ses_thread_put_signal(s, s->thread, signal);
    return ses_run_on(s, stop, err);
}
