/* wake.h - threads that wake each other, where turns are by the time (turn.h).
 *
 * A thread that was woken asks for the turn when the kernel has come round to it: the clock would say who is first.  So there whoever wakes another
 * thread of the program (FUTEX_WAKE, or the end of a thread that somebody waits for) keeps the turn, and goes on when that one has its place in the queue.  Several
 * are woken one by one, in the order in which they began to wait.  And whoever gets the turn from a thread that goes to wait for a word goes on when that one waits, or is
 * back: else it would be the clock that says whether it waited before the word changed.
 *
 * WK1  who comes back from waiting for a word counts `came` up, after it has its place;
 * WK2  nobody waits for long: one that is woken in another process never comes;
 * WK3  how many wait for a word, the kernel tells: who asks it to move all of them to where they are. */
#ifndef EBB_X86_INSIDE_WAKE_H
#define EBB_X86_INSIDE_WAKE_H

#include "x86/inside/turn.h"

/* Whether the call wakes threads of this program, and is made by x86_wake. */
bool x86_wakes(const x86_turn *turn, const x86_tcb *tcb);
/* Makes it, with the registers of the guest's.  The caller has the turn. */
long x86_wake(x86_turn *turn, x86_tcb *tcb);
/* The word is cleared: who waits for that comes. */
void x86_wake_at_end(x86_turn *turn, const x86_tcb *tcb, uint64_t word);
/* Before the thread gives the turn away for a call, and after the call, before it asks for the turn: WK1. */
void x86_wake_waits(x86_turn *turn, const x86_tcb *tcb);
void x86_wake_came(x86_turn *turn, x86_tcb *tcb);
/* Of a thread that has got the turn, before it goes on. */
void x86_wake_settle(x86_turn *turn, const x86_tcb *tcb);

#endif
