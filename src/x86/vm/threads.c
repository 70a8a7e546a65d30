/* threads.c - the threads of the guest: those that there are, into translated code and out of it, and a program that is another one. */
#include "x86/inside/runtime.h"
#include "x86/vm/filters.h"
#include "x86/vm/history.h"
#include "x86/vm/replay.h"
#include "x86/vm/tree.h"

#include <string.h>

vm_thread *vm_thread_find(x86_vm *vm, machine_tid tid)
{
    for (size_t i = 0; i < vm->threads.n; i++)
        if (vm->threads.items[i].tid == tid)
            return &vm->threads.items[i];
    return NULL;
}

/* FI1: a new thread still has the gs of the one that made it. */
static vm_filter *inherited_filter(x86_vm *vm, machine_tid tid)
{
    uint64_t tcb;
    if (!vm->filters.n || vm->threads.n == 0)
        return vm->first_filter;
    if (vm_get(vm, tid, VM_REG(gs_base), &tcb, NULL) == EBB_OK)
        for (size_t i = 0; i < vm->threads.n; i++)
            if (vm->threads.items[i].tcb == tcb)
                return vm->threads.items[i].filter;
    return vm->first_filter;
}

static void add_new_threads(x86_vm *vm)
{
    const x86_process *p = x86_of(vm->native);
    for (size_t k = 0; k < p->tasks.n; k++) {
        const x86_task *task = p->tasks.items[k];
        if (task->state != X86_STOPPED || task->exits || vm_thread_find(vm, task->tid))
            continue;
        vm_thread added = {.tid = task->tid, .number = ++vm->n_numbers, .settled = true, .filter = inherited_filter(vm, task->tid)};
        if (!vm->replaying)
            x86_task_name(p, task, added.name, sizeof added.name);
        ebb_vec_push(&vm->threads, added);
    }
}

void vm_refresh_threads(x86_vm *vm)
{
    add_new_threads(vm); /* while those are still there that made them */
    for (size_t i = vm->threads.n; i-- > 0;) {
        const x86_task *task = vm_task(vm, vm->threads.items[i].tid);
        if (!task || task->state != X86_STOPPED || task->exits) {
            if (vm->threads.items[i].tcb)
                ebb_vec_push(&vm->spare_regions, vm->threads.items[i].tcb);
            ebb_vec_remove(&vm->threads, i);
        }
    }
}

/* A thread that was born while others were being parked stands in the runtime. */
static ebb_status park_newborns(x86_vm *vm, ebb_error *err)
{
    for (size_t i = 0; i < vm->threads.n && vm->installed; i++) {
        vm_thread *t = &vm->threads.items[i];
        uint64_t rip;
        if (t->tcb)
            continue;
        EBB_TRY(vm_get(vm, t->tid, VM_REG(rip), &rip, err));
        if (rip == vm->exports.cloned)
            EBB_TRY(vm_park(vm, t, false, err));
    }
    return EBB_OK;
}

ebb_status vm_look_at_threads(x86_vm *vm, ebb_error *err)
{
    vm_refresh_threads(vm);
    return park_newborns(vm, err);
}

ebb_status vm_enter_all(x86_vm *vm, machine_tid only, ebb_error *err)
{
    if (vm->replaying)
        EBB_TRY(vm_replay_board(vm, vm->last, err));
    EBB_TRY(vm_turn_reset(vm, err));
    vm_order_threads(vm);
    for (size_t i = 0; i < vm->order.n; i++) {
        vm_thread *t = &vm->threads.items[vm->order.items[i]];
        if (!t->entered && (!only || t->tid == only) && vm_task(vm, t->tid)->host)
            EBB_TRY(vm_enter(vm, t, err));
    }
    return vm_poke_u32(vm, vm->runtime + offsetof(x86_runtime, turn.tickets), vm->next_ticket, err);
}

bool vm_is_fault(const machine_stop *stop)
{
    int s = stop->signal;
    return stop->kind == MACHINE_STOP_SIGNAL && stop->signal_code > 0 &&
           (s == SIGSEGV || s == SIGBUS || s == SIGILL || s == SIGFPE);
}

