/* capture.h - the schedule of an execution (schedule/schedule.h), taken down while a recording of it is replayed.
 *
 * Every bytecode of the program is counted since the last event, so that where threads change, a place and a count say when: the procedure of
 * appendix C of Schuppan, Baur and Biere, over our own machine.  Nothing of it is there while a program is recorded: whoever wants the schedule
 * of an execution replays it to where it is to end.
 *
 *     what happens                                           event                           action
 *     a thread that could go on is stopped                   before what it would execute    switch
 *     it waits for a monitor at its monitorenter or call     before that one                 switch
 *     it waits for that of a method which the library calls  before the method's first one   switch
 *     it blocks otherwise, also until a class is initialised in the program's call           switch
 *     the program notifies somebody                          before what comes after         notify, for each
 *     the turn goes to somebody whose time is over           (that of the switch)            timeout, then switch
 *     a thread ends                                          before its last bytecode        die
 *     nobody can go on                                       (that of the blocked thread)    switch none
 *     only daemons are left                                  before the last one's last      die none
 *     the program ends, or what is asked for does            before where that is            terminate
 *
 * CAP1  threads of the machine itself, and those that were there before main, are not mentioned: what happens in their turns happens between
 *      those of the program's;
 * CAP2  a turn in which a thread comes back from a call only to block in it again is no turn, and neither is one in which a thread with nothing of
 *      the program on its stack executes nothing of it, unless it is a task of a pool, the end of a pool's worker, or the thread is one of a ForkJoinPool, a scheduled
 *      pool or a timer: those take what they do from each other, so that the order matters even if they do nothing.  Once a thread
 *      was `in none`, each turn of it counts: whoever replays that holds it there;
 * CAP3  a switch inside the class library of a thread that could go on can't be said: it is moved to after the call, and the schedule says
 *      in a comment how many were;
 * CAP4  `in none` alone would not say how much of the program was executed before: an event without an action, before the last bytecode, does.  The same for a call
 *      that has called the program, as a join that helps with other tasks: a count of it would mean the calls made inside of it, too;
 * CAP5  whether a thread before a monitorenter has tried to execute it, and is blocked, or was stopped there can be told only by asking for its state.  If the program does
 *      that, an attempt that did not succeed has an event of its own: the thread is before the monitorenter twice;
 * CAP6  a timer whose time is over while nobody else has a turn is `in none` and timed out all the same: what it does next is not done before its time;
 * CAP7  a task of a scheduled pool in which nothing of the program is executed, as where a future is completed late, leaves no other trace: before it, its worker
 *      is `in none` and timed out, unless it is so anyway. */
#ifndef EBB_JVM_EXPLORE_CAPTURE_H
#define EBB_JVM_EXPLORE_CAPTURE_H

#include "jvm/engine/frame.h"

extern bool jvm_capture_on; /* main was called, and the schedule is being taken down */

/* EBB_CAPTURE=FILE: the schedule goes there, and the process ends then.  EBB_CAPTURE_UNTIL=TIME:PLACE, in decimal: that is the end.  Both are
 * taken out of the environment.  In a replay only. */
void jvm_capture_init(void);
void jvm_capture_begins(const jvm_thread *main); /* main is called */

/* ---- only while jvm_capture_on ---- */

void jvm_capture_look(jvm_thread *t, jvm_frame *f);       /* f->pc is about to be executed */
void jvm_capture_again(const jvm_frame *f);               /* it was not, but will be now */
void jvm_capture_switch(jvm_thread *from, jvm_thread *to);
void jvm_capture_starts(const jvm_thread *starter, const jvm_thread *started);
void jvm_capture_ends(const jvm_thread *t);
void jvm_capture_notifies(const jvm_thread *t, const jvm_thread *whom);

#endif
