/* replay.h - a process that replays: what the world answered is taken from a recording (x86/recorded.h).
 *
 * ebb puts the next events into the *feed*; the runtime takes them one by one, each where the program asks for it.  When none is left
 * it gives up (X86_STUCK_FEED), stands before what it was about to do, and ebb brings more.  An event that does not come from anything that
 * the program does, a signal or another thread's turn, is known by its timestamp: at that time the runtime gives up
 * (X86_STUCK_EVENT), and ebb sees to it.
 *
 * RE1  what changes mappings is done again, at the recorded addresses, with memory of nobody's: no file is opened, no descriptor used;
 * RE2  an event that is not the one expected changes nothing: X86_STUCK_DIVERGED, and `why` names both;
 * RE3  giving up in the middle of a call does no harm: what was taken of it is not asked for again;
 * RE4  nothing is put where the runtime lives, whatever a recording says: X86_STUCK_DIVERGED. */
#ifndef EBB_X86_INSIDE_REPLAY_H
#define EBB_X86_INSIDE_REPLAY_H

#include "x86/inside/runtime.h"

/* Instead of x86_syscall's way to the kernel. */
uint64_t x86_replay_syscall(x86_tcb *tcb);
/* What the CPU answered.  False: it has to give up, for the reason in *why. */
bool x86_replay_ask(x86_tcb *tcb, uint64_t words[4], x86_stuck *why);

/* The end of the heap of a process that replays; and moves it.  False: there is no room. */
uint64_t x86_replay_break(x86_tcb *tcb);
bool x86_replay_set_break(x86_tcb *tcb, uint64_t end);

#endif
