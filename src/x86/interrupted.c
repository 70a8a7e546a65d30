/* interrupted.c - the answer of a system call that only ebb interrupted, changed so that the call is made again. */
#include "x86/interrupted.h"
#include "x86/calls.h"
#include "x86/regs.h"

#include <errno.h>

static bool can_be_made_again(uint64_t number)
{
    const x86_call_row *row = x86_call_row_of(number);
    return row && (row->waits == X86_AGAIN || row->waits == X86_AGAIN_MS || row->waits == X86_AGAIN_SPAN);
}

void x86_mend_interrupted(x86_task *t)
{
    struct user_regs_struct *r = x86_regs_get(t, NULL);
    if (!r || (int64_t)r->rax != -EINTR || !can_be_made_again(r->orig_rax))
        return;
    r->rax = (uint64_t)-X86_RESTART_NOHAND;
    t->regs_dirty = true;
}
