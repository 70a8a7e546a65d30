/* run.c - machine_ops.resume in VM mode.
 *
 * One round: threads get the signals they are due, enter, run until native mode has something to tell, and are parked
 * again.  What native mode tells is then put in the guest's terms; if it is nothing for the user, there is another
 * round. */
#include "x86/events.h"
#include "x86/points.h"
#include "x86/vm/caught.h"
#include "x86/vm/filters.h"
#include "x86/vm/history.h"
#include "x86/vm/replay.h"
#include "x86/vm/record.h"
#include "x86/vm/tree.h"
#include "x86/vm/undo.h"


static int patience_ms(const x86_vm *vm, machine_tid only)
{
    if (vm->replaying) /* turns end where they ended */
        return vm_undo_patience_ms(vm);
    return vm->threads.n > 1 && !only && !vm_turns_by_time(vm) ? VM_SLICE_MS : vm_snapshots_patience_ms(vm);
}

static ebb_status run_natively(x86_vm *vm, machine_tid only, machine_tid thread, machine_stop *stop, ebb_error *err)
{
    x86_process *p = x86_of(vm->native);
    p->patience_ms = patience_ms(vm, only);
    p->wants[MACHINE_EVENT_FORK] = vm->wants[MACHINE_EVENT_FORK] || p->follow == X86_FOLLOW_CHILD;
    machine_request run = {.move = MACHINE_RUN, .thread = thread, .only_thread = only != 0};
    p->parts_itself = true;
    ebb_status status = vm->native->ops->resume(vm->native, &run, stop, err);
    p->parts_itself = false;
    p->patience_ms = 0;
    return status;
}

ebb_status vm_run_alone(x86_vm *vm, machine_tid tid, machine_stop *stop, ebb_error *err)
{
    *stop = (machine_stop){0};
    EBB_TRY(vm_enter_all(vm, tid, err));
    EBB_TRY(run_natively(vm, tid, tid, stop, err));
    return vm_explain(vm, stop, err);
}

/* All that moves threads for our own ends, so that what happens meanwhile can be told before they enter. */
static ebb_status prepare(x86_vm *vm, machine_tid thread, ebb_error *err)
{
    EBB_TRY(vm_leave_natives_calls(vm, err));
    if (!vm->filters_checked)
        EBB_TRY(vm_filters_check(vm, err));
    vm->filters_checked = true;
    if (!vm->installed)
        EBB_TRY(vm_install(vm, thread, err));
    vm_history_after_gap(vm);
    vm_tree_go_on(vm);
    EBB_TRY(vm_tell_changes(vm, thread, err));
    EBB_TRY(vm_caught_tell(vm, err));
    for (size_t i = 0; i < vm->threads.n; i++) {
        if (!vm->threads.items[i].tcb)
            EBB_TRY(vm_thread_prepare(vm, &vm->threads.items[i], err));
        EBB_TRY(vm_filters_tell(vm, &vm->threads.items[i], err));
        if (!vm->replaying) /* nothing of the kernel's is left to guard against */
            EBB_TRY(vm_guard_begin(vm, &vm->threads.items[i], err));
    }
    return EBB_OK;
}

/* One errand of a thread that the program steps. */
static ebb_status run_traced_errand(x86_vm *vm, machine_tid tid, const vm_errand *errand, machine_stop *stop, ebb_error *err)
{
    vm_thread_find(vm, tid)->one_more = true;
    EBB_TRY(vm_run_alone(vm, tid, stop, err));
    vm_thread *t = vm_thread_find(vm, tid);
    bool is_instruction = errand->kind == VM_ERRAND_ASK || errand->kind == VM_ERRAND_SAVE;
    bool answered = t && is_instruction && stop->kind == MACHINE_STOP_STEP && stop->place == errand->end;
    return answered ? vm_trap_after_ask(vm, t, stop, err) : EBB_OK;
}

/* One instruction of a thread that the program steps (traced.c). */
static ebb_status run_traced(x86_vm *vm, machine_tid tid, machine_stop *stop, ebb_error *err)
{
    x86_task *task = vm_task(vm, tid);
    vm_errand errand;
    uint64_t before, after;
    EBB_TRY(vm_get(vm, tid, VM_REG(rip), &before, err));
    if (x86_site_at(x86_of(vm->native), before) && !(task->skip && task->skip_pc == before)) {
        *stop = (machine_stop){.thread = tid};
        return vm_explain_point(vm, stop, err);
    }
    EBB_TRY(vm_errand_at(vm, tid, &errand, err));
    if (errand.kind != VM_ERRAND_NONE && errand.kind != VM_ERRAND_OLD && !errand.forks)
        return run_traced_errand(vm, tid, &errand, stop, err);
    task->skip = false;
    EBB_TRY(vm_gets_turn(vm, tid, err));
    EBB_TRY(vm_turn_reset(vm, err));
    EBB_TRY(run_natively(vm, tid, tid, stop, err));
    EBB_TRY(vm_explain(vm, stop, err));
    if (stop->kind == MACHINE_STOP_TRAP && vm_get(vm, tid, VM_REG(rip), &after, NULL) == EBB_OK && vm_step_ticks(vm, before, after))
        vm->time++;
    return EBB_OK;
}

