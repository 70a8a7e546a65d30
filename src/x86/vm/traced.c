/* traced.c - a program that sets the trap flag gets a SIGTRAP behind each instruction.
 *
 * Translated code never runs with that flag, since it would be trapped itself: `popf` leaves setting it to the CPU, the way
 * back from a handler keeps it aside (x86_tcb.trap_flag).  A thread that has it when it is to run is left to the CPU, by itself and
 * natively, and traps behind the next instruction.  Its handler, which begins without the flag, runs in translated code. */
#include "x86/vm/private.h"

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
