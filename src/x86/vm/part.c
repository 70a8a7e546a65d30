/* part.c - a child is followed: its parent, which nobody serves from then on, leaves VM mode first.
 *
 * The parent of a fork is parked like any program that is detached.  The parent of a vfork stands in its call until the child, which
 * uses its memory, has gone its own way: it can't be moved, but the registers with which it will come back can be set.  The runtime's memory stays
 * there, and nobody uses it. */
#include "x86/events.h"
#include "x86/vm/filters.h"
#include "x86/vm/private.h"

/* The filters that are the kernel's from now on are the parent's; the child's are still asked by the runtime. */
static ebb_status leave_parent(x86_vm *vm, ebb_error *err)
{
    bool are_real = vm->filters_are_real, is_given = vm->is_given;
    ebb_status status = vm_leave(vm, err);
    vm->filters_are_real = are_real;
    vm->is_given = is_given;
    return status;
}

ebb_status vm_part(x86_vm *vm, machine_stop *stop, ebb_error *err)
{
    x86_process *p = x86_of(vm->native);
    vm_refresh_threads(vm);
    vm_thread *maker = vm_thread_find(vm, p->fork.parent);
    if (maker && p->fork.vfork)
        EBB_TRY(vm_park_forked(vm, maker, err));
    EBB_TRY(vm_park_all(vm, stop, err));
    if (!p->fork.vfork)
        EBB_TRY(leave_parent(vm, err));
    vm->pending.n = 0; /* all of it the parent's */
    EBB_TRY(x86_fork_follow(p, err));
    stop->thread = p->pid;
    return EBB_OK;
}
