/* detach.c - leaving a debuggee: its threads are parked, so they are as they would be natively; the runtime's memory is
 * given back, and signals that were held back are sent again. */
#include "x86/events.h"
#include "x86/vm/caught.h"
#include "x86/vm/history_private.h"
#include "x86/vm/filters.h"
#include "x86/vm/private.h"
#include "x86/vm/record.h"

#include <signal.h>
#include <string.h>
#include <sys/syscall.h>

/* ---- threads that stand at the entry of a system call ----------------------------------------- */

/* It will be told when the call is made after all. */
static void forget_entry(x86_vm *vm, machine_tid tid)
{
    for (size_t i = vm->pending.n; i-- > 0;)
        if (vm->pending.items[i].thread == tid && vm->pending.items[i].kind == MACHINE_STOP_SYSCALL_ENTRY)
            ebb_vec_remove(&vm->pending, i);
}

/* The call is called off; the thread stands before its instruction again. */
static ebb_status call_off(x86_vm *vm, machine_tid tid, ebb_error *err)
{
    struct user_regs_struct *regs;
    machine_stop stop;
    EBB_TRY(vm_regs(vm, tid, &regs, err));
    uint64_t number = regs->orig_rax, rip = regs->rip - 2;
    EBB_TRY(vm_set(vm, tid, VM_REG(rax), number, err));
    EBB_TRY(vm_set(vm, tid, VM_REG(rip), rip, err));
    EBB_TRY(vm_move_alone(vm, &(machine_request){.move = MACHINE_STEP, .thread = tid}, &stop, err));
    x86_skip_point(vm_task(vm, tid)); /* it has been told */
    forget_entry(vm, tid);
    vm_thread *t = vm_thread_find(vm, tid);
    if (t)
        t->told_at = rip;
    return EBB_OK;
}

static bool is_free(x86_vm *vm, machine_tid tid)
{
    const x86_task *task = vm_task(vm, tid);
    return task && task->host && task->state == X86_STOPPED && !task->exits && !task->in_syscall;
}

ebb_status vm_free_thread(x86_vm *vm, machine_tid tid, machine_tid *free_tid, ebb_error *err)
{
    *free_tid = tid;
    if (is_free(vm, tid))
        return EBB_OK;
    for (size_t i = 0; i < vm->threads.n; i++)
        if (is_free(vm, vm->threads.items[i].tid)) {
            *free_tid = vm->threads.items[i].tid;
            return EBB_OK;
        }
    return call_off(vm, tid, err);
}

ebb_status vm_leave_natives_calls(x86_vm *vm, ebb_error *err)
{
    for (size_t i = 0; i < vm->threads.n; i++) {
        const vm_thread *t = &vm->threads.items[i];
        if (vm_task(vm, t->tid)->in_syscall)
            EBB_TRY(call_off(vm, t->tid, err));
        else if (vm_task(vm, t->tid)->in_birth && !t->entered)
            EBB_TRY(vm_leave_birth(vm, t->tid, err));
    }
    return EBB_OK;
}

/* ---- detaching -------------------------------------------------------------------------------- */

static ebb_status unmap_runtime(x86_vm *vm, machine_tid tid, ebb_error *err)
{
    x86_own own;
    EBB_TRY(machine_read(vm->native, vm->exports.own, &own, sizeof own, err));
    for (uint64_t i = 0; i < own.n && i < X86_MAX_OWN; i++) {
        uint64_t result, args[6] = {own.ranges[i].lo, own.ranges[i].hi - own.ranges[i].lo};
        EBB_TRY(vm_remote_syscall(vm, tid, SYS_munmap, args, &result, err));
    }
    return EBB_OK;
}

/* Signals that the debuggee had not got yet. */
static void send_again(x86_vm *vm)
{
    const x86_process *p = x86_of(vm->native);
    for (size_t i = 0; i < vm->pending.n; i++) {
        const machine_stop *stop = &vm->pending.items[i];
        if (stop->kind == MACHINE_STOP_SIGNAL)
            tgkill(p->pid, vm_host_of(vm, stop->thread), stop->signal);
    }
}

static ebb_status end_guards(x86_vm *vm, ebb_error *err)
{
    EBB_TRY(vm_look_at_threads(vm, err));
    for (size_t i = 0; i < vm->threads.n; i++) {
        vm_thread *t = &vm->threads.items[i];
        EBB_TRY(vm_record_leaves(vm, t, err));
        if ((t->guarded || t->filter) && !is_free(vm, t->tid))
            EBB_TRY(call_off(vm, t->tid, err));
        EBB_TRY(vm_guard_end(vm, t, err));
    }
    return EBB_OK;
}

ebb_status vm_give_to_kernel(x86_vm *vm, ebb_error *err)
{
    if (!vm->installed || vm->native_until_exec)
        return EBB_OK;
    EBB_TRY(end_guards(vm, err));
    return vm_filters_give_to_kernel(vm, err);
}

ebb_status vm_leave(x86_vm *vm, ebb_error *err)
{
    machine_tid tid;
    EBB_TRY(end_guards(vm, err));
    if (!vm->threads.n)
        return EBB_OK;
    EBB_TRY(vm_free_thread(vm, vm->threads.items[0].tid, &tid, err));
    EBB_TRY(unmap_runtime(vm, tid, err));
    EBB_TRY(vm_filters_give_to_kernel(vm, err)); /* they may forbid the calls above */
    send_again(vm);
    return EBB_OK;
}

ebb_status vm_detach(machine *m, int signal, ebb_error *err)
{
    x86_vm *vm = vm_of(m);
    ebb_error why;
    if (vm->history)
        ebb_copies_end(vm->history->copies); /* the program itself is let go, not a copy */
    if (!x86_of(vm->native)->gone)
        vm_caught_hide(vm);
    if (!x86_of(vm->native)->gone && vm->installed && !vm->native_until_exec)
        if (vm_leave(vm, &why) != EBB_OK && why.status != EBB_GONE)
            return ebb_fail(err, why.status, "%s", why.text);
    vm_forget_runtime(vm);
    return vm->native->ops->detach(vm->native, signal, err);
}
