#include "x86/inside/timed.h"
#include "x86/inside/sys.h"

#include <sys/syscall.h>

enum { MS_NS = 1000000, SECOND_NS = 1000000000 };

typedef enum timeout_kind { TIMEOUT_NONE, TIMEOUT_MS, TIMEOUT_SPAN } timeout_kind;

static timeout_kind timeout_of(uint64_t number, unsigned *reg)
{
    switch (number) {
#define X86_INTERRUPTED(name, kind, r)                                                             \
    case SYS_##name: *reg = r; return TIMEOUT_##kind;
#include "x86/interrupted.def"
#undef X86_INTERRUPTED
    default: return TIMEOUT_NONE;
    }
}

static int64_t now(void)
{
    struct timespec t;
    x86_sys6(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&t, 0, 0, 0, 0);
    return t.tv_sec * (int64_t)SECOND_NS + t.tv_nsec;
}

/* In nanoseconds; false if there is none, or none that the kernel would accept. */
static bool timeout_get(timeout_kind kind, uint64_t value, int64_t *ns)
{
    struct timespec span;
    if (kind == TIMEOUT_MS) {
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
    unsigned reg;
    int64_t ns;
    timeout_kind kind = timeout_of(tcb->regs[X86_RAX], &reg);
    if (kind == TIMEOUT_NONE || !timeout_get(kind, tcb->regs[reg], &ns))
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
    timed->regs[reg] = kind == TIMEOUT_MS ? (uint64_t)((left + MS_NS - 1) / MS_NS) : (uint64_t)&timed->left;
    return timed->regs;
}
