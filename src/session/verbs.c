/* verbs.c - continue and signal: the verbs that are a move and little else. */
#include "session/verbs.h"
#include "session/move.h"
#include "session/points.h"
#include "session/back/search.h"
#include "session/threads.h"

ebb_status ses_need_way(session *s, machine_direction dir, ebb_error *err)
{
    return dir == MACHINE_BACKWARD ? ses_need_history(s, err) : ses_need_debuggee(s, err);
}

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

ebb_status ses_run_on(session *s, machine_direction dir, ses_stop *stop, ebb_error *err)
{
    ses_move move = {.request = {.move = MACHINE_RUN, .direction = dir}};
    return ses_move_run(s, &move, stop, err);
}

ebb_status ses_continue(session *s, machine_direction dir, unsigned ignore_next, ses_stop *stop,
                        ebb_error *err)
{
    if (dir == MACHINE_BACKWARD)
        return ses_reverse_continue(s, stop, err);
    EBB_TRY(ses_need_way(s, dir, err));
    ses_select_innermost(s);
    ignore_last_breakpoint(s, ignore_next);
    return ses_run_on(s, dir, stop, err);
}

ebb_status ses_signal(session *s, int signal, ses_stop *stop, ebb_error *err)
{
    EBB_TRY(ses_need_way(s, MACHINE_FORWARD, err));
    ses_select_innermost(s);
    ses_thread_put_signal(s, s->thread, signal);
    return ses_run_on(s, MACHINE_FORWARD, stop, err);
}
