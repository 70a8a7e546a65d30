/* timed.c - a call that is made again gets what is left of its time. */
#include "x86/inside/timed.h"
#include "x86/calls.h"
#include "x86/inside/sys.h"

#include <sys/syscall.h>

enum { MS_NS = 1000000, SECOND_NS = 1000000000 };

static int64_t now(void)
{
    struct timespec t;
    x86_sys6(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&t, 0, 0, 0, 0);
    return t.tv_sec * (int64_t)SECOND_NS + t.tv_nsec;
}

/* In nanoseconds; false if there is none, or none that the kernel would accept. */
static bool timeout_get(x86_waits kind, uint64_t value, int64_t *ns)
{
    struct timespec span;
    if (kind == X86_AGAIN_MS) {
        *ns = (int64_t)(int32_t)value * MS_NS;
        return *ns > 0;
    }
    if (!value || x86_sys_peek(&span, value, sizeof span) != sizeof span)
        return false;
    *ns = span.tv_sec * (int64_t)SECOND_NS + span.tv_nsec;
    return span.tv_nsec >= 0 && span.tv_nsec < SECOND_NS && span.tv_sec >= 0 && span.tv_sec < INT32_MAX && *ns > 0;
}

const uint64_t *x86_timed_regs(x86_tcb *tcb, bool again, x86_timed *timed)
{
    int64_t ns;
    const x86_call_row *row = x86_call_row_of(tcb->regs[X86_RAX]);
    if (!row || !row->timeout)
        return tcb->regs;
    unsigned reg = x86_argument_register(row->timeout);
    if (!timeout_get((x86_waits)row->waits, tcb->regs[reg], &ns))
        return tcb->regs;
    if (!again) {
        tcb->deadline = now() + ns;
        return tcb->regs;
    }
    int64_t left = tcb->deadline - now();
    if (left < 0)
        left = 0;
    for (unsigned i = 0; i < X86_N_GPRS; i++)
        timed->regs[i] = tcb->regs[i];
    timed->left = (struct timespec){left / SECOND_NS, left % SECOND_NS};
    timed->regs[reg] = row->waits == X86_AGAIN_MS ? (uint64_t)((left + MS_NS - 1) / MS_NS) : (uint64_t)&timed->left;
    return timed->regs;
}
