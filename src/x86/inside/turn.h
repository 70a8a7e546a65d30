/* turn.h - one thread at a time, and one count of time for all.
 *
 * The threads of a debuggee share one turn.  Whoever has it may execute guest code, translate, and
 * change the cache; it is given away around every system call that may wait, and taken again after it.  Those who
 * wait are served in the order in which they came.  ebb ends a turn from outside by parking all
 * threads; the turn then belongs to nobody, and ebb says in which order the threads have it when they enter again.
 *
 * A turn ends at a system call or at a tick, so that it can be repeated: one number, the timestamp, says when.  How long it is depends:
 * - by the clock: a thread that keeps the turn for too long while others wait is sent to the dispatcher by ebb, with `yield` set.  It goes
 *   on to the next tick in blocks that end there (translate.h, TR8).  When that is, nobody can know beforehand, but it is noted;
 * - by the time: it lasts `slice` timestamps (with `chaos`, a length that looks random and is not), or until a given one (`ends`), in code that looks at every tick.  Then nothing but the program
 *   decides who is next, as long as no thread waits in the kernel for anything but another thread's waking it (wake.h).
 *
 * The time is one for all, and it ticks when the turn goes from one thread to another: so the position of a thread that goes on is after
 * those of all that went on before it, wherever its code is (time/position.h).  Each such change is recorded, as a switch.
 *
 * TU1  at most one thread has the turn, and only that one executes guest code or touches the cache;
 * TU2  while somebody has the turn, the time is in that thread's counter; otherwise it is in `time`;
 * TU3  a thread that is wanted by ebb (stop_wanted) does not wait: every other one stands still then, none of them
 *     inside the cache;
 * TU4  a thread waits without a timeout: the kernel would keep it where it keeps that of a call of the guest's which is still to be
 *     made again (restart_syscall).  Instead ebb counts `served` up when it wants the thread, which then doesn't go to sleep on
 *     what it saw before; it never goes down;
 * TU5  a thread that gets the turn after another one had it begins one tick later than that one ended; one that gets it back without
 *     that goes on at the same time.
 *     A switch is at the position at which the turn was given away: the target of the transfer that ticked, the instruction after the system
 *     call, or the place where ebb had parked the thread;
 * TU6  a thread that computes loses the turn at the first moment of a timestamp, and never between the repetitions of a string instruction.
 *     But one that sleeps in a page fault, which another thread has to see to (userfaultfd), loses it there;
 * TU7  a thread that waits busily (idle.h) while others want the turn, which nothing ends beforehand, loses it at the next tick;
 * TU8  while `limit`, `event` or `ends` is a time, the thread that has the turn executes blocks that test (translate.h, TR10), and `left` is right.  Who
 *      makes one of them a time sends the thread to the dispatcher. */
#ifndef EBB_X86_INSIDE_TURN_H
#define EBB_X86_INSIDE_TURN_H

#include "x86/shared.h"

typedef struct x86_turn {
    uint64_t owner; /* the tcb that has it; 0: nobody */
    uint64_t time;  /* TU2 */
    uint64_t limit; /* a time at which ebb wants to be told; UINT64_MAX: never */
    uint64_t ends;  /* the time at which the turn is over, or the first tick after that; UINT64_MAX: when ebb says so; 0: a new one begins */
    uint64_t slice; /* how long it is; 0: as long as ebb wants */
    uint64_t chaos; /* not 0: it is of any length up to that, as this number and the time at which it begins say */
    uint64_t event; /* a time at which something is recorded that the program didn't ask for (replay.h); UINT64_MAX: none */
    uint32_t tickets; /* how many were drawn by those who wanted the turn */
    uint32_t served;  /* a futex: the ticket whose turn it is */
    uint32_t came;    /* how many came back from waiting for a word, and have their tickets (wake.h) */
    uint64_t waits_at; /* the word for which the thread waits that gave the turn away; 0: it is settled */
    uint32_t waits_private, waits_n, waits_came; /* whose memory it is; so many wait for it then; `came` before */
    uint64_t place;   /* where it was given away */
    uint32_t last;    /* the thread that had it last, as the system numbers it; 0: nobody had it yet */
    uint64_t n_switches; /* TU5: so many so far */
} x86_turn;

/* How long a turn is that begins at that time.  With chaos a quarter of them is one tick, so that a thread is passed over, and a quarter is short. */
static inline uint64_t x86_turn_length(uint64_t slice, uint64_t chaos, uint64_t time)
{
    enum { SHORT = 64 };
    if (!chaos)
        return slice;
    uint64_t dice = (chaos ^ time) * 0x9e3779b97f4a7c15u;
    dice = (dice ^ dice >> 31) * 0xd6e8feb86659fd93u;
    dice ^= dice >> 29;
    uint64_t most = dice % 4 == 0 ? 1 : dice % 4 == 1 ? SHORT : slice;
    return 1 + (dice >> 8) % most;
}

void x86_turn_take(x86_turn *turn, x86_tcb *tcb); /* at once if it has it already */
void x86_turn_give(x86_turn *turn, x86_tcb *tcb);
void x86_turn_queue(x86_turn *turn, x86_tcb *tcb); /* for x86_turn_take, which comes later */
bool x86_turn_is_wanted(const x86_turn *turn); /* others wait for it, while the caller has it */
/* Gives it away, with a place at the end of the queue. */
void x86_turn_pass_on(x86_turn *turn, x86_tcb *tcb);
/* The thread that has it is stopped at that time, too. */
void x86_turn_set_event(x86_turn *turn, x86_tcb *tcb, uint64_t time);
/* TU8: something is to happen at a known time. */
bool x86_turn_is_timed(const x86_turn *turn);
/* How many ticks there are until it is stopped, whether the turn ends before or not. */
uint64_t x86_turn_ticks_to_stop(const x86_turn *turn, uint64_t now);

/* The count of time of a thread that has the turn. */
uint64_t x86_count_get(const x86_tcb *tcb);
void x86_count_tick(x86_tcb *tcb);

#endif
