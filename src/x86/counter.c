/* counter.c - reads and writes the two variables of a thread that gcc/runtime.c defines. */
#include "x86/counter.h"
#include "x86/memory.h"
#include "x86/native.h"
#include "x86/regs.h"
#include "x86/tasks.h"

#include <linux/kcmp.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <unistd.h>

static const int64_t NEVER = -(INT64_C(1) << 62); /* what both begin with */

typedef struct counts {
    int64_t counter, base;
} counts;

void x86_native_set_counter(machine *m, int64_t counter, int64_t base)
{
    x86_counter *c = &x86_of(m)->counter;
    c->is_there = true;
    c->counter = (uint64_t)counter;
    c->base = (uint64_t)base;
}

static bool get(const x86_process *p, int mem, uint64_t thread, counts *now)
{
    return pread(mem, &now->counter, 8, (off_t)(thread + p->counter.counter)) == 8 && pread(mem, &now->base, 8, (off_t)(thread + p->counter.base)) == 8;
}

static void put(const x86_process *p, int mem, uint64_t thread, const counts *now)
{
    bool put_both = pwrite(mem, &now->counter, 8, (off_t)(thread + p->counter.counter)) == 8 &&
                    pwrite(mem, &now->base, 8, (off_t)(thread + p->counter.base)) == 8;
    (void)put_both; /* it dies, then */
}

/* The timestamp that it has, with a stop at `stop`. */
static counts with_stop(const counts *now, int64_t stop)
{
    return (counts){.counter = now->counter - now->base - stop, .base = -stop};
}

/* TC1.  What the stop was; 0: there is none ahead. */
static int64_t disarm(const x86_process *p, int mem, uint64_t thread)
{
    counts now;
    if (!get(p, mem, thread, &now) || now.base == NEVER || now.counter >= 0)
        return 0;
    counts without = with_stop(&now, -NEVER);
    put(p, mem, thread, &without);
    return -now.base;
}

void x86_counter_free_child(const x86_process *p, pid_t child)
{
    struct user_regs_struct r;
    if (!p->counter.is_there || syscall(SYS_kcmp, p->pid, child, KCMP_VM, 0, 0) == 0 || ptrace(PTRACE_GETREGS, child, 0, &r) != 0)
        return;
    int mem = x86_memory_open_of(child);
    if (mem < 0)
        return;
    disarm(p, mem, r.fs_base);
    close(mem);
}

void x86_counter_lend(x86_process *p, pid_t parent)
{
    x86_task *t = p->counter.is_there ? x86_task_get(p, parent) : NULL;
    const struct user_regs_struct *r = t ? x86_regs_get(t, NULL) : NULL;
    if (!r)
        return;
    p->counter.lender = r->fs_base;
    p->counter.lent_stop = disarm(p, p->mem, r->fs_base);
}

/* TC2 */
void x86_counter_take_back(x86_process *p)
{
    counts now;
    int64_t stop = p->counter.lent_stop;
    p->counter.lent_stop = 0;
    if (stop == 0 || !get(p, p->mem, p->counter.lender, &now))
        return;
    int64_t time = now.counter - now.base;
    counts armed = with_stop(&now, stop > time ? stop : time + 1);
    put(p, p->mem, p->counter.lender, &armed);
}

void x86_counter_free_task(x86_process *p, x86_task *t)
{
    const struct user_regs_struct *r = p->counter.is_there ? x86_regs_get(t, NULL) : NULL;
    if (r)
        disarm(p, p->mem, r->fs_base);
}
