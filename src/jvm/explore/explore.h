/* explore.h - the schedule of a Java program is chosen: by a strategy, by a list of turns, or from a recording.
 *
 * Without it threads take turns of a fixed number of timestamps (threads/scheduler.h).  With it, from the call of main on, every access to
 * something that other threads can reach is a *switch point*: a policy (policy.h) says who goes on.  The same policy says who gets the turn when a
 * thread blocks, yields or ends, who gets a lock that is free, whom a notification is for, and when a wait with a limit is over.  So the
 * schedule is a function of the policy alone, and time is: clocks show how much has been executed, and jump to the end of a wait
 * that times out.
 *
 * What is a switch point: before bytecode of the program (of the class library, too, if asked for) that reads or writes a static field, or a field
 * or an element of an object that has *escaped*; that enters a monitor; and before a call of the class library on an escaped object, of
 * Thread, or of java.util.concurrent; and before the class library calls the program as a task of a pool or a timer.  An object has escaped when another thread could find it: it was there before main, or it was stored into an
 * escaped object or a static field, or handed to the library, or is reached by the Thread that was started.  Escaped once is escaped for ever.
 *
 * A recording holds what was decided as events (record/events.def), so that replay needs no policy: EXPLORE where main is called, SWITCH with the place of
 * a thread that could have gone on, PICK for one that could not, NOTIFY for whom a notification was for.
 *
 * EX1  a switch at a switch point happens before the bytecode, and the clock ticks: the thread comes back to the same bytecode at another
 *      time, so positions stay unique;
 * EX2  in replay nothing is decided here and no state is kept: the undo log may go anywhere after the call of main;
 * EX3  what a run tells its explorer depends on the program and the request only (XW1). */
#ifndef EBB_JVM_EXPLORE_EXPLORE_H
#define EBB_JVM_EXPLORE_EXPLORE_H

#include "jvm/engine/frame.h"

extern bool jvm_explore_on;    /* main was called, and the schedule is chosen */
extern bool jvm_explore_waits; /* the call of main has not come yet, and matters to somebody */

/* EBB_EXPLORE=FD: an explorer is at the other end of that socket (wire/explore.h); EBB_SCHEDULING=STRATEGY[:SEED]: by that strategy.  Both are taken
 * out of the environment.  Once it is known whether this is a recording or a replay. */
void jvm_explore_init(void);

/* Only while jvm_explore_waits: C code calls m. */
void jvm_explore_calls(jvm_thread *t, const jvm_method *m);

/* ---- only while jvm_explore_on ---- */

void jvm_explore_look(jvm_thread *t, jvm_frame *f);    /* before the bytecode f->pc, which is a switch point by its operation: may switch threads */
jvm_thread *jvm_explore_next(jvm_thread *from);        /* `from` can't go on, or doesn't want to: who runs */
bool jvm_explore_quantum_ends(void);                   /* whether it is time for somebody else all the same */
size_t jvm_explore_choose_waiter(jvm_thread *t, size_t n); /* a notification is for one of n */
void jvm_explore_starts(jvm_thread *started);
bool jvm_explore_rules_time(void);                     /* clocks show what the next tells */
int64_t jvm_explore_look_at_clock_ns(void);            /* a look takes time, too: who waits for a time that way gets there */
void jvm_explore_uncaught(jvm_thread *t, jvm_obj *thrown); /* and its handler was told */
void jvm_explore_exits(int status);                    /* the program ends */

#endif
