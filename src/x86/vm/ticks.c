/* ticks.c - what ticks outside translated code (inside/translate.h, TR4), while threads are parked or stepped. */
#include "x86/inside/runtime.h"
#include "x86/interrupted.h"
#include "x86/vm/record.h"

/* ---- another thread --------------------------------------------------------------------------- */

uint64_t vm_last_place(x86_vm *vm)
{
    uint64_t place;
    return vm_thread_find(vm, vm->last) && vm_get(vm, vm->last, VM_REG(rip), &place, NULL) == EBB_OK ? place : 0;
}

static ebb_status note_switch(x86_vm *vm, machine_tid to, ebb_error *err)
{
    uint64_t n, turn = vm->runtime + offsetof(x86_runtime, turn);
    x86_switch s = {.time = vm->time, .place = vm_last_place(vm), .from = (uint32_t)vm->last, .to = (uint32_t)to};
    if (!vm->installed)
        return EBB_OK; /* there is no ring yet */
    vm_record_switch(vm, vm->time, to);
    EBB_TRY(machine_read(vm->native, turn + offsetof(x86_turn, n_switches), &n, sizeof n, err));
    uint64_t at = turn + offsetof(x86_turn, switches) + n % X86_KEPT_SWITCHES * sizeof s;
    EBB_TRY(machine_write(vm->native, at, &s, sizeof s, err));
    return vm_poke_u64(vm, turn + offsetof(x86_turn, n_switches), n + 1, err);
}

ebb_status vm_gets_turn(x86_vm *vm, machine_tid tid, ebb_error *err)
{
    if (vm->last && vm->last != tid) {
        EBB_TRY(note_switch(vm, tid, err));
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
    const vm_thread *t = vm->last ? vm_thread_find(vm, vm->last) : NULL;
    if (t && is_in_call(vm, t))
        vm->time++;
}
