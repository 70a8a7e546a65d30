/* scheduler.h - who runs next.
 *
 * Runnable threads wait in one queue, first in, first out.  The running thread leaves it when it
 * blocks or when its quantum of timestamps is over.  A scheduler is two functions, so that a recorded
 * or enforced schedule can replace the queue:
 *     pick     the thread to run now among the runnable ones (never called when there is none);
 *     quantum  how many timestamps it may run.
 * When the schedule is chosen (explore/explore.h) neither is asked: turns end where that says.
 *
 * The outside world (clock, descriptors, signals) is asked in jvm_sched_poll_outside only. */
#ifndef EBB_JVM_THREADS_SCHEDULER_H
#define EBB_JVM_THREADS_SCHEDULER_H

#include "jvm/threads/thread.h"

typedef struct jvm_scheduler {
    jvm_thread *(*pick)(void);
    int64_t (*quantum)(const jvm_thread *t);
} jvm_scheduler;
extern const jvm_scheduler *jvm_scheduler_now;

void jvm_sched_add(jvm_thread *t);             /* makes a thread part of the queue */
/* Thread.suspend and resume: meanwhile it gets no turn, whatever wakes it. */
void jvm_suspend(jvm_thread *t);
void jvm_resume(jvm_thread *t);
uint64_t jvm_thread_ticks(const jvm_thread *t); /* timestamps that passed in its turns */
uint64_t jvm_thread_allocated(const jvm_thread *t); /* bytes of the heap that it was given */
extern bool jvm_contention_timed;              /* how long threads are blocked or wait is counted */
void jvm_sched_remove(const jvm_thread *t);    /* if it is in there */
void jvm_set_state(jvm_thread *t, uint32_t state); /* and Thread.threadStatus */
void jvm_sched_start_quantum(jvm_thread *t);
void jvm_sched_check_moment(void);             /* tells the agent if its moment has come; switches nothing */
void jvm_sched_moment_changed(void);           /* jvm_agent_moment (agent/agent.h) or when a checkpoint is due (undo/undo.h) is another one */
int64_t jvm_sched_left(void);                  /* timestamps until the quantum ends */
void jvm_sched_set_clock(uint64_t time, int64_t left); /* it is that time, with so much of the quantum left */
void jvm_sched_switch(jvm_thread *from);       /* to whoever is picked; returns when `from` runs again */
_Noreturn void jvm_sched_leave(jvm_thread *from); /* the thread ends */
/* Wakes threads whose time, descriptor or signal has come.  Waits for one if `may_wait`. */
void jvm_sched_poll_outside(bool may_wait);
/* Called at every poll; natives that take signals put theirs here. */
extern void (*jvm_signal_hook)(jvm_thread *t);

#endif
