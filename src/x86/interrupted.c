#include "x86/interrupted.h"
#include "x86/regs.h"

#include <errno.h>
#include <sys/syscall.h>

static bool can_be_made_again(uint64_t number)
{
    switch (number) {
#define X86_INTERRUPTED(name, timeout, reg) case SYS_##name:
#include "x86/interrupted.def"
#undef X86_INTERRUPTED
        return true;
    default: return false;
    }
}

void x86_mend_interrupted(x86_task *t)
{
    struct user_regs_struct *r = x86_regs_get(t, NULL);
    if (!r || (int64_t)r->rax != -EINTR || !can_be_made_again(r->orig_rax))
        return;
    r->rax = (uint64_t)-X86_RESTART_NOHAND;
    t->regs_dirty = true;
}
