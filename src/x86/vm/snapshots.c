/* snapshots.c - what a program that runs is stopped for without anybody being told: copies of it, taken at a pace that it hardly notices
 * (time/pace.h), the beginning of another recording, a hash of its state. */
#include "x86/inside/runtime.h"
#include "x86/vm/history_private.h"
#include "x86/vm/record.h"
#include "x86/vm/verify.h"

#include <time.h>

static uint64_t now_us(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

void vm_snapshots_set_pace(x86_vm *vm, ebb_pace_rule rule)
{
    vm->history->rule = rule;
    ebb_pace_begin(&vm->history->pace, rule, now_us(CLOCK_MONOTONIC));
}

int vm_snapshots_patience_ms(const x86_vm *vm)
{
    enum { LOOK_EVERY_MS = 50 };
    if (vm->recording.is_bounded || vm->verifies)
        return LOOK_EVERY_MS;
    return vm->history && !vm->replaying ? (int)vm->history->pace.rule.interval_ms : 0;
}

/* A program that waits has nothing new to be copied: whoever has the turn executes. */
static bool is_executing(x86_vm *vm)
{
    uint64_t owner;
    return machine_read(vm->native, vm->runtime + offsetof(x86_runtime, turn.owner), &owner, sizeof owner, NULL) == EBB_OK && owner;
}

bool vm_snapshots_is_due(x86_vm *vm)
{
    if (vm_record_wants_anew(vm))
        return true;
    bool is_due = vm_verify_is_due(vm) || (vm->history && !vm->replaying && vm->installed && ebb_pace_is_due(&vm->history->pace, now_us(CLOCK_MONOTONIC)));
    return is_due && is_executing(vm);
}

/* One that fails is tried again later: memory may be short just now. */
void vm_snapshots_take(x86_vm *vm)
{
    vm_history *h = vm->history;
    ebb_snapshot taken = {0};
    if (vm_record_wants_anew(vm))
        vm_record_anew(vm);
    if (vm_verify_is_due(vm))
        (void)vm_verify_record(vm); /* one that is not settled is due again at the next look */
    if (!h)
        return;
    uint64_t began = now_us(CLOCK_MONOTONIC);
    if (vm->time > h->taken_at && vm_copies_take(vm, &taken, NULL) == EBB_OK) {
        h->taken_at = vm->time;
        ebb_copies_add(h->copies, &taken);
    }
    uint64_t now = now_us(CLOCK_MONOTONIC);
    ebb_pace_taken(&h->pace, &(ebb_pace_cost){.copying_us = now - began}, now);
}
