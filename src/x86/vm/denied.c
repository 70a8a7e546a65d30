/* denied.c - a system call of the guest's is not allowed (inside/gate.h): what the kernel would do to the thread. */
#include "x86/vm/filters.h"

#include <linux/audit.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

static bool has_signal(pid_t tid, const char *field, int signal)
{
    uint64_t set = 0;
    return x86_proc_status(tid, field, 16, &set) && (set >> (signal - 1) & 1);
}

/* The handler is gone, and nothing holds the signal back: it is deadly. */
static ebb_status make_deadly(x86_vm *vm, const vm_thread *t, const x86_tcb *tcb, int signal, ebb_error *err)
{
    struct {
        uint64_t handler, flags, restorer, mask;
    } none = {0};
    uint64_t result, mask, args[6] = {(uint64_t)signal, tcb->vectors, 0, sizeof none.mask};
    pid_t tid = vm_host_of(vm, t->tid);
    if (signal == SIGKILL)
        return EBB_OK;
    EBB_TRY(machine_write(vm->native, tcb->vectors, &none, sizeof none, err));
    EBB_TRY(vm_remote_syscall(vm, t->tid, SYS_rt_sigaction, args, &result, err));
    if (ptrace(PTRACE_GETSIGMASK, tid, sizeof mask, &mask) != 0)
        return x86_ptrace_fail(err, "can't read the signal mask");
    mask &= ~((uint64_t)1 << (signal - 1));
    if (ptrace(PTRACE_SETSIGMASK, tid, sizeof mask, &mask) != 0)
        return x86_ptrace_fail(err, "can't change the signal mask");
    return EBB_OK;
}

static siginfo_t info_of(const x86_tcb *tcb)
{
    const x86_denial *d = &tcb->denial;
    siginfo_t info = {.si_signo = d->signal, .si_errno = d->error, .si_code = d->code};
    if (d->signal != SIGSYS)
        return info;
    info.si_call_addr = (void *)tcb->target;
    info.si_syscall = (int)d->number;
    info.si_arch = d->arch;
    return info;
}

/* A signal that can't be refused: who blocks or ignores it dies of it. */
static ebb_status give_signal(x86_vm *vm, vm_thread *t, const x86_tcb *tcb, machine_stop *stop, ebb_error *err)
{
    int signal = tcb->denial.signal;
    pid_t tid = (pid_t)t->tid;
    if (has_signal(tid, "SigBlk", signal) || has_signal(tid, "SigIgn", signal))
        EBB_TRY(make_deadly(vm, t, tcb, signal, err));
    t->info = info_of(tcb);
    *stop = (machine_stop){.kind = MACHINE_STOP_SIGNAL, .thread = t->tid, .place = tcb->target, .signal = signal,
                           .signal_code = tcb->denial.code};
    return EBB_OK;
}

/* Nobody is told of it before it is over. */
static ebb_status kill_process(x86_vm *vm, vm_thread *t, const x86_tcb *tcb, machine_stop *stop, ebb_error *err)
{
    EBB_TRY(make_deadly(vm, t, tcb, tcb->denial.signal, err));
    t->info = info_of(tcb);
    t->deliver = tcb->denial.signal;
    return vm_deliver(vm, t, stop, err);
}

/* It leaves by itself, through the gate that let nothing else pass. */
static ebb_status end_thread(x86_vm *vm, vm_thread *t, const x86_tcb *tcb, machine_stop *stop, ebb_error *err)
{
    enum { EXIT_OF_I386 = 1 };
    bool old_way = tcb->denial.arch == AUDIT_ARCH_I386;
    EBB_TRY(vm_set(vm, t->tid, VM_REG(rax), old_way ? EXIT_OF_I386 : SYS_exit, err));
    EBB_TRY(vm_set(vm, t->tid, VM_REG(rip), tcb->target - 2, err));
    t->open_at = tcb->target - 2;
    *stop = (machine_stop){.kind = MACHINE_STOP_STEP, .thread = t->tid, .place = t->open_at};
    return EBB_OK;
}

ebb_status vm_denied(x86_vm *vm, machine_tid tid, const x86_tcb *tcb, machine_stop *stop, ebb_error *err)
{
    vm_thread *t = vm_thread_find(vm, tid);
    vm_task(vm, tid)->signal = vm_task(vm, tid)->deliver = 0; /* the trap by which it came to us */
    switch ((x86_denied)tcb->denial.how) {
    case X86_DENIED_BY_SIGNAL: return give_signal(vm, t, tcb, stop, err);
    case X86_DENIED_KILLS_THREAD:
        if (vm->threads.n > 1)
            return end_thread(vm, t, tcb, stop, err);
        break;
    case X86_DENIED_KILLS_PROCESS: break;
    }
    return kill_process(vm, t, tcb, stop, err);
}
