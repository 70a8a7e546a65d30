/* traced.c - a program that sets the trap flag gets a SIGTRAP after each instruction.
 *
 * Translated code never runs with that flag, since it would be trapped itself: `popf` leaves setting it to the CPU, the way
 * back from a handler keeps it aside (x86_tcb.trap_flag).  A thread that has it when it is to run is left to the CPU, by itself and
 * natively, and traps after the next instruction.  Its handler, which begins without the flag, runs in translated code.
 *
 * An instruction that asks the world outside (errand.c) is executed by the runtime all the same, with the flag kept aside.  After a
 * system call the kernel makes no trap: the one after the next instruction is the first.  After the others there is one, which is
 * made here.  The CPU itself makes the calls by which a process forks, since the child goes on with the flag. */
#include "x86/vm/private.h"

#include <signal.h>

vm_thread *vm_traced_thread(x86_vm *vm, machine_tid only)
{
    for (size_t i = 0; i < vm->threads.n; i++) {
        vm_thread *t = &vm->threads.items[i];
        uint64_t flags;
        bool may_run = !t->entered && (!only || t->tid == only);
        if (may_run && vm_get(vm, t->tid, VM_REG(eflags), &flags, NULL) == EBB_OK && (flags & VM_FLAG_TRAP))
            return t;
    }
    return NULL;
}

ebb_status vm_keep_trap_flag(x86_vm *vm, const vm_thread *t, ebb_error *err)
{
    uint32_t set;
    uint64_t flags;
    EBB_TRY(machine_read(vm->native, t->tcb + offsetof(x86_tcb, trap_flag), &set, sizeof set, err));
    if (!set)
        return EBB_OK;
    EBB_TRY(vm_poke_u32(vm, t->tcb + offsetof(x86_tcb, trap_flag), 0, err));
    EBB_TRY(vm_get(vm, t->tid, VM_REG(eflags), &flags, err));
    return vm_set(vm, t->tid, VM_REG(eflags), flags | VM_FLAG_TRAP, err);
}

ebb_status vm_take_trap_flag(x86_vm *vm, const vm_thread *t, x86_tcb *tcb, ebb_error *err)
{
    uint64_t flags;
    EBB_TRY(vm_get(vm, t->tid, VM_REG(eflags), &flags, err));
    tcb->trap_flag = (flags & VM_FLAG_TRAP) != 0;
    return tcb->trap_flag ? vm_set(vm, t->tid, VM_REG(eflags), flags & ~(uint64_t)VM_FLAG_TRAP, err) : EBB_OK;
}

ebb_status vm_trap_after_ask(x86_vm *vm, vm_thread *t, machine_stop *stop, ebb_error *err)
{
    uint64_t rip;
    EBB_TRY(vm_get(vm, t->tid, VM_REG(rip), &rip, err));
    vm_task(vm, t->tid)->signal = vm_task(vm, t->tid)->deliver = 0; /* the trap by which it came to us */
    t->info = (siginfo_t){.si_signo = SIGTRAP, .si_code = TRAP_TRACE};
    t->info.si_addr = (void *)rip;
    *stop = (machine_stop){.kind = MACHINE_STOP_TRAP, .thread = t->tid, .place = rip, .signal = SIGTRAP, .signal_code = TRAP_TRACE,
                           .signal_addr = rip};
    return EBB_OK;
}
