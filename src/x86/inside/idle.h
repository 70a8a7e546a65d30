/* idle.h - loops in which a thread waits busily for another one.
 *
 * Only one thread has the turn (turn.h), so whoever waits busily keeps away the one that it waits for.  Three signs tell such a thread:
 * - it executes `pause`;
 * - a locked cmpxchg fails: who has the turn finds what it expects, unless another thread has changed it;
 * - it is in an idle loop: one piece of straight code, each iteration of which does the same as the one before, unless somebody else has changed memory.
 *
 * None of them depends on the clock.  The thread then gives the turn away at the tick of the jump back, or at the next one
 * (TU7), if others want it.
 *
 * ID1  in an idle loop no register, flag or word of the stack is read before it is written, if it is written at all;
 * ID2  it writes no memory but words of its stack frame and, by xchg, cmpxchg or bts, a lock: these leave there what the last turn left.
 *
 * A wrong guess (a pointer to a word of the same frame) costs time, nothing else. */
#ifndef EBB_X86_INSIDE_IDLE_H
#define EBB_X86_INSIDE_IDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The code of a loop: from where it begins to the end of the jump that leads there. */
bool x86_is_idle_loop(const uint8_t *code, size_t nbytes);

#endif
