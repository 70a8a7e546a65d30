/* step.c - single steps, on the CPU itself, with time counted as translated code does (translate.h, TR4).
 *
 * What an instruction asks of the world outside (errand.c) is not for the CPU: such a step is a run of translated code, through the
 * runtime, to where the thread goes on. */
#include "x86/events.h"
#include "x86/points.h"
#include "x86/vm/private.h"
#include "x86/vm/replay.h"
#include "x86/vm/undo.h"

/* ---- counting --------------------------------------------------------------------------------- */

bool vm_step_ticks(x86_vm *vm, uint64_t from, uint64_t to)
{
    machine_insn insn;
    if (to <= from)
        return true; /* a string instruction that repeats itself stays where it is */
    if (vm->native->ops->decode(vm->native, from, &insn, NULL) != EBB_OK)
        return false;
    if (insn.is_call || insn.is_return)
        return true;
    if (insn.is_branch)
        return insn.is_indirect;
    return to != from + insn.nbytes; /* back from a signal handler */
}

void vm_when_stepped(void *layer, pid_t tid, uint64_t from)
{
    x86_vm *vm = layer;
    uint64_t to;
    if (vm->counting && vm_get(vm, tid, VM_REG(rip), &to, NULL) == EBB_OK && vm_step_ticks(vm, from, to))
        vm->time++;
}

/* ---- one step --------------------------------------------------------------------------------- */

bool vm_stopped_for_data(x86_vm *vm, const machine_stop *stop)
{
    for (size_t i = 0; stop->kind == MACHINE_STOP_POINT && i < stop->n_points; i++) {
        const x86_point *point = x86_point_get(x86_of(vm->native), stop->points[i]);
        if (point && point->what.kind != MACHINE_POINT_EXEC)
            return true;
    }
    return false;
}

ebb_status vm_step_once(x86_vm *vm, machine_tid tid, int signal, machine_stop *stop, ebb_error *err)
{
    EBB_TRY(vm_gets_turn(vm, tid, err));
    vm_thread *t = vm_thread_find(vm, tid);
    if (t)
        t->settled = false;
    machine_request step = {.move = MACHINE_STEP, .thread = tid, .signal = signal, .only_thread = true};
    uint64_t from = 0, time = vm->time;
    EBB_TRY(vm_get(vm, tid, VM_REG(rip), &from, err));
    vm_undo_keep_ahead(vm, tid, false);
    vm->counting = true;
    ebb_status status = vm->native->ops->resume(vm->native, &step, stop, err);
    vm->counting = false;
    if (status == EBB_OK && vm->time == time && vm_stopped_for_data(vm, stop))
        stop->touched_by = from;
    return status;
}

/* ---- steps for the user ----------------------------------------------------------------------- */

/* An exec, or the end of the program, takes points away, too. */
static void clear_point(x86_vm *vm, machine_point_id point)
{
    if (x86_point_clear(vm->native, point, NULL) != EBB_OK)
        return;
}

/* The same with a limit: first to the time of the position, then to its place. */
static ebb_status run_back_until(x86_vm *vm, vm_back *back, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    machine_point_id point;
    bool has_place = request->until_place != UINT64_MAX; /* after the end of a program there is none */
    *stop = (machine_stop){.kind = MACHINE_STOP_POSITION, .thread = back->tid};
    if (vm->time < request->until_time) {
        vm->limit = request->until_time;
        EBB_TRY(vm_run_until(vm, back->only, back->tid, back, stop, err));
        if (stop->kind != MACHINE_STOP_POSITION || vm_until_reached(vm, request, stop->place))
            return EBB_OK;
    }
    back->until = request;
    vm->limit = request->until_time + 1;
    if (has_place)
        EBB_TRY(x86_point_set_internal(x86_of(vm->native), request->until_place, &point, err));
    ebb_status status = vm_run_until(vm, back->only, stop->thread, back, stop, err);
    if (has_place)
        clear_point(vm, point);
    return status;
}

/* Runs, others with it, until the thread is at `back`, or the time has come. */
static ebb_status run_back(x86_vm *vm, vm_back back, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    machine_point_id point;
    EBB_TRY(x86_point_set_internal(x86_of(vm->native), back.pc, &point, err));
    ebb_status status = request->until ? run_back_until(vm, &back, request, stop, err) : vm_run_until(vm, back.only, back.tid, &back, stop, err);
    vm->limit = UINT64_MAX;
    clear_point(vm, point);
    return status;
}

/* A signal that the user isn't told of comes in the middle of a step: its handler runs first. */
static ebb_status step_with_handler(x86_vm *vm, vm_thread *t, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    struct user_regs_struct *regs;
    EBB_TRY(vm_regs(vm, t->tid, &regs, err));
    vm_back back = {.tid = t->tid, .pc = regs->rip, .sp = regs->rsp};
    EBB_TRY(vm_deliver(vm, t, stop, err));
    if (stop->kind != MACHINE_STOP_STEP || stop->place == back.pc)
        return EBB_OK;
    return run_back(vm, back, request, stop, err);
}

static ebb_status run_errand(x86_vm *vm, const machine_request *request, const vm_errand *errand, machine_stop *stop, ebb_error *err)
{
    uint64_t rip;
    bool alone = request->only_thread || errand->kind != VM_ERRAND_CALL;
    EBB_TRY(vm_get(vm, request->thread, VM_REG(rip), &rip, err));
    if (x86_site_at(x86_of(vm->native), rip))
        x86_skip_point(vm_task(vm, request->thread)); /* MA4 */
    vm_back back = {.tid = request->thread, .only = alone ? request->thread : 0, .pc = errand->end, .sp = errand->sp};
    return run_back(vm, back, request, stop, err);
}

