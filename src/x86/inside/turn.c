/* turn.c - who has the turn, and its time. */
#include "x86/inside/turn.h"
#include "x86/inside/record.h"
#include "x86/inside/sys.h"
#include "x86/inside/wake.h"

#include <linux/futex.h>
#include <stdbool.h>
#include <sys/syscall.h>

/* ---- the count -------------------------------------------------------------------------------- */

uint64_t x86_count_get(const x86_tcb *tcb)
{
    uint64_t count = tcb->counter;
    if (tcb->tick == X86_TICK_IN_VECTOR)
        __asm__ volatile("vmovq %%xmm30, %0" : "=r"(count));
    return count;
}

static void count_set(x86_tcb *tcb, uint64_t count)
{
    if (tcb->tick == X86_TICK_IN_VECTOR)
        __asm__ volatile("vmovq %0, %%xmm30; vmovq %1, %%xmm31" : : "r"(count), "r"(tcb->one));
    tcb->counter = count;
}

void x86_count_tick(x86_tcb *tcb)
{
    count_set(tcb, x86_count_get(tcb) + 1);
    tcb->left--;
}

/* ---- the turn --------------------------------------------------------------------------------- */

static bool is_wanted(const x86_tcb *tcb)
{
    return __atomic_load_n(&tcb->stop_wanted, __ATOMIC_ACQUIRE) != 0;
}

/* Who waits for ticket n sleeps with this bit, so that only a few are woken with it. */
static uint32_t futex_bit(uint32_t ticket)
{
    return 1u << ticket % 32;
}

/* Until it has the turn, or ebb wants it: false. */
static bool wait_for_turn(x86_turn *turn, const x86_tcb *tcb)
{
    while (!is_wanted(tcb)) {
        uint32_t served = __atomic_load_n(&turn->served, __ATOMIC_ACQUIRE);
        if (served == tcb->ticket) {
            __atomic_store_n(&turn->owner, tcb->self, __ATOMIC_RELEASE);
            return true;
        }
        x86_sys6(SYS_futex, (long)&turn->served, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, served, 0, 0, futex_bit(tcb->ticket)); /* TU4 */
    }
    return false;
}

/* TU5: whether another thread had it. */
static bool change_hands(x86_turn *turn, const x86_tcb *tcb)
{
    bool changes = turn->last && turn->last != tcb->thread;
    if (changes) {
        x86_record_switch(tcb, turn->time, turn->place);
        turn->n_switches++;
        turn->time++;
    }
    turn->last = tcb->thread;
    return changes;
}

static uint64_t turn_ends(const x86_turn *turn)
{
    return turn->slice ? turn->time + x86_turn_length(turn->slice, turn->chaos, turn->time) : UINT64_MAX;
}

bool x86_turn_is_timed(const x86_turn *turn)
{
    return turn->limit != UINT64_MAX || turn->event != UINT64_MAX || turn->ends != UINT64_MAX;
}

uint64_t x86_turn_ticks_to_stop(const x86_turn *turn, uint64_t now)
{
    return (turn->event < turn->limit ? turn->event : turn->limit) - now;
}

static uint64_t ticks_left(const x86_turn *turn, uint64_t now)
{
    uint64_t to_stop = x86_turn_ticks_to_stop(turn, now);
    bool ends_first = turn->ends > now && turn->ends - now < to_stop;
    return ends_first ? turn->ends - now : to_stop;
}

void x86_turn_set_event(x86_turn *turn, x86_tcb *tcb, uint64_t time)
{
    turn->event = time;
    tcb->left = ticks_left(turn, x86_count_get(tcb));
}

void x86_turn_queue(x86_turn *turn, x86_tcb *tcb)
{
    if (!tcb->has_ticket)
        tcb->ticket = __atomic_fetch_add(&turn->tickets, 1, __ATOMIC_ACQ_REL);
    tcb->has_ticket = 1;
}

void x86_turn_take(x86_turn *turn, x86_tcb *tcb)
{
    if (__atomic_load_n(&turn->owner, __ATOMIC_ACQUIRE) == tcb->self) {
        tcb->outside = X86_HAS_TURN;
        return;
    }
    tcb->outside = X86_WAITS_FOR_TURN;
    x86_turn_queue(turn, tcb);
    if (!wait_for_turn(turn, tcb))
        return; /* TU3 */
    tcb->has_ticket = 0;
    if (change_hands(turn, tcb) || turn->ends == 0)
        turn->ends = turn_ends(turn);
    x86_wake_settle(turn, tcb);
    count_set(tcb, turn->time);
    tcb->left = ticks_left(turn, turn->time);
    tcb->outside = X86_HAS_TURN;
}

void x86_turn_give(x86_turn *turn, x86_tcb *tcb)
{
    if (turn->owner != tcb->self)
        return; /* TU3 */
    tcb->yield = X86_YIELD_NOT;
    turn->time = x86_count_get(tcb);
    turn->place = tcb->target;
    __atomic_store_n(&turn->owner, 0, __ATOMIC_RELEASE);
    uint32_t next = __atomic_add_fetch(&turn->served, 1, __ATOMIC_ACQ_REL);
    if (__atomic_load_n(&turn->tickets, __ATOMIC_ACQUIRE) != next)
        x86_sys6(SYS_futex, (long)&turn->served, FUTEX_WAKE_BITSET | FUTEX_PRIVATE_FLAG, INT32_MAX, 0, 0, futex_bit(next));
}

bool x86_turn_is_wanted(const x86_turn *turn)
{
    return __atomic_load_n(&turn->tickets, __ATOMIC_ACQUIRE) - __atomic_load_n(&turn->served, __ATOMIC_ACQUIRE) > 1;
}

void x86_turn_pass_on(x86_turn *turn, x86_tcb *tcb)
{
    x86_turn_queue(turn, tcb);
    turn->ends = 0;
    x86_turn_give(turn, tcb);
}
