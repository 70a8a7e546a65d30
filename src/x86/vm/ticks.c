/* ticks.c - what ticks outside translated code (inside/translate.h, TR4), while threads are parked or stepped. */
#include "x86/inside/runtime.h"
#include "x86/interrupted.h"
#include "x86/vm/caught.h"
#include "x86/vm/edits.h"
#include "x86/vm/record.h"

/* ---- another thread --------------------------------------------------------------------------- */

ebb_status vm_place_of_thread(x86_vm *vm, machine_tid tid, uint64_t *place, ebb_error *err)
{
    const vm_thread *t = vm_thread_find(vm, tid);
    struct user_regs_struct outside;
    EBB_TRY(vm_get(vm, tid, VM_REG(rip), place, err));
    if (vm_caught_is_shown(vm, t, &outside))
        *place = outside.rip;
    return EBB_OK;
}

uint64_t vm_last_place(x86_vm *vm)
{
    uint64_t place;
    return vm_thread_find(vm, vm->last) && vm_place_of_thread(vm, vm->last, &place, NULL) == EBB_OK ? place : 0;
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
    return vm_get(vm, t->tid, VM_REG(rax), &rax, NULL) == EBB_OK && vm_get(vm, t->tid, VM_REG(orig_rax), &orig_rax, NULL) == EBB_OK &&
           (int64_t)orig_rax >= 0 && x86_will_restart(rax);
}

void vm_tick_in_call(x86_vm *vm)
{
    const vm_thread *t = vm->last && !vm->replaying ? vm_thread_find(vm, vm->last) : NULL; /* in the past it is an event */
    if (t && !t->has_left && is_in_call(vm, t)) /* nothing happens after a last call */
        vm_edit_tick(vm);
}