/* A system call that is made all the same is noticed (guard.c). */
static ebb_status step_guarded(x86_vm *vm, vm_thread *t, machine_stop *stop, ebb_error *err)
{
    uint64_t guard = t->tcb + offsetof(x86_tcb, guard);
    bool guarded = t->guarded;
    machine_tid tid = t->tid;
    if (guarded)
        EBB_TRY(vm_poke_u32(vm, guard, 1, err));
    EBB_TRY(vm_step_once(vm, tid, 0, stop, err));
    if (guarded && vm_task(vm, tid) && !vm_debuggee_ended(stop))
        EBB_TRY(vm_poke_u32(vm, guard, 0, err));
    return guarded ? vm_guard_check(stop, err) : EBB_OK;
}

static ebb_status step_guest(x86_vm *vm, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    vm_errand errand;
    vm_thread *t = vm_thread_find(vm, request->thread);
    EBB_TRY(vm_leave_natives_calls(vm, err));
    EBB_TRY(vm_errand_at(vm, request->thread, &errand, err));
    if (errand.kind == VM_ERRAND_NONE)
        return step_guarded(vm, t, stop, err);
    return run_errand(vm, request, &errand, stop, err);
}

static bool is_inside(const machine_request *request, const machine_stop *stop)
{
    return stop->kind == MACHINE_STOP_STEP && stop->thread == request->thread && stop->place >= request->lo &&
           stop->place < request->hi;
}

/* A step that goes round and round may wait for another thread: others have the turn, and the thread is where it was. */
static ebb_status give_way(x86_vm *vm, vm_thread *t, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    struct user_regs_struct *regs;
    EBB_TRY(vm_regs(vm, t->tid, &regs, err));
    t->gives_way = true;
    vm_task(vm, t->tid)->skip = false;
    return run_back(vm, (vm_back){.tid = t->tid, .pc = regs->rip, .sp = regs->rsp}, request, stop, err);
}

/* By the clock, at the end of an iteration. */
static bool should_give_way(x86_vm *vm, const machine_request *request, const machine_stop *stop, uint64_t before)
{
    return is_inside(request, stop) && stop->place <= before && !request->only_thread && !vm->replaying && vm_has_had_enough(vm);
}

/* The way into a handler is a step if the user gave the signal; otherwise the handler runs before the step. */
static ebb_status step_or_deliver(x86_vm *vm, vm_thread *t, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    vm_drop_ignored(vm, t);
    if (t->deliver && !t->quiet)
        return vm_deliver(vm, t, stop, err);
    if (t->deliver) {
        EBB_TRY(step_with_handler(vm, t, request, stop, err));
        if (stop->kind != MACHINE_STOP_STEP || (request->until && vm_until_reached(vm, request, stop->place)))
            return EBB_OK;
    }
    return step_guest(vm, request, stop, err);
}

/* A signal that nobody is told of ended the step too early. */
static bool is_quiet_signal(x86_vm *vm, vm_thread *t, const machine_stop *stop)
{
    int signal = vm_signal_of(stop);
    if (!signal || stop->thread != t->tid || vm_is_told(vm, stop))
        return false;
    vm_keep_info(vm, t, signal);
    t->deliver = vm->pass_signals >> (signal - 1) & 1 ? signal : 0;
    t->quiet = t->deliver != 0;
    return true;
}

/* A position that is not ahead can't be come to any more. */
static ebb_status without_past(x86_vm *vm, machine_request *request, ebb_error *err)
{
    uint64_t rip;
    EBB_TRY(vm_get(vm, request->thread, VM_REG(rip), &rip, err));
    request->until = request->until && !vm_until_reached(vm, request, rip);
    return EBB_OK;
}

/* What is told at that moment comes first. */
static bool comes_to_position(x86_vm *vm, const machine_request *request, machine_stop *stop)
{
    bool stepped = stop->kind == MACHINE_STOP_STEP || !vm_is_told(vm, stop);
    if (!request->until || !stepped || !vm_until_reached(vm, request, stop->place))
        return false;
    stop->kind = MACHINE_STOP_POSITION;
    return true;
}

ebb_status vm_step(x86_vm *vm, machine_request *request, machine_stop *stop, ebb_error *err)
{
    vm_thread *t = vm_thread_find(vm, request->thread);
    bool again;
    EBB_TRY(without_past(vm, request, err));
    do {
        uint64_t before, after;
        bool waits = false;
        if (vm->replaying)
            EBB_TRY(vm_replay_before_step(vm, request->thread, &waits, stop, err));
        if (waits)
            return EBB_OK;
        EBB_TRY(vm_get(vm, t->tid, VM_REG(rip), &before, err));
        EBB_TRY(step_or_deliver(vm, t, request, stop, err));
        t = vm_thread_find(vm, request->thread);
        if (!t || !vm_task(vm, t->tid) || vm_debuggee_ended(stop))
            return EBB_OK;
        bool quiet = is_quiet_signal(vm, t, stop);
        if (quiet && vm_get(vm, t->tid, VM_REG(rip), &after, NULL) == EBB_OK && after != before) {
            /* it came after the instruction: the step is done */
            *stop = (machine_stop){.kind = MACHINE_STOP_STEP, .thread = t->tid, .place = after};
            quiet = false;
        }
        if (comes_to_position(vm, request, stop))
            return EBB_OK;
        if (should_give_way(vm, request, stop, before)) {
            EBB_TRY(give_way(vm, t, request, stop, err));
            t = vm_thread_find(vm, request->thread);
            if (!t || vm_debuggee_ended(stop) || comes_to_position(vm, request, stop))
                return EBB_OK;
        }
        again = quiet || is_inside(request, stop) || (stop->kind != MACHINE_STOP_STEP && !vm_is_told(vm, stop));
    } while (again);
    return EBB_OK;
}
