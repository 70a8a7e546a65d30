/* events.h - what a collected stop means.
 *
 * x86_event_handle looks at one wait status and brings the process's state up to date: tasks come and
 * go, forks and execs are followed, program counters put right (XP3).  If the stop is to be told, the
 * task has an event afterwards; if not, it is simply STOPPED and may move on. */
#ifndef EBB_X86_EVENTS_H
#define EBB_X86_EVENTS_H

#include "x86/process.h"

ebb_status x86_event_handle(x86_process *p, pid_t tid, int status, ebb_error *err) EBB_MUST_CHECK;

/* Gives the task an event of that kind at its place, to be told (XP2). */
machine_stop *x86_event_set(x86_process *p, x86_task *t, machine_stop_kind kind);
void x86_event_set_points(x86_process *p, x86_task *t, const machine_stop *hits); /* the points of *hits */

/* A stop before the delivery of a signal: told, or passed on quietly. */
void x86_signal_handle(x86_process *p, x86_task *t, int signal, const siginfo_t *info);

/* trap.c: a SIGTRAP stop that is no ptrace event. */
ebb_status x86_trap_handle(x86_process *p, x86_task *t, const siginfo_t *info, ebb_error *err) EBB_MUST_CHECK;
/* trap.c: whether the kernel holds a trap of ours for this stopped task (XP4). */
bool x86_trap_is_pending(x86_task *t);
/* trap.c: a step has ended with a signal instead. */
void x86_mend_failed_step(x86_task *t);

/* fork.c */
ebb_status x86_fork_begin(x86_process *p, x86_task *t, bool vfork, ebb_error *err) EBB_MUST_CHECK;
bool x86_fork_wants_quiet(const x86_process *p); /* every task has to stop first */
ebb_status x86_fork_when_quiet(x86_process *p, ebb_error *err) EBB_MUST_CHECK;
/* The machine is the child's from now on; its parent is let go. */
ebb_status x86_fork_follow(x86_process *p, ebb_error *err) EBB_MUST_CHECK;
/* The child goes on without us: the parent is dealt with, and the child as well. */
void x86_fork_left(x86_process *p);
void x86_fork_release(x86_process *p);
/* Whatever was known of the parent's threads is forgotten: the process is the child, whose one thread stands still. */
x86_task *x86_fork_become(x86_process *p, pid_t child);
void x86_fork_vfork_done(x86_process *p);
/* From the stop inside the exec to the first instruction of the new program, so that registers can be written
 * (the kernel has its last say about them as the call ends).  False if it died. */
bool x86_leave_exec(pid_t tid);
ebb_status x86_exec_handle(x86_process *p, x86_task *t, ebb_error *err) EBB_MUST_CHECK;

/* stepover.c: moving one task past a point while the others stand still. */
void x86_skip_point(x86_task *t); /* the point where it stands does not stop it (again) */
bool x86_stepover_needed(x86_process *p, x86_task *t);
ebb_status x86_stepover_start(x86_process *p, x86_task *t, ebb_error *err) EBB_MUST_CHECK;
void x86_stepover_end(x86_process *p, x86_task *t); /* after any stop of it; no-op if it wasn't one */

#endif
