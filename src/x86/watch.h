/* watch.h - data points: the CPU's four debug registers, and single-stepping where they don't do.
 *
 * A data point is cut into aligned pieces of 1, 2, 4 or 8 bytes, one register each.  Points get
 * registers in the order in which they were set; a WRITE point that finds too few left is checked
 * by comparing its bytes after each instruction, one task at a time.
 *
 * W1  a WRITE point is told only if its bytes differ from those at the last look;
 * W2  the CPU stops on reads only together with writes: a READ point is told if the bytes are the same. */
#ifndef EBB_X86_WATCH_H
#define EBB_X86_WATCH_H

#include "x86/process.h"

/* Gives the registers out anew.  EBB_UNSUPPORTED if `point` needs one and there is none. */
ebb_status x86_watch_plan(x86_process *p, const x86_point *point, ebb_error *err) EBB_MUST_CHECK;
void x86_watch_look(x86_process *p); /* takes the present bytes as those to compare with */

void x86_watch_flush(x86_process *p, x86_task *t); /* debug registers of a task about to move */
void x86_watch_clear(x86_process *p, x86_task *t); /* none, before it is detached */

/* The points that this task's trap was about, added to *stop; true if there are any. */
bool x86_watch_hits(x86_process *p, x86_task *t, machine_stop *stop);
/* The software points that changed since the last look, added to *stop. */
bool x86_watch_changes(x86_process *p, x86_task *t, machine_stop *stop);

#endif
