/* guard.c - a system call that code makes which got past the translator is noticed.
 *
 * While a thread is in VM mode, the kernel lets it make system calls from the runtime's own code only (syscall user dispatch);
 * any other one becomes a SIGSYS.  One word of its control block switches that, so that a parked thread, which is native,
 * is free.  Kernels before 5.11 can't, and then there is no guard.
 *
 * A program that uses the same for itself (Wine does) has it from the runtime meanwhile (inside/gate.h). */
#include "x86/vm/private.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

enum { SET_DISPATCH = 59, DISPATCH_OFF = 0, DISPATCH_ON = 1 }; /* of prctl; C libraries know them only lately */
enum { CODE_USER_DISPATCH = 2 };                               /* of SIGSYS */

static ebb_status set_dispatch(x86_vm *vm, const vm_thread *t, const x86_user_dispatch *d, uint64_t *result, ebb_error *err)
{
    uint64_t args[6] = {SET_DISPATCH, d->on, d->offset, d->nbytes, d->selector};
    return vm_remote_syscall(vm, t->tid, SYS_prctl, args, result, err);
}

/* What the kernel does for the program now; kernels before 6.4 don't tell. */
static x86_user_dispatch programs_own(x86_vm *vm, const vm_thread *t)
{
    enum { GET_CONFIG = 0x4211 };
    struct {
        uint64_t mode, selector, offset, nbytes;
    } config = {0};
    if (ptrace((enum __ptrace_request)GET_CONFIG, vm_host_of(vm, t->tid), sizeof config, &config) != 0 || config.mode == DISPATCH_OFF)
        return (x86_user_dispatch){0};
    return (x86_user_dispatch){DISPATCH_ON, config.offset, config.nbytes, config.selector};
}

ebb_status vm_guard_begin(x86_vm *vm, vm_thread *t, ebb_error *err)
{
    uint64_t result;
    if (t->guarded || vm->no_guard)
        return EBB_OK;
    x86_user_dispatch own = programs_own(vm, t);
    EBB_TRY(machine_write(vm->native, t->tcb + offsetof(x86_tcb, user_dispatch), &own, sizeof own, err));
    x86_user_dispatch guard = {DISPATCH_ON, vm->image_lo, vm->image_hi - vm->image_lo, t->tcb + offsetof(x86_tcb, guard)};
    EBB_TRY(set_dispatch(vm, t, &guard, &result, err));
    t->guarded = result == 0;
    vm->no_guard = !t->guarded;
    return EBB_OK;
}

ebb_status vm_guard_end(x86_vm *vm, vm_thread *t, ebb_error *err)
{
    uint64_t result;
    if (!t->guarded)
        return EBB_OK;
    t->guarded = false;
    x86_user_dispatch own;
    EBB_TRY(machine_read(vm->native, t->tcb + offsetof(x86_tcb, user_dispatch), &own, sizeof own, err));
    return set_dispatch(vm, t, &own, &result, err);
}

ebb_status vm_guard_check(const machine_stop *stop, ebb_error *err)
{
    if (stop->kind != MACHINE_STOP_SIGNAL || stop->signal != SIGSYS || stop->signal_code != CODE_USER_DISPATCH)
        return EBB_OK;
    return ebb_fail(err, EBB_UNSUPPORTED, "A system call at 0x%lx got past VM mode.  Kill the program, and run it in native mode.",
                    (unsigned long)stop->place);
}
