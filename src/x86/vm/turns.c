/* turns.c - who has the turn next, and for how long (inside/turn.h).
 *
 * A thread that keeps the turn for too long lets the others run.  Only that thread is stopped: its next boundary is looked for, and it goes
 * on through the dispatcher, which sees `yield`.  The others may sit in system calls, some of which would notice being interrupted. */
#include "x86/events.h"
#include "x86/inside/runtime.h"
#include "x86/vm/history.h"
#include "x86/vm/record.h"
#include "x86/vm/undo.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

ebb_status vm_turn_get(x86_vm *vm, x86_turn *turn, ebb_error *err)
{
    return machine_read(vm->native, vm->runtime + offsetof(x86_runtime, turn), turn, sizeof *turn, err);
}

/* ---- by the time ------------------------------------------------------------------------------ */

void vm_turn_begins(x86_vm *vm)
{
    vm->turn_ends = vm->slice ? vm->time + x86_turn_length(vm->slice, vm->chaos, vm->time) : UINT64_MAX;
}

void x86_vm_set_slice(machine *m, uint64_t n_ticks)
{
    x86_vm *vm = vm_of(m);
    vm->slice = n_ticks;
    vm_turn_begins(vm);
}

void x86_vm_set_chaos(machine *m, const char *seed)
{
    enum { LONGEST_TURN = 20000 }; /* a fraction of a millisecond: some thousand turns a second */
    x86_vm *vm = vm_of(m);
    free(vm->seed);
    vm->seed = ebb_strdup(seed);
    vm->chaos = 0xcbf29ce484222325u;
    for (; *seed; seed++)
        vm->chaos = (vm->chaos ^ (unsigned char)*seed) * 0x100000001b3u;
    x86_vm_set_slice(m, LONGEST_TURN);
}

/* ---- the order after a stop ------------------------------------------------------------------- */

/* The first has the turn; then those who wait; then whoever has yet to ask for it. */
static bool comes_before(const x86_vm *vm, const vm_thread *a, const vm_thread *b)
{
    if (a->gives_way || b->gives_way)
        return !a->gives_way;
    if (a->tid == vm->last || b->tid == vm->last)
        return a->tid == vm->last && b->tid != vm->last;
    if (a->queues && b->queues)
        return (int32_t)(a->ticket - b->ticket) < 0;
    return a->queues && !b->queues;
}

static uint64_t n_switches(x86_vm *vm)
{
    x86_turn turn;
    return vm_turn_get(vm, &turn, NULL) == EBB_OK ? turn.n_switches : 0;
}

ebb_status vm_turn_switches(x86_vm *vm, machine_tid to, ebb_error *err)
{
    if (!vm->installed)
        return EBB_OK;
    vm_record_switch(vm, vm_last_place(vm), to);
    return vm_poke_u64(vm, vm->runtime + offsetof(x86_runtime, turn.n_switches), n_switches(vm) + 1, err);
}

/* Whoever stops the debuggee again and again would have the turn for ever. */
bool vm_has_had_enough(x86_vm *vm)
{
    if (vm->threads.n < 2 || vm_turns_by_time(vm))
        return false;
    uint64_t now = vm_now_ms(), n = n_switches(vm);
    bool enough = vm->turn_number == n && now - vm->turn_began > VM_SLICE_MS;
    if (enough || vm->turn_number != n)
        vm->turn_began = now;
    vm->turn_number = n;
    return enough;
}

void vm_order_threads(x86_vm *vm)
{
    vm_thread *threads = vm->threads.items;
    bool enough = vm_has_had_enough(vm);
    vm->order.n = 0;
    for (size_t i = 0; i < vm->threads.n; i++) {
        threads[i].yields = enough && threads[i].tid == vm->last;
        ebb_vec_push(&vm->order, i);
        for (size_t k = i; k > 0 && comes_before(vm, &threads[i], &threads[vm->order.items[k - 1]]); k--) {
            vm->order.items[k] = vm->order.items[k - 1];
            vm->order.items[k - 1] = i;
        }
    }
}

/* ---- by the clock ----------------------------------------------------------------------------- */

static bool somebody_waits(const x86_turn *turn)
{
    return turn->owner != 0 && turn->tickets - turn->served > 1;
}

/* Waits for news of the thread, but not for long: it may be held up by a page that comes from far away. */
static bool wait_shortly(pid_t tid, int *status)
{
    enum { TRIES = 100 };
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD); /* blocked: wait.c */
    for (int i = 0; i < TRIES; i++) {
        pid_t got = waitpid(tid, status, __WALL | WNOHANG);
        if (got != 0)
            return got == tid;
        sigtimedwait(&child, NULL, &(struct timespec){.tv_nsec = 1000000});
    }
    return false;
}

