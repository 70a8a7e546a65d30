/* watch.h - data points: the CPU's four debug registers, and single-stepping where they don't do.
 *
 * A data point is cut into aligned pieces of 1, 2, 4 or 8 bytes, one register each.  Points get
 * registers in the order in which they were set.  Of one that finds too few left, in native mode, every instruction is looked at,
 * one task at a time: after it, bytes are compared; before it, its operands tell what it is going to access.
 *
 * WX1  a WRITE point is told only if its bytes, or those of its bits that count, differ from those at the last look;
 * WX2  the CPU stops on reads only together with writes: a READ point in a register is told if the bytes are the same.  Without
 *     a register it is told if the instruction reads it;
 * WX3  the debug registers don't see what the kernel writes: as long as there is a STORE point in native mode, the table of calls tells
 *     where one returns what it wrote (inside/writes.h).  Where it says that the kernel has written each byte, that is a write; else
 *     bytes are compared, of what the call may have written.  All are if the table does not know the call, or if no other thread could have
 *     changed them. */
#ifndef EBB_X86_WATCH_H
#define EBB_X86_WATCH_H

#include "x86/inside/touch.h"
#include "x86/process.h"

void x86_watch_plan(x86_process *p); /* gives the registers out anew */
void x86_watch_look(x86_process *p); /* takes the present bytes as those to compare with */

void x86_watch_flush(x86_process *p, x86_task *t); /* debug registers of a task about to move */
void x86_watch_clear(x86_process *p, x86_task *t); /* none, before it is detached */

/* The points that this task's trap was about, added to *stop; true if there are any. */
bool x86_watch_hits(x86_process *p, x86_task *t, machine_stop *stop);
/* The software points that changed since the last look, added to *stop. */
bool x86_watch_changes(x86_process *p, x86_task *t, machine_stop *stop);

/* WX3: system calls have to be looked at, where they begin and where they return; what one wrote, added to *stop.  *is_sure: nobody else did. */
bool x86_watch_needs_syscalls(const x86_process *p);
void x86_watch_call_begins(x86_process *p, x86_task *t);
bool x86_watch_kernel_wrote(x86_process *p, x86_task *t, machine_stop *stop, bool *is_sure);

/* Which memory the task's next instruction is about to read and write: how many ranges (inside/touch.h). */
size_t x86_watch_ahead(x86_process *p, x86_task *t, bool all_repetitions, x86_touch touches[X86_MAX_TOUCHES]);
/* Notes which points without registers the task's next instruction reads or accesses ... */
void x86_watch_before_step(x86_process *p, x86_task *t);
/* ... which are told when it has been executed. */
bool x86_watch_touched(x86_task *t, machine_stop *stop);
/* Adds a point to *stop if it is about this task. */
void x86_watch_tell(x86_process *p, const x86_task *t, machine_point_id id, machine_stop *stop);

#endif
