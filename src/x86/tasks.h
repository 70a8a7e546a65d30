/* tasks.h - the threads of the debuggee: finding, stopping and moving them one by one. */
#ifndef EBB_X86_TASKS_H
#define EBB_X86_TASKS_H

#include "x86/process.h"

x86_task *x86_task_add(x86_process *p, pid_t tid); /* RUNNING until its first stop */
x86_task *x86_task_get(x86_process *p, pid_t tid); /* NULL if there is none */
x86_task *x86_task_by_host(x86_process *p, pid_t host);
void x86_task_free(x86_task *t);
void x86_task_remove(x86_process *p, x86_task *t);
void x86_tasks_keep_only(x86_process *p, x86_task *t); /* after an exec */

/* A task whose registers can be looked at: the oldest; NULL if there is none. */
x86_task *x86_task_first_alive(x86_process *p);
/* Its number: /proc has the memory under it even if the leader is a zombie; the process's if there is none. */
pid_t x86_any_tid(x86_process *p);
bool x86_tasks_all_stopped(const x86_process *p);
bool x86_tasks_others_stopped(const x86_process *p, const x86_task *t);

/* Asks every running task (but `except`) to stop, once.  The stops come in later. */
void x86_tasks_interrupt(x86_process *p, const x86_task *except);

typedef enum x86_how { X86_CONT, X86_STEP, X86_TO_SYSCALL } x86_how;
/* Lets a stopped task move: writes its registers and debug registers back and hands its signal over.
 * A task that died meanwhile is no failure: its exit status is on its way. */
ebb_status x86_task_resume(x86_process *p, x86_task *t, x86_how how, ebb_error *err) EBB_MUST_CHECK;

/* Collects one stop or exit of any task, waiting for it.  EBB_INTERRUPTED: there is none yet, but
 * machine_ops.interrupt was called, or `milliseconds` (if not negative) are over.  SIGCHLD must be
 * blocked (x86_wait_begin). */
ebb_status x86_wait(x86_process *p, int milliseconds, pid_t *tid, int *status, ebb_error *err) EBB_MUST_CHECK;
void x86_wait_begin(sigset_t *saved);
void x86_wait_end(const sigset_t *saved);

/* Waits for the first stop of a task that a fork or clone has just made. */
bool x86_wait_for_birth(pid_t tid);

/* A stop of a task that was collected before we knew it (a clone's child can be faster than the report of
 * its parent): kept, and given out once. */
bool x86_stray_take(pid_t tid, int *status);
void x86_stray_keep(pid_t tid, int status);

/* Lets all (stopped) tasks go, each with its pending signal, its registers and no watchpoints. */
void x86_tasks_detach(x86_process *p);

/* As the kernel has it now; empty if it can't be read. */
void x86_task_name(const x86_process *p, const x86_task *t, char *name, size_t room);

const machine_thread *x86_threads(machine *m, size_t *n);

/* Field of /proc/PID/status as a number (base as in strtoull); false if it can't be read. */
bool x86_proc_status(pid_t pid, const char *field, int base, uint64_t *value);

/* What becomes of signals, bit n-1 for signal n. */
typedef struct x86_signal_sets {
    uint64_t blocked, ignored, caught;
} x86_signal_sets;
bool x86_proc_signals(pid_t tid, x86_signal_sets *sets); /* false if it can't be read */
char x86_proc_state(pid_t pid); /* 'R', 'S', 'Z', ...; 0 if there is no such process */

#endif