/* NULL: it is doing something else now, or is to be told of.  If it just takes its time, the run loop collects its stop. */
static x86_task *collect_stop(x86_vm *vm, pid_t host, ebb_error *err)
{
    x86_process *p = x86_of(vm->native);
    int status;
    if (!wait_shortly(host, &status) || x86_event_handle(p, host, status, err) != EBB_OK)
        return NULL;
    x86_task *t = x86_task_by_host(p, host);
    return t && t->state == X86_STOPPED && !t->has_event && !t->exits && t->signal == 0 ? t : NULL;
}

/* It was to go on to a tick, and sleeps: TU6. */
static bool sleeps_on_the_way(x86_vm *vm, const vm_thread *t)
{
    uint32_t yield;
    return x86_proc_state(vm_host_of(vm, t->tid)) == 'S' &&
           machine_read(vm->native, t->tcb + offsetof(x86_tcb, yield), &yield, sizeof yield, NULL) == EBB_OK && yield == X86_YIELD_AT_TICK;
}

static ebb_status send_to_dispatcher(x86_vm *vm, vm_thread *t, const vm_place *place, x86_yield yield, ebb_error *err)
{
    EBB_TRY(vm_count_settle(vm, t, place, err));
    EBB_TRY(vm_poke_u64(vm, t->tcb + offsetof(x86_tcb, target), place->guest, err));
    if (place->passed_point)
        EBB_TRY(vm_poke_u64(vm, t->tcb + offsetof(x86_tcb, skip_at), place->guest, err));
    EBB_TRY(vm_poke_u64(vm, t->tcb + offsetof(x86_tcb, link), 0, err));
    EBB_TRY(vm_poke_u32(vm, t->tcb + offsetof(x86_tcb, yield), yield, err));
    return vm_set(vm, t->tid, VM_REG(rip), vm->exports.dispatch, err);
}

/* In the runtime already, or just back from a handler, with the count not yet in its register: it comes by the dispatcher. */
static ebb_status yield_from_runtime(x86_vm *vm, const vm_thread *t, ebb_error *err)
{
    return vm_poke_u32(vm, t->tcb + offsetof(x86_tcb, yield), X86_YIELD_AT_TICK, err);
}

/* The run loop lets the stopped thread go on. */
static ebb_status end_turn(x86_vm *vm, vm_thread *t, ebb_error *err)
{
    x86_process *p = x86_of(vm->native);
    x86_task *task = vm_task(vm, t->tid);
    if (!task || task->state != X86_RUNNING || task->interrupted || task->starting)
        return EBB_OK;
    x86_yield yield = sleeps_on_the_way(vm, t) ? X86_YIELD_AT_ONCE : X86_YIELD_AT_TICK;
    task->interrupted = true;
    if (ptrace(PTRACE_INTERRUPT, vm_host_of(vm, t->tid), 0, 0) != 0)
        return EBB_OK; /* dying */
    while ((task = collect_stop(vm, vm_host_of(vm, t->tid), err))) {
        uint64_t rip;
        vm_place place;
        EBB_TRY(vm_get(vm, t->tid, VM_REG(rip), &rip, err));
        EBB_TRY(vm_place_of(vm, t, rip, &place, err));
        switch (place.kind) {
        case VM_PLACE_BETWEEN: EBB_TRY(x86_task_resume(p, task, X86_STEP, err)); break;
        case VM_PLACE_RUNTIME: return yield_from_runtime(vm, t, err);
        case VM_PLACE_BOUNDARY:
            if (place.wild || place.swapped)
                return yield_from_runtime(vm, t, err);
            return send_to_dispatcher(vm, t, &place, yield, err);
        default: return EBB_OK;
        }
    }
    return EBB_OK;
}

ebb_status vm_when_impatient(void *layer, ebb_error *err)
{
    x86_vm *vm = layer;
    x86_turn turn;
    if (vm->alone_until) {
        x86_of(vm->native)->pause_wanted = vm_alone_is_over(vm);
        return EBB_OK;
    }
    if (vm_snapshots_is_due(vm) || vm_undo_is_late(vm)) {
        x86_of(vm->native)->pause_wanted = true;
        return EBB_OK;
    }
    if (vm_turn_get(vm, &turn, NULL) != EBB_OK)
        return EBB_OK; /* the debuggee is ending */
    if (!somebody_waits(&turn))
        return EBB_OK;
    bool same = turn.owner == vm->slice_owner && turn.served == vm->slice_ticket;
    vm->slice_owner = turn.owner;
    vm->slice_ticket = turn.served;
    if (!same)
        return EBB_OK;
    for (size_t i = 0; i < vm->threads.n; i++)
        if (vm->threads.items[i].tcb == turn.owner)
            return end_turn(vm, &vm->threads.items[i], err);
    return EBB_OK;
}
