/* hand_over.h - the child of a fork gets an ebb of its own, which is a fork of this one.
 *
 * ptrace knows no way to give a process that is traced to another tracer.  So the child is let go at a place where it only waits
 * (x86_inside_exports.await), with all signals blocked; the new ebb seizes it there, and puts its registers and its mask of signals back.
 *
 * The new ebb is a copy of the old one in the middle of what it did, but for its other threads: it goes on with the child in the parent's
 * place.  The two share nothing but files.  An *heir* is such an ebb, as the one that made it sees it.
 *
 * HO1  the child has executed nothing of the program's when the new ebb has it;
 * HO2  the parent of a vfork does not move before the new ebb has read what it needs of their common memory (x86_hand_over_done);
 * HO3  an heir that is killed takes its process with it, as every ebb does, also if it had not got it yet;
 * HO4  whoever made an heir does not end before it, and an heir ends if its maker dies. */
#ifndef EBB_X86_HAND_OVER_H
#define EBB_X86_HAND_OVER_H

#include "x86/process.h"

/* Of p->fork, as it is just told.  True: this is the new ebb.  If there can be none, the child goes on without one. */
bool x86_hand_over(x86_process *p, uint64_t await);
/* In the new ebb, next: `p` is the child afterwards, whose one thread stands in its first stop. */
ebb_status x86_hand_over_take(x86_process *p, ebb_error *err) EBB_MUST_CHECK;
void x86_hand_over_done(void); /* HO2; in the new ebb */

/* The process executed what ebb can't debug: it goes on by itself, and nothing else is left to do for this ebb. */
void x86_let_go(x86_process *p, pid_t tid);
pid_t x86_let_go_pid(void); /* 0: none was */

/* A child of ebb's, which was waited for, has ended: if it was an heir, HO3. */
void x86_heir_ended(pid_t pid, int status);
/* Until there is none left.  `is_over` is asked after each signal that comes: if it says so, they are asked to end. */
void x86_heirs_wait(bool (*is_over)(void));

#endif