static ebb_status settle_pending(x86_vm *vm, machine_stop *stop, ebb_error *err)
{
    EBB_TRY(prepare(vm, stop->thread, err));
    return vm_settle_signal(vm, stop, err);
}

/* In a copy only the thread that is aboard can do something for us. */
static machine_tid who_prepares(x86_vm *vm, machine_tid thread)
{
    const x86_task *task = vm_thread_find(vm, thread) ? vm_task(vm, thread) : NULL;
    if (task && task->host)
        return thread;
    return vm->replaying ? vm_task_aboard(vm)->tid : vm->threads.items[0].tid;
}

static ebb_status run_once(x86_vm *vm, machine_tid only, machine_tid thread, machine_stop *stop, ebb_error *err)
{
    bool done;
    do {
        EBB_TRY(vm_look_at_threads(vm, err));
        EBB_TRY(vm_take_pending(vm, stop, &done, err));
        if (done)
            return vm_signal_of(stop) ? settle_pending(vm, stop, err) : EBB_OK;
        EBB_TRY(vm_deliver_all(vm, only, stop, &done, err));
        if (!done)
            return EBB_OK;
        EBB_TRY(vm_look_at_threads(vm, err));
        EBB_TRY(prepare(vm, who_prepares(vm, thread), err));
    } while (vm->pending.n);
    const vm_thread *traced = vm_traced_thread(vm, only);
    if (traced)
        return run_traced(vm, traced->tid, stop, err);
    EBB_TRY(vm_undo_look(vm, err));
    EBB_TRY(vm_enter_all(vm, only, err));
    EBB_TRY(run_natively(vm, only, thread, stop, err));
    EBB_TRY(vm_explain(vm, stop, err));
    return vm_settle_signal(vm, stop, err);
}

bool vm_until_reached(const x86_vm *vm, const machine_request *request, uint64_t place)
{
    return vm->time > request->until_time || (vm->time == request->until_time && place >= request->until_place);
}

/* Also if a signal came at that very moment: the thread gets it when it moves on.  The child of a fork, if it is followed, takes
 * its parent's place. */
static bool is_back(x86_vm *vm, const vm_back *back, const machine_stop *stop)
{
    uint64_t sp;
    if (back && stop->kind == MACHINE_STOP_FORKED && !vm_thread_find(vm, back->tid))
        return true;
    if (back && back->until && stop->kind == MACHINE_STOP_POINT && vm_until_reached(vm, back->until, stop->place))
        return true;
    return back && (!back->tid || stop->thread == back->tid) && stop->place == back->pc &&
           (stop->kind == MACHINE_STOP_POINT || stop->kind == MACHINE_STOP_SIGNAL) &&
           (!back->sp || (vm_get(vm, stop->thread, VM_REG(rsp), &sp, NULL) == EBB_OK && sp == back->sp));
}

/* For a snapshot or a checkpoint: nobody else wanted it to stop. */
static bool is_for_history(x86_vm *vm, const machine_stop *stop)
{
    return stop->kind == MACHINE_STOP_INTERRUPTED && x86_of(vm->native)->is_paused;
}

ebb_status vm_run_until(x86_vm *vm, machine_tid only, machine_tid thread, const vm_back *back, machine_stop *stop, ebb_error *err)
{
    for (;;) {
        *stop = (machine_stop){0};
        EBB_TRY(run_once(vm, only, thread, stop, err));
        if (is_for_history(vm, stop)) {
            if (!vm->replaying)
                vm_snapshots_take(vm);
            else
                vm_undo_waits(vm);
            thread = only ? only : stop->thread;
            continue;
        }
        vm_plan_delivery(vm, stop);
        if (vm_is_told(vm, stop) || (vm->awaited && vm->last == vm->awaited))
            return EBB_OK;
        if (is_back(vm, back, stop)) {
            vm_task(vm, stop->thread)->skip_after_handler = false;
            stop->kind = MACHINE_STOP_STEP;
            return EBB_OK;
        }
        thread = only ? only : stop->thread;
    }
}

ebb_status vm_run_on(x86_vm *vm, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    x86_task *task = vm_task(vm, request->thread);
    uint64_t rip;
    EBB_TRY(vm_get(vm, request->thread, VM_REG(rip), &rip, err));
    if (!task->has_event && x86_site_at(x86_of(vm->native), rip))
        x86_skip_point(task); /* MA4 */
    return vm_run_until(vm, request->only_thread ? request->thread : 0, request->thread, NULL, stop, err);
}

/* At the right time already: the place only, before the time is over. */
static ebb_status run_to_place(x86_vm *vm, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    machine_point_id point;
    vm_back back = {.pc = request->until_place};
    EBB_TRY(x86_point_set_internal(x86_of(vm->native), back.pc, &point, err));
    vm->limit = request->until_time + 1;
    ebb_status status = vm_run_until(vm, 0, request->thread, &back, stop, err);
    if (status == EBB_OK && stop->kind == MACHINE_STOP_STEP)
        stop->kind = MACHINE_STOP_POSITION;
    if (x86_point_clear(vm->native, point, NULL) != EBB_OK)
        return status; /* an exec, or the end, took it */
    return status;
}