/* TU2: whoever had the turn may have given it away on the way. */
static ebb_status take_given_time(x86_vm *vm, ebb_error *err)
{
    x86_turn turn;
    EBB_TRY(vm_turn_get(vm, &turn, err));
    if (turn.owner)
        return EBB_OK; /* a thread that is ending */
    vm->time = turn.time;
    vm->last = turn.last;
    if (!vm->replaying)
        vm->turn_ends = turn.ends;
    return EBB_OK;
}

/* Whoever has the turn comes first: the others may need it to get out of the runtime. */
ebb_status vm_park_all(x86_vm *vm, const machine_stop *stop, ebb_error *err)
{
    x86_turn turn;
    machine_tid faulting = vm_is_fault(stop) ? stop->thread : 0;
    EBB_TRY(vm_turn_get(vm, &turn, err));
    for (int owners = 1; owners >= 0; owners--)
        for (size_t i = 0; i < vm->threads.n; i++) {
            vm_thread *t = &vm->threads.items[i];
            if ((t->tcb && t->tcb == turn.owner) == (owners == 1))
                EBB_TRY(vm_park(vm, t, t->tid == faulting, err));
        }
    return take_given_time(vm, err);
}

/* ---- another program ------------------------------------------------------------------------- */

void vm_forget_runtime(x86_vm *vm)
{
    const vm_thread *last = vm_thread_find(vm, x86_of(vm->native)->executed_by);
    vm->first_filter = last ? last->filter : vm->first_filter; /* FI1 */
    vm_filters_forget_runtime(vm);
    vm->installed = vm->native_until_exec = false;
    vm->threads.n = vm->spare_regions.n = 0;
    vm->n_numbers = 0;
    vm->ignores_are_told = false;
    vm->changed.n = vm->sites.items.n = vm->sites.conditions.n = vm->pending.n = 0;
    vm->sites_copy = vm->conditions_copy = vm->watches_copy = vm->watched_bytes = (vm_copy){0};
    vm->watching = vm->watching_reads = vm->watching_stores = false;
    vm->tuning_told = (x86_tuning){0};
}

/* It ended, or another one is executed: time goes on there, one tick later (X86_STUCK_EXEC). */
void vm_forget_program(x86_vm *vm, const machine_stop *stop)
{
    vm_forget_runtime(vm);
    if (stop->kind != MACHINE_STOP_EXEC)
        return;
    vm->time++;
    vm->last = 0;
    vm_tree_executed(vm);
}

/* The child of a fork has a copy of the runtime, and stands where its parent called the kernel; the child of a vfork
 * shares it with its parent, and leaves it alone. */
ebb_status vm_follow(x86_vm *vm, machine_stop *stop, ebb_error *err)
{
    x86_process *p = x86_of(vm->native);
    vm_thread child = {.tid = p->pid, .number = 1, .entered = true};
    EBB_TRY(vm_get(vm, child.tid, VM_REG(gs_base), &child.tcb, err));
    child.filter = child.filter_told = vm->first_filter = inherited_filter(vm, child.tid);
    EBB_TRY(machine_read(vm->native, vm->runtime + offsetof(x86_runtime, turn.time), &vm->time, sizeof vm->time, err));
    vm->pid = p->pid;
    vm->last = child.tid;
    vm->threads.n = 0;
    vm->n_numbers = 1;
    ebb_vec_push(&vm->threads, child);
    vm->native_until_exec = p->points_lifted;
    if (!vm->native_until_exec) /* RO3: it has no ring */
        EBB_TRY(vm_poke_u64(vm, vm->runtime + offsetof(x86_runtime, ring), 0, err));
    vm_history_gap(vm, "the child of a fork is followed");
    EBB_TRY(vm_park(vm, &vm->threads.items[0], false, err));
    return vm_get(vm, child.tid, VM_REG(rip), &stop->place, err);
}
