/* ticks.c - what ticks outside translated code (inside/translate.h, TR4), while threads are parked or stepped. */
#include "x86/inside/runtime.h"
#include "x86/interrupted.h"
#include "x86/vm/edits.h"
#include "x86/vm/record.h"

/* ---- another thread --------------------------------------------------------------------------- */

uint64_t vm_last_place(x86_vm *vm)
{
    uint64_t place;
    return vm_thread_find(vm, vm->last) && vm_get(vm, vm->last, VM_REG(rip), &place, NULL) == EBB_OK ? place : 0;
}

ebb_status vm_gets_turn(x86_vm *vm, machine_tid tid, ebb_error *err)
{
    if (vm->replaying)
        return EBB_OK; /* the recording says who gets it, and when */
    if (vm->last && vm->last != tid) {
        EBB_TRY(vm_turn_switches(vm, tid, err));
        vm->time++;
        vm_turn_begins(vm);
    }
    vm->last = tid;
    return vm_record_parked(vm, vm_thread_find(vm, tid), err);
}

/* ---- signal handlers and system calls --------------------------------------------------------- */

void vm_when_handling(void *layer)
{
    x86_vm *vm = layer;
    vm->time += vm->counting;
}

static bool is_in_call(x86_vm *vm, const vm_thread *t)
{
    uint64_t rax, orig_rax;
    if (t->at_border && vm_task(vm, t->tid)->in_syscall)
        return true;
    return vm_get(vm, t->tid, VM_REG(rax), &rax, NULL) == EBB_OK && vm_get(vm, t->tid, VM_REG(orig_rax), &orig_rax, NULL) == EBB_OK &&
           (int64_t)orig_rax >= 0 && x86_will_restart(rax);
}

void vm_tick_in_call(x86_vm *vm)
{
    const vm_thread *t = vm->last && !vm->replaying ? vm_thread_find(vm, vm->last) : NULL; /* in the past it is an event */
    if (t && is_in_call(vm, t))
        vm_edit_tick(vm);
}
