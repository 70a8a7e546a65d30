/* snapshots.c - what a program that runs is stopped for without anybody being told: copies of it, taken at a pace that it hardly notices
 * (time/pace.h), the beginning of another recording, a hash of its state. */
#include "base/log.h"
#include "x86/inside/runtime.h"
#include "x86/vm/history_private.h"
#include "x86/vm/record.h"
#include "x86/vm/verify.h"

#include <time.h>

static uint64_t now_us(clockid_t clock)
{
    struct timespec t = {0};
    (void)clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* Of the processor: ebb's, and the program's, which makes the copy.  By the clock, other programs that ran meanwhile would count, too. */
static uint64_t spent_us(const x86_vm *vm)
{
    clockid_t of_program;
    uint64_t us = now_us(CLOCK_THREAD_CPUTIME_ID);
    return clock_getcpuclockid(vm->pid, &of_program) == 0 ? us + now_us(of_program) : us;
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

/* A stop interrupts calls in which threads wait for each other, and who comes first afterwards is another one: what a seed is to decide alone is not stopped for a copy. */
static bool is_due_by_pace(const x86_vm *vm)
{
    return vm->history && !vm->replaying && !vm->seed && vm->installed && ebb_pace_is_due(&vm->history->pace, now_us(CLOCK_MONOTONIC));
}

bool vm_snapshots_is_due(x86_vm *vm)
{
    if (vm->history && !vm->replaying)
        ebb_copies_settle(vm->history->copies);
    if (vm_record_wants_anew(vm))
        return true;
    return (vm_verify_is_due(vm) || is_due_by_pace(vm)) && is_executing(vm);
}

/* One that fails is tried again later: memory may be short just now.  What the program pays for copying pages afterwards is not counted: it grows with the
 * memory, as the copy does, and if it were, a program that writes to 200 MB all the time would have one in four seconds. */
static void take(x86_vm *vm)
{
    vm_history *h = vm->history;
    ebb_snapshot taken = {0};
    uint64_t spent = spent_us(vm);
    if (vm->time > h->taken_at && vm_copies_take(vm, &taken, NULL) == EBB_OK) {
        h->taken_at = vm->time;
        ebb_copies_add_first(h->copies, &taken);
    }
    ebb_pace_cost cost = {.copying_us = spent_us(vm) - spent};
    ebb_log("a snapshot took %llu us", (unsigned long long)cost.copying_us);
    ebb_pace_taken(&h->pace, vm->snapshots_at_any_cost ? &(ebb_pace_cost){0} : &cost, now_us(CLOCK_MONOTONIC));
}

void vm_snapshots_take(x86_vm *vm)
{
    if (vm_record_wants_anew(vm))
        vm_record_anew(vm);
    if (vm_verify_is_due(vm))
        (void)vm_verify_record(vm); /* one that is not settled is due again at the next look */
    if (vm->history)
        take(vm);
}
