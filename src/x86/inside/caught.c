/* caught.c - gives up around system calls, if ebb wants to be told of them. */
#include "x86/inside/caught.h"
#include "x86/calls.h"
#include "x86/inside/border.h"

static bool catches(const x86_tcb *tcb, uint64_t what)
{
    return (((const x86_runtime *)tcb->runtime)->catches & what) != 0;
}

static bool catches_call(const x86_tcb *tcb, uint64_t number)
{
    return catches(tcb, X86_CATCHES_CALLS) && machine_call_set_has(&((const x86_runtime *)tcb->runtime)->caught_calls, number);
}

bool x86_caught_call(const x86_tcb *tcb)
{
    uint64_t insn = tcb->target - 2;
    return catches_call(tcb, tcb->regs[X86_RAX]) && tcb->open_at != insn && tcb->told_at != insn;
}

static bool tells_answer(const x86_tcb *tcb, uint64_t number, long result)
{
    x86_border what = x86_border_of(number);
    bool forks = result > 0 && (what == X86_BORDER_FORK || what == X86_BORDER_CLONE || what == X86_BORDER_CLONE3);
    return catches_call(tcb, number) || (forks && catches(tcb, X86_CATCHES_FORKS));
}

void x86_caught_later(x86_tcb *tcb, uint64_t number)
{
    tcb->answers = catches_call(tcb, number) ? number + 1 : 0;
    tcb->answers_at = tcb->target;
}

static void tell(x86_tcb *tcb, uint64_t answers)
{
    ((x86_runtime *)tcb->runtime)->answered = answers;
    tcb->answers = 0;
}

bool x86_caught_waits(x86_tcb *tcb)
{
    if (!tcb->answers || tcb->target != tcb->answers_at)
        return false;
    tell(tcb, tcb->answers);
    return true;
}

/* What the call wrote may be watched: that is told first, and the call is over all the same. */
uint64_t x86_caught_answer(x86_tcb *tcb, uint64_t number, long result)
{
    tcb->told_at = 0;
    if (tcb->stop_wanted)
        x86_caught_later(tcb, number);
    if (!tells_answer(tcb, number, result) || tcb->stop_wanted)
        return x86_dispatch_watched(tcb);
    tell(tcb, number + 1);
    return x86_give_up(tcb, x86_watch_call_wrote(tcb) ? X86_STUCK_WATCH : X86_STUCK_CALLED);
}
