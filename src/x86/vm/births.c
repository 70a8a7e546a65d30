/* births.c - a child is caught at its first stop, and its place is put right before it runs. */
#include "x86/vm/births.h"
#include "x86/vm/filters.h"

#include <string.h>
#include <sys/ptrace.h>

void vm_birth_note(void *layer, pid_t parent, pid_t child)
{
    x86_vm *vm = layer;
    const vm_thread *t = vm_thread_find(vm, parent);
    uint64_t rip, guest;
    if (!t || !t->entered || vm_get(vm, parent, VM_REG(rip), &rip, NULL) != EBB_OK || rip != vm->exports.cloned)
        return;
    if (machine_read(vm->native, t->tcb + offsetof(x86_tcb, target), &guest, sizeof guest, NULL) == EBB_OK)
        ebb_vec_push(&vm->births, ((vm_birth){child, guest}));
}

uint64_t vm_birth_take(x86_vm *vm, pid_t child)
{
    for (size_t i = 0; i < vm->births.n; i++)
        if (vm->births.items[i].child == child) {
            uint64_t guest = vm->births.items[i].guest;
            ebb_vec_remove(&vm->births, i);
            return guest;
        }
    return 0;
}

/* A process of its own, although in the same memory. */
static void leave_vm_mode(x86_vm *vm, pid_t child, uint64_t guest)
{
    struct user_regs_struct r;
    if (ptrace(PTRACE_GETREGS, child, 0, &r) != 0)
        return; /* killed meanwhile */
    r.rcx = guest;
    r.rip = vm->exports.go_natively;
    ptrace(PTRACE_SETREGS, child, 0, &r);
}

void vm_birth_release(void *layer, pid_t parent, pid_t child)
{
    x86_vm *vm = layer;
    vm_filters_give_to_child(vm, parent, child);
    uint64_t guest = vm_birth_take(vm, child);
    if (guest)
        leave_vm_mode(vm, child, guest);
}