static ebb_status run_until_position(x86_vm *vm, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    uint64_t rip;
    EBB_TRY(vm_get(vm, request->thread, VM_REG(rip), &rip, err));
    if (vm->replaying)
        return vm_replay_until(vm, request, stop, err);
    if (vm_until_reached(vm, request, rip) && (vm->time != request->until_time || rip != request->until_place))
        return ebb_fail(err, EBB_NO_HISTORY, "that position is in the past");
    *stop = (machine_stop){.kind = MACHINE_STOP_POSITION, .thread = request->thread, .place = rip};
    if (vm->time < request->until_time) {
        vm->limit = request->until_time;
        EBB_TRY(vm_run_on(vm, request, stop, err));
    }
    if (stop->kind != MACHINE_STOP_POSITION || stop->place >= request->until_place)
        return EBB_OK;
    machine_request rest = *request;
    rest.thread = stop->thread;
    return run_to_place(vm, &rest, stop, err);
}

static ebb_status run_limited(x86_vm *vm, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    ebb_status status = run_until_position(vm, request, stop, err);
    vm->limit = UINT64_MAX;
    return status;
}

/* The child of a vfork, until it is a program of its own. */
static ebb_status run_to_exec(x86_vm *vm, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    EBB_TRY(vm->native->ops->resume(vm->native, request, stop, err));
    if (vm_debuggee_ended(stop) || stop->kind == MACHINE_STOP_EXEC)
        vm_forget_program(vm, stop);
    return EBB_OK;
}

/* What the user says of the signal that the thread was told of. */
static void accept_signal(vm_thread *t, int signal)
{
    if (!signal && (t->quiet || t->decided))
        return;
    t->deliver = signal;
    t->decided = signal != 0;
}

static ebb_status move(x86_vm *vm, machine_request *request, machine_stop *stop, ebb_error *err)
{
    vm_thread *t = vm_thread_find(vm, request->thread);
    if (!t)
        return ebb_fail(err, EBB_NOT_FOUND, "There is no thread %lld.", (long long)request->thread);
    if (vm->native_until_exec)
        return run_to_exec(vm, request, stop, err);
    if (vm->installed) {
        vm_history_after_gap(vm); /* before single steps; else as soon as the runtime is there */
        vm_tree_go_on(vm);
    }
    vm_tick_in_call(vm);
    if (!vm->replaying) /* what is delivered in the past is in the recording */
        accept_signal(t, request->signal);
    vm->ends_with = request->only_thread || request->move == MACHINE_STEP ? request->thread : 0;
    if (request->move == MACHINE_STEP)
        return vm_step(vm, request, stop, err);
    if (request->until)
        return run_limited(vm, request, stop, err);
    return vm_run_on(vm, request, stop, err);
}

/* The rest of it may be done by another ebb, for a child that was made meanwhile. */
static ebb_status move_one_or_both(x86_vm *vm, machine_request *request, machine_stop *stop, ebb_error *err)
{
    if (!vm->tree.folder)
        return move(vm, request, stop, err);
    if (sigsetjmp(vm->tree.home, 1))
        return vm_tree_wake(vm, stop, err);
    vm->tree.is_moving = true;
    ebb_status status = move(vm, request, stop, err);
    vm->tree.is_moving = false;
    return status;
}

/* When the timeline is the one who moves, it says it. */
static uint64_t forgets_from(const x86_vm *vm, const machine_request *r)
{
    if (r->forgets)
        return 0;
    return r->quiet || vm->noting ? UINT64_MAX : vm->time + X86_UNDO_FAR;
}

ebb_status vm_run(x86_vm *vm, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    machine_request r = *request;
    EBB_TRY(x86_check_alive(x86_of(vm->native), err));
    vm_refresh_threads(vm);
    *stop = (machine_stop){0};
    if (!r.thread && vm->threads.n)
        r.thread = vm->threads.items[0].tid;
    vm->quiet = r.until && r.quiet;
    vm_caught_begin(vm, &r);
    vm->counts_hits = r.counts;
    vm->forgets_from = forgets_from(vm, &r);
    vm_watch_by_code(vm, vm->replaying);
    ebb_status status = move_one_or_both(vm, &r, stop, err);
    vm_watch_by_code(vm, false);
    vm_ignores_collect(vm);
    vm->quiet = vm->counts_hits = vm->ignores_are_told = false;
    const x86_task *told = status == EBB_OK && !vm_debuggee_ended(stop) ? vm_task(vm, stop->thread) : NULL;
    if (told && !told->exits)
        status = vm_gets_turn(vm, stop->thread, err); /* its position is that of the stop */
    if (!x86_of(vm->native)->let_go && vm_is_dying(vm, status))
        status = vm_see_it_end(vm, stop, err);
    if (status == EBB_OK && vm_debuggee_ended(stop) && !vm->replaying) {
        vm_record_exit(vm, stop);
        vm_history_note_end(vm, stop);
    }
    if (status == EBB_OK)
        vm_caught_show(&vm->base, stop);
    return status;
}
