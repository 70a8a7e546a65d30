/* record.h - the runtime writes down what came from outside (x86/recorded.h), into a ring that it shares with ebb.
 *
 * The ring is memory that ebb made and mapped into the debuggee, twice in a row, so that an event is always in one piece.  Two
 * counts of bytes, which only grow, say how much was written and how much ebb has taken (vm/scribe.h).  Whoever finds no room waits until ebb took
 * something: nothing is ever lost.
 *
 * RO1  only the thread that has the turn writes;
 * RO2  what is between `taken` and `written` are whole events: `written` moves when an event is complete;
 * RO3  a copy that replays, and a process that goes on natively, write nothing. */
#ifndef EBB_X86_INSIDE_RECORD_H
#define EBB_X86_INSIDE_RECORD_H

#include "x86/inside/runtime.h"
#include "x86/inside/writes.h"

/* After the call, with the turn taken: the memory that the kernel wrote, and the call. */
void x86_record_call(x86_tcb *tcb, const x86_called *call, long result);
void x86_record_ask(x86_tcb *tcb, const uint64_t words[4]);
/* In turn.c, where the turn changes hands: at `time`, before the tick. */
void x86_record_switch(x86_tcb *tcb, uint64_t time, uint32_t to);

#endif
