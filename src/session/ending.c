/* ending.c - how a debuggee ends: killed, let go, or gone by itself. */
#include "session/core.h"
#include "session/language.h"
#include "session/move.h"
#include "session/points.h"
#include "session/stack.h"
#include "session/threads.h"

#include <stdatomic.h>

void ses_end(session *s)
{
    if (!s->machine)
        return;
    ses_points_forget_machine(s);
    ses_stack_forget(s);
    s->language->ended(s);
    ebb_timeline_free(s->timeline);
    s->timeline = NULL;
    machine *m = s->machine;
    s->machine = NULL;
    atomic_signal_fence(memory_order_seq_cst); /* a signal's handler, which interrupts the machine, finds none from here on */
    m->ops->free(m);
    s->has_ended = true;
    s->thread = s->stop_thread = 0;
    s->level = 0;
    s->threads.n = 0;
    s->n_calls = 0;
}

ebb_status ses_kill(session *s, ebb_error *err)
{
    if (ses_is_core(s))
        return ebb_fail(err, EBB_GONE, "You can't do that without a process to debug.");
    EBB_TRY(ses_need_debuggee(s, err));
    ebb_status status = s->machine->ops->kill(s->machine, err);
    ses_end(s);
    return status;
}

ebb_status ses_detach(session *s, ebb_error *err)
{
    EBB_TRY(ses_need_debuggee(s, err));
    if (!s->machine->ops->detach)
        return ebb_fail(err, EBB_UNSUPPORTED, "A %s program can't run on without ebb: `continue` lets it run here, `kill` ends it.", s->language->name);
    int signal = ses_thread_take_signal(s, s->thread);
    ses_points_clear_from_machine(s);
    ebb_status status = s->machine->ops->detach(s->machine, signal, err);
    ses_end(s);
    return status;
}
