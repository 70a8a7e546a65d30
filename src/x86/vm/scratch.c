/* scratch.c - makes the copy in which functions are called, and throws it away. */
#include "x86/vm/scratch.h"
#include "base/check.h"
#include "x86/inside/runtime.h"
#include "x86/vm/history_private.h"

/* It goes on without the recording. */
static ebb_status leave_recording(x86_vm *vm, ebb_error *err)
{
    uint64_t feed = vm->runtime + offsetof(x86_runtime, feed);
    EBB_TRY(vm_poke_u64(vm, feed + offsetof(x86_feed, cursor.at), 0, err));
    EBB_TRY(vm_poke_u64(vm, feed + offsetof(x86_feed, cursor.end), 0, err));
    EBB_TRY(vm_poke_u64(vm, feed + offsetof(x86_feed, is_last), 1, err));
    return vm_poke_u64(vm, feed + offsetof(x86_feed, is_scratch), 1, err);
}

ebb_status vm_scratch_begin(machine *m, ebb_error *err)
{
    x86_vm *vm = vm_of(m);
    vm_worn copy;
    ebb_check(vm->replaying && !vm->scratch);
    EBB_TRY(vm_worn_fork(vm, &copy, err));
    vm_wear(vm, &copy);
    vm->history->aside = copy;
    vm->scratch = true;
    ebb_status status = leave_recording(vm, err);
    if (status != EBB_OK)
        vm_scratch_end(m);
    return status;
}

void vm_scratch_end(machine *m)
{
    x86_vm *vm = vm_of(m);
    vm_worn copy = vm->history->aside;
    vm_wear(vm, &copy);
    vm_worn_end(&copy);
    vm->history->aside = (vm_worn){.body.mem = -1};
    vm->scratch = false;
}
