/* filters.h - the filters for system calls that a program in VM mode has installed (seccomp).
 *
 * The runtime asks them (inside/gate.h); ebb installs them for the guest, since all threads may be concerned, and keeps them, since they
 * outlive the runtime:
 *
 * FI1  a new thread, and a child that is followed, has the filters of whoever made it; a program that was executed has those of the
 *      thread that executed it;
 * FI2  whatever goes on without the runtime has got them from the kernel before its first instruction: a forked child, a program
 *      that is detached or continues in native mode.  They can't be taken back, so that process stays native;
 * FI3  the kernel has checked each program (GT3). */
#ifndef EBB_X86_VM_FILTERS_H
#define EBB_X86_VM_FILTERS_H

#include "x86/vm/private.h"

/* The thread stands at a call that installs a filter: it is made for it. */
ebb_status vm_filter_install(x86_vm *vm, machine_tid tid, ebb_error *err) EBB_MUST_CHECK;
/* The runtime knows the thread's filters from now on. */
ebb_status vm_filters_tell(x86_vm *vm, vm_thread *t, ebb_error *err) EBB_MUST_CHECK;
void vm_filters_forget_runtime(x86_vm *vm);
void vm_filters_fini(x86_vm *vm);

/* VM mode is not for a process for which the kernel has filters that ebb hasn't. */
ebb_status vm_filters_check(x86_vm *vm, ebb_error *err) EBB_MUST_CHECK;

/* FI2: for all threads, which must be free (vm_free_thread). */
ebb_status vm_filters_give_to_kernel(x86_vm *vm, ebb_error *err) EBB_MUST_CHECK;
/* FI2: for a child that was just born, and would go on natively. */
void vm_filters_give_to_child(x86_vm *vm, pid_t parent, pid_t child);

/* denied.c: the thread, parked after the call, gets what its filters have for it. */
ebb_status vm_denied(x86_vm *vm, machine_tid tid, const x86_tcb *tcb, machine_stop *stop, ebb_error *err) EBB_MUST_CHECK;

#endif
