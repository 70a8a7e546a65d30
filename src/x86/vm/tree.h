/* tree.h - all processes of a program are recorded, and all programs that they execute.
 *
 * A recording is of one process while it executes one program: an *image*.  The first one is where x86_vm_record put it.  Of each later one there is
 * a file in a folder: PID.ebb, and PID.2.ebb, PID.3.ebb, ... of the programs that the same process executes afterwards.  Who each is stands in the
 * recording itself ("pid", "parent", "program-number" of its facts).
 *
 *   fork    the child gets an ebb of its own (x86/hand_over.h), in which the machine is the child's: its recording begins in the middle of the
 *           program, with all memory as the child has it;
 *   vfork   likewise, but the child runs natively in its parent's memory until it executes a program, with which its recording begins;
 *   exec    the recording is over, and another begins.
 *
 * OT1  what one process is recorded to is written by its own ebb only;
 * OT2  a process that can't be recorded runs all the same, and the user is told. */
#ifndef EBB_X86_VM_TREE_H
#define EBB_X86_VM_TREE_H

#include "x86/vm/private.h"

/* A hook of native mode.  The program may fork at any moment of a move, while ebb is at something else (a thread is being parked, say).  The ebb of
 * the child has no use for that: it leaves everything where it stands, and wakes up in the outermost function of the move. */
ebb_status vm_tree_forked(void *layer, ebb_error *err) EBB_MUST_CHECK;
ebb_status vm_tree_wake(x86_vm *vm, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;
void vm_tree_executed(x86_vm *vm); /* another program */
void vm_tree_go_on(x86_vm *vm);    /* the recording that is due begins: all threads stand still, and the runtime is there */
bool vm_tree_news(x86_vm *vm, ebb_error *news); /* as x86_vm_recording_news */
void vm_tree_fini(x86_vm *vm);

#endif
