/* trace.h - schedules from a trace of bytecodes, as a model checker or another virtual machine can write one.
 *
 * One line for each bytecode that was executed, in the order of their execution by all threads:
 *
 *     THREAD CLASS METHOD OFFSET [blocks|dies]
 *
 * with the words of a place as in a schedule.  `blocks`: the thread did not get out of that bytecode in this turn (wait, sleep, join,
 * park), and it is not written again when the thread goes on; `dies`: it was the thread's last.  A `monitorenter` that has to wait was not executed.  Other lines:
 *
 *     notify THREAD, timeout THREAD      as in a schedule, where it happened
 *     next THREAD CLASS METHOD OFFSET    what the thread would have executed next: for threads that end the trace alive
 *     deadlock                           the trace ends because nobody can go on
 *     thread NUMBER NAME                 as in a schedule
 *
 * Where the thread changes, the one that ran is at the bytecode that it executes next, which is taken from the rest of the trace.
 *
 * STR1  the schedule has an event where the thread changes or a `notify` or `timeout` stands, and nowhere else; its count is that of the turn since the last event. */
#ifndef EBB_SCHEDULE_TRACE_H
#define EBB_SCHEDULE_TRACE_H

#include "schedule/schedule.h"

/* EBB_BAD_FILE: `all` has what is wrong. */
ebb_status sched_import_trace(sched_schedule *out, const char *text, size_t nbytes, sched_complaints *all) EBB_MUST_CHECK;

#endif
