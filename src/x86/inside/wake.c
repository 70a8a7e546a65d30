/* wake.c - whoever wakes a thread sees to it that this one has its place in the queue. */
#include "x86/inside/wake.h"
#include "x86/inside/border.h"
#include "x86/inside/runtime.h"
#include "x86/inside/sys.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif
#ifndef SYS_futex_wait
#define SYS_futex_wait 455
#endif

static bool is_by_time(const x86_turn *turn)
{
    return turn->slice != 0;
}

/* Of a call of futex, without what says which clock and whose memory. */
static uint64_t command_of(const x86_tcb *tcb)
{
    return tcb->regs[X86_RSI] & FUTEX_CMD_MASK & 0x7f;
}

bool x86_wakes(const x86_turn *turn, const x86_tcb *tcb)
{
    if (!is_by_time(turn) || tcb->regs[X86_RAX] != SYS_futex || !(tcb->regs[X86_RSI] & FUTEX_PRIVATE_FLAG))
        return false;
    return command_of(tcb) == FUTEX_WAKE || command_of(tcb) == FUTEX_WAKE_BITSET;
}

static bool waits_for_word(const x86_tcb *tcb)
{
    uint64_t number = tcb->regs[X86_RAX];
    if (number == SYS_futex)
        return command_of(tcb) == FUTEX_WAIT || command_of(tcb) == FUTEX_WAIT_BITSET;
    return number == SYS_futex_waitv || number == SYS_futex_wait;
}

static uint32_t n_came(const x86_turn *turn)
{
    return __atomic_load_n(&turn->came, __ATOMIC_ACQUIRE);
}

enum { MOST_LOOKS = 1 << 18 }; /* WK2: a fraction of a second */

/* By ebb, which says in which order they go on then. */
static bool is_wanted(const x86_tcb *tcb)
{
    return __atomic_load_n(&tcb->stop_wanted, __ATOMIC_ACQUIRE) != 0;
}

static void await(const x86_turn *turn, const x86_tcb *tcb, uint32_t before)
{
    for (unsigned i = 0; i < MOST_LOOKS && n_came(turn) == before && !is_wanted(tcb); i++)
        x86_sys6(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
}

/* One, by a call of the runtime's own; false: nobody waits. */
static bool wake_one(const x86_turn *turn, const x86_tcb *tcb, uint64_t word, uint64_t command, uint64_t bits)
{
    uint32_t before = n_came(turn);
    bool woken = x86_sys6(SYS_futex, (long)word, (long)command, 1, 0, 0, (long)bits) == 1;
    if (woken)
        await(turn, tcb, before);
    return woken;
}

/* By the guest's own call, for whoever looks at its calls.  If ebb wants the thread, the call is still to be made: but not one that has woken somebody already. */
static long wake_last(x86_turn *turn, x86_tcb *tcb, long n, bool is_begun)
{
    uint64_t was = tcb->regs[X86_RDX];
    uint32_t before = n_came(turn);
    tcb->regs[X86_RDX] = (uint64_t)n;
    long result = x86_inside_guest_syscall(tcb->regs);
    tcb->regs[X86_RDX] = was;
    if (result == X86_NOT_MADE && is_begun)
        result = x86_sys6(SYS_futex, (long)tcb->regs[X86_RDI], (long)tcb->regs[X86_RSI], n, 0, 0, (long)tcb->regs[9]);
    if (result > 0)
        await(turn, tcb, before);
    return result;
}

long x86_wake(x86_turn *turn, x86_tcb *tcb)
{
    long n = (int32_t)tcb->regs[X86_RDX], woken = 0;
    while (n - woken > 1 && wake_one(turn, tcb, tcb->regs[X86_RDI], tcb->regs[X86_RSI], tcb->regs[9]))
        woken++;
    long result = wake_last(turn, tcb, n - woken, woken > 0);
    return result < 0 ? result : result + woken;
}

void x86_wake_at_end(x86_turn *turn, const x86_tcb *tcb, uint64_t word)
{
    if (is_by_time(turn))
        wake_one(turn, tcb, word, FUTEX_WAKE, 0);
    else
        x86_sys6(SYS_futex, (long)word, FUTEX_WAKE, 1, 0, 0, 0);
}

/* WK3.  Below 0: there is no such word. */
static long n_waiting(uint64_t word, uint32_t private)
{
    return x86_sys6(SYS_futex, (long)word, FUTEX_REQUEUE | (long)private, 0, INT32_MAX, (long)word, 0);
}

void x86_wake_waits(x86_turn *turn, const x86_tcb *tcb)
{
    if (!is_by_time(turn) || !waits_for_word(tcb) || tcb->regs[X86_RAX] != SYS_futex)
        return;
    uint32_t private = tcb->regs[X86_RSI] & FUTEX_PRIVATE_FLAG;
    long n = n_waiting(tcb->regs[X86_RDI], private);
    turn->waits_at = n < 0 ? 0 : tcb->regs[X86_RDI];
    turn->waits_private = private;
    turn->waits_n = (uint32_t)n + 1;
    turn->waits_came = n_came(turn);
}

void x86_wake_settle(x86_turn *turn, const x86_tcb *tcb)
{
    uint64_t word = turn->waits_at;
    turn->waits_at = 0;
    for (unsigned i = 0; word && i < MOST_LOOKS && n_came(turn) == turn->waits_came; i++) {
        long n = n_waiting(word, turn->waits_private);
        if (n < 0 || n >= (long)turn->waits_n || is_wanted(tcb))
            return;
        x86_sys6(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
    }
}

void x86_wake_came(x86_turn *turn, x86_tcb *tcb)
{
    if (!is_by_time(turn) || !waits_for_word(tcb))
        return;
    tcb->outside = X86_WAITS_FOR_TURN;
    x86_turn_queue(turn, tcb);
    __atomic_fetch_add(&turn->came, 1, __ATOMIC_ACQ_REL);
}
