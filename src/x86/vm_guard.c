/* vm_guard.c - a system call that code makes which got past the translator is noticed.
 *
 * While a thread is in VM mode, the kernel lets it make system calls from the runtime's own code only (syscall user dispatch);
 * any other one becomes a SIGSYS.  One word of its control block switches that, so that a parked thread, which is native,
 * is free.  Kernels before 5.11 can't, and then there is no guard. */
#include "x86/vm_private.h"

#include <signal.h>
#include <sys/syscall.h>

enum { SET_DISPATCH = 59, DISPATCH_OFF = 0, DISPATCH_ON = 1 }; /* of prctl; C libraries know them only lately */
enum { CODE_USER_DISPATCH = 2 };                               /* of SIGSYS */

static ebb_status set_guard(x86_vm *vm, const vm_thread *t, bool on, uint64_t *result, ebb_error *err)
{
    uint64_t args[6] = {SET_DISPATCH, DISPATCH_OFF};
    if (on) {
        args[1] = DISPATCH_ON;
        args[2] = vm->image_lo;
        args[3] = vm->image_hi - vm->image_lo;
        args[4] = t->tcb + offsetof(x86_tcb, guard);
    }
    return vm_remote_syscall(vm, t->tid, SYS_prctl, args, result, err);
}

ebb_status vm_guard_begin(x86_vm *vm, vm_thread *t, ebb_error *err)
{
    uint64_t result;
    if (t->guarded || vm->no_guard)
        return EBB_OK;
    EBB_TRY(set_guard(vm, t, true, &result, err));
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
    return set_guard(vm, t, false, &result, err);
}

ebb_status vm_guard_check(const machine_stop *stop, ebb_error *err)
{
    if (stop->kind != MACHINE_STOP_SIGNAL || stop->signal != SIGSYS || stop->signal_code != CODE_USER_DISPATCH)
        return EBB_OK;
    return ebb_fail(err, EBB_UNSUPPORTED, "A system call at 0x%lx got past VM mode.  Kill the program, and run it in native mode.",
                    (unsigned long)stop->place);
}
