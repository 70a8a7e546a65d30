/* turn.h - one thread at a time.
 *
 * The threads of a debuggee share one turn.  Whoever has it may execute guest code, translate, and
 * change the cache; it is given away around every system call and taken again behind it.  ebb ends a turn
 * from outside by parking the thread that has it (it then belongs to nobody), and may name the thread that
 * has to be next.
 *
 * U1  at most one thread has the turn, and only that one executes guest code or touches the cache;
 * U2  a thread that waits looks again at least every 10 ms, so a wake-up lost to a stop costs no more. */
#ifndef EBB_X86_INSIDE_TURN_H
#define EBB_X86_INSIDE_TURN_H

#include "x86/shared.h"

typedef struct x86_turn {
    uint64_t owner;  /* the tcb that has it; 0: nobody */
    uint64_t next;   /* the tcb that must be next; 0: any */
    uint32_t waiters;
    uint32_t changes; /* a futex: counts every time the turn was given away */
} x86_turn;

void x86_turn_take(x86_turn *turn, x86_tcb *tcb); /* at once if it has it already */
void x86_turn_give(x86_turn *turn);

#endif
