/* stepover.c - executing the instruction under a point: the int3 comes out, one task moves by one
 * instruction while every other one is stopped, the int3 goes in again.
 *
 * A `syscall` might block for ever waiting for one of the others, so it is not stepped: the task runs
 * to the entry of the call, where it is already after the instruction. */
#include "x86/events.h"
#include "x86/memory.h"
#include "x86/points.h"
#include "x86/regs.h"
#include "x86/tasks.h"
#include "base/check.h"

#include <string.h>

void x86_skip_point(x86_task *t)
{
    const struct user_regs_struct *r = x86_regs_get(t, NULL);
    if (!r)
        return;
    t->skip = true;
    t->skip_after_handler = false;
    t->skip_pc = r->rip;
    t->skip_sp = r->rsp;
}

bool x86_stepover_needed(x86_process *p, x86_task *t)
{
    if (!t->skip || t->exits || t->state != X86_STOPPED) /* who exits executes nothing any more */
        return false;
    if (x86_pc(t) != t->skip_pc) {
        t->skip = false;
        return false;
    }
    if (t->signal != 0 && t->deliver != 0) {
        t->skip_after_handler = true; /* the handler first */
        return false;
    }
    const x86_site *site = x86_site_at(p, t->skip_pc);
    return site && site->inserted;
}

static bool stands_at_syscall(x86_process *p, uint64_t pc)
{
    uint8_t code[2];
    return x86_read(&p->base, 0, pc, code, 2, NULL) == EBB_OK &&
           (memcmp(code, "\x0f\x05", 2) == 0 || memcmp(code, "\xcd\x80", 2) == 0);
}

ebb_status x86_stepover_start(x86_process *p, x86_task *t, ebb_error *err)
{
    ebb_check(p->alone == 0 && x86_tasks_all_stopped(p));
    x86_site_set(p, x86_site_at(p, t->skip_pc), false);
    p->alone = t->tid;
    return x86_task_resume(p, t, stands_at_syscall(p, t->skip_pc) ? X86_TO_SYSCALL : X86_STEP, err);
}

void x86_stepover_end(x86_process *p, x86_task *t)
{
    if (p->alone != t->tid)
        return;
    p->alone = 0;
    x86_site *site = x86_site_at(p, t->skip_pc);
    if (site && !p->points_lifted)
        x86_site_set(p, site, true);
}
