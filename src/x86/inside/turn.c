#include "x86/inside/turn.h"
#include "x86/inside/sys.h"

#include <linux/futex.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>

static bool try_take(x86_turn *turn, uint64_t self)
{
    uint64_t next = __atomic_load_n(&turn->next, __ATOMIC_ACQUIRE);
    if (next && next != self)
        return false;
    uint64_t nobody = 0;
    if (!__atomic_compare_exchange_n(&turn->owner, &nobody, self, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return false;
    __atomic_store_n(&turn->next, 0, __ATOMIC_RELEASE);
    return true;
}

void x86_turn_take(x86_turn *turn, x86_tcb *tcb)
{
    if (__atomic_load_n(&turn->owner, __ATOMIC_ACQUIRE) == tcb->self) {
        tcb->outside = X86_HAS_TURN;
        return;
    }
    tcb->outside = X86_WAITS_FOR_TURN;
    __atomic_add_fetch(&turn->waiters, 1, __ATOMIC_ACQ_REL);
    for (;;) {
        uint32_t seen = __atomic_load_n(&turn->changes, __ATOMIC_ACQUIRE);
        if (try_take(turn, tcb->self))
            break;
        struct timespec patience = {0, 10 * 1000 * 1000};
        x86_sys6(SYS_futex, (long)&turn->changes, FUTEX_WAIT, seen, (long)&patience, 0, 0);
    }
    __atomic_sub_fetch(&turn->waiters, 1, __ATOMIC_ACQ_REL);
    tcb->outside = X86_HAS_TURN;
}

void x86_turn_give(x86_turn *turn)
{
    __atomic_store_n(&turn->owner, 0, __ATOMIC_RELEASE);
    __atomic_add_fetch(&turn->changes, 1, __ATOMIC_ACQ_REL);
    if (__atomic_load_n(&turn->waiters, __ATOMIC_ACQUIRE))
        x86_sys6(SYS_futex, (long)&turn->changes, FUTEX_WAKE, 1, 0, 0, 0);
}
