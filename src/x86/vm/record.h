/* record.h - an execution in VM mode is recorded: ebb's half.
 *
 * The runtime writes what it sees to a ring (inside/record.h), a scribe takes it from there to the file (scribe.h).  What only ebb sees, it writes to
 * the same ring while all threads stand still: who gets the turn at a stop, and what the kernel did to deliver a signal.
 *
 * VR1  a recording begins with all memory and registers: before the program executes anything, or, of a child, where it was forked;
 * VR2  whatever the recording can't hold ends it, and the user is told why (x86_vm_recording_ended): an exec, native mode, a followed child.  Where
 *      all processes are recorded (tree.h), another recording begins after an exec, and the child has one of its own. */
#ifndef EBB_X86_VM_RECORD_H
#define EBB_X86_VM_RECORD_H

#include "time/recording.h"
#include "x86/vm/private.h"

#include <sys/user.h>

/* The ring, shared with the debuggee: it is mapped there, and here. */
ebb_status vm_ring_map(x86_vm *vm, machine_tid tid, ebb_error *err) EBB_MUST_CHECK;
void vm_ring_unmap(x86_vm *vm);

/* beginning.c: what there is before the first event. */
ebb_status vm_record_about(x86_vm *vm, ebb_recorder *rec, ebb_error *err) EBB_MUST_CHECK;
ebb_status vm_record_beginning(x86_vm *vm, ebb_recorder *rec, ebb_error *err) EBB_MUST_CHECK;

/* It is bounded (x86_vm_record_bound), and time for a second one that begins now; all threads stand still. */
bool vm_record_wants_anew(x86_vm *vm);
void vm_record_anew(x86_vm *vm);
bool vm_is_recorded(const x86_vm *vm); /* what happens just now is */

/* All of these do nothing if nothing is recorded. */
void vm_record_switch(x86_vm *vm, uint64_t place, machine_tid to); /* which the last one gave away there, now */
/* The thread has the turn: the call in which it was parked, if that is over, is recorded before it does anything else. */
ebb_status vm_record_parked(x86_vm *vm, vm_thread *t, ebb_error *err) EBB_MUST_CHECK;
/* The thread is about to go on natively: what its last call has put aside is the program's (inside/aside.h). */
ebb_status vm_record_leaves(x86_vm *vm, vm_thread *t, ebb_error *err) EBB_MUST_CHECK;
/* For a copy of the thread, which has no turn: a call that is over, and not recorded yet, is still to be made there, so that its answer is asked for. */
ebb_status vm_record_before_call(x86_vm *vm, const vm_thread *t, struct user_regs_struct *regs, ebb_error *err) EBB_MUST_CHECK;
/* Before a recording begins in the middle of an execution: a call that was begun earlier is no part of it. */
ebb_status vm_record_forget_calls(x86_vm *vm, ebb_error *err) EBB_MUST_CHECK;
/* The CPU has executed an instruction that asks it something, because the runtime could not (inside/asks.h): the answer is in the registers. */
ebb_status vm_record_stepped_ask(x86_vm *vm, machine_tid tid, ebb_error *err) EBB_MUST_CHECK;
/* A signal on its way: where and when it interrupts the thread. */
typedef struct vm_interruption {
    int signal;
    uint64_t time, place, rsp;
    bool in_call; /* it interrupts one: */
    uint64_t result;
} vm_interruption;
/* Before it is delivered: of the thread, which has the turn. */
ebb_status vm_record_interrupted(x86_vm *vm, vm_thread *t, int signal, vm_interruption *at, ebb_error *err) EBB_MUST_CHECK;
/* After it, at the first instruction of the handler.  The call that it interrupted is recorded first: only now may the thread move, since the kernel puts
 * the mask of a sigsuspend back when the call is left, and the signal would be blocked. */
ebb_status vm_record_signal(x86_vm *vm, machine_tid tid, const vm_interruption *at, ebb_error *err) EBB_MUST_CHECK;
/* Before it is delivered: if it ends the program, that is recorded with the exit.  The threads of a program that dies are seen ending in any order, and
 * of the one that got the signal perhaps last.  `info` is what comes with it. */
void vm_record_deadly(x86_vm *vm, machine_tid tid, const vm_interruption *at, const siginfo_t *info);
void vm_record_survived(x86_vm *vm);
/* The debuggee stands still, or has ended: all of it is in the file. */
void vm_record_sync(x86_vm *vm);
void vm_record_exit(x86_vm *vm, const machine_stop *stop);
void vm_record_stop(x86_vm *vm, const char *why); /* VR2 */
bool vm_record_news(x86_vm *vm, ebb_error *news); /* as x86_vm_recording_news, of this recording */
/* What may be wrong with it; one more thing, that was read of it. */
vm_doubts vm_record_doubts(const x86_vm *vm);
void vm_record_doubt(x86_vm *vm, ebb_values values);
void vm_record_abandon(x86_vm *vm); /* in the copy of an ebb that was forked: the recording is the other one's */
void vm_record_fini(x86_vm *vm);

#endif
