/* schedule.h - which thread had the turn until when, and where signal handlers began.
 *
 * Two rings keep the last switches and deliveries.  Whoever records them has one place to stand at:
 * - x86_schedule_switched is called when another thread gets the turn, by that thread, which has the turn already.  The time is still that of
 *   the thread before it: the tick of the switch (turn.h, TU5) comes after the call;
 * - while all threads are parked ebb itself may let another thread move, and it is ebb that delivers signals, by a step of the kernel's.  It writes both
 *   rings then (vm/schedule.c: vm_schedule_switched, vm_schedule_delivered), and nobody else runs meanwhile.  So a recorder inside the debuggee that
 *   looks at both rings whenever a thread gets the turn misses nothing.
 *
 * Threads are told by their numbers: 1 for the first of the program, then in the order in which they were made.
 *
 * SD1  a switch is at a tick or at a system call, or at a place where ebb had parked all threads;
 * SD2  (time, place) of a switch is the position at which the turn was given away: the target of the transfer that ticked, or the instruction after
 *      the system call.  What the next thread does begins at time + 1. */
#ifndef EBB_X86_INSIDE_SCHEDULE_H
#define EBB_X86_INSIDE_SCHEDULE_H

#include "x86/shared.h"

enum { X86_KEPT_SWITCHES = 1024, X86_KEPT_DELIVERIES = 256 };

typedef struct x86_schedule {
    uint64_t n_switches; /* so far; the ring has the last ones, the n-th at n % X86_KEPT_SWITCHES */
    x86_switch switches[X86_KEPT_SWITCHES];
    uint64_t n_deliveries; /* likewise */
    x86_delivery deliveries[X86_KEPT_DELIVERIES];
} x86_schedule;

/* The turn goes from one thread to another. */
void x86_schedule_switched(x86_schedule *schedule, const x86_switch *change);

#endif
