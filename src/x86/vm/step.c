/* step.c - single steps, on the CPU itself, with time counted as translated code does (translate.h, TR4). */
#include "x86/events.h"
#include "x86/points.h"
#include "x86/vm/private.h"

#include <string.h>
#include <sys/syscall.h>

/* ---- counting --------------------------------------------------------------------------------- */

bool vm_step_ticks(x86_vm *vm, uint64_t from, uint64_t to)
{
    machine_insn insn;
    if (to == from)
        return true; /* a jump to itself, or a string instruction that repeats itself */
    if (vm->native->ops->decode(vm->native, from, &insn, NULL) != EBB_OK)
        return false;
    if (insn.is_call || insn.is_return)
        return true;
    if (!insn.is_branch)
        return false;
    bool taken = to != from + insn.nbytes;
    return insn.is_indirect || (taken && to <= from);
}

void vm_when_stepped(void *layer, pid_t tid, uint64_t from)
{
    x86_vm *vm = layer;
    uint64_t to;
    if (vm->counting && vm_get(vm, tid, VM_REG(rip), &to, NULL) == EBB_OK && vm_step_ticks(vm, from, to))
        vm->time++;
}

/* ---- one step --------------------------------------------------------------------------------- */

/* Calls that change what code there is: translated code makes them through the runtime, a step does not. */
static bool changes_code(uint64_t number)
{
    switch (number) {
    case SYS_mmap:
    case SYS_munmap:
    case SYS_mprotect:
    case SYS_pkey_mprotect:
    case SYS_mremap:
    case SYS_madvise: return true;
    default: return false;
    }
}

static bool stands_at_syscall(x86_vm *vm, uint64_t rip)
{
    uint8_t code[2];
    return machine_read(vm->native, rip, code, sizeof code, NULL) == EBB_OK && memcmp(code, "\x0f\x05", 2) == 0;
}

ebb_status vm_before_step(x86_vm *vm, machine_tid tid, ebb_error *err)
{
    struct user_regs_struct *regs;
    EBB_TRY(vm_regs(vm, tid, &regs, err));
    vm_thread *t = vm_thread_find(vm, tid);
    bool in_call = t && t->at_border;
    if (in_call ? changes_code(regs->orig_rax) : stands_at_syscall(vm, regs->rip) && changes_code(regs->rax))
        vm->flush = true;
    if (t)
        t->at_border = false;
    return EBB_OK;
}

ebb_status vm_step_once(x86_vm *vm, machine_tid tid, int signal, machine_stop *stop, ebb_error *err)
{
    EBB_TRY(vm_before_step(vm, tid, err));
    machine_request step = {.move = MACHINE_STEP, .thread = tid, .signal = signal, .only_thread = true};
    vm->counting = true;
    x86_of(vm->native)->wants[MACHINE_EVENT_SYSCALL] = vm->wants[MACHINE_EVENT_SYSCALL];
    ebb_status status = vm->native->ops->resume(vm->native, &step, stop, err);
    x86_of(vm->native)->wants[MACHINE_EVENT_SYSCALL] = false;
    vm->counting = false;
    return status;
}

/* ---- steps for the user ----------------------------------------------------------------------- */

/* A call that may wait for another thread; the others are not about what goes on in this one alone. */
static bool may_block(x86_vm *vm, const struct user_regs_struct *regs)
{
    if (!stands_at_syscall(vm, regs->rip))
        return false;
    switch (regs->rax) {
    case SYS_exit:
    case SYS_exit_group:
    case SYS_rt_sigreturn:
    case SYS_execve:
    case SYS_execveat:
    case SYS_fork:
    case SYS_vfork:
    case SYS_clone:
    case SYS_clone3: return false;
    default: return true;
    }
}

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
    *stop = (machine_stop){.kind = MACHINE_STOP_POSITION, .thread = back->tid};
    if (vm->time < request->until_time) {
        vm->limit = request->until_time;
        EBB_TRY(vm_run_until(vm, 0, back->tid, back, stop, err));
        if (stop->kind != MACHINE_STOP_POSITION || vm_until_reached(vm, request, stop->place))
            return EBB_OK;
    }
    back->until = request;
    vm->limit = request->until_time + 1;
    EBB_TRY(x86_point_set_internal(x86_of(vm->native), request->until_place, &point, err));
    ebb_status status = vm_run_until(vm, 0, stop->thread, back, stop, err);
    clear_point(vm, point);
    return status;
}

/* Runs, all threads with it, until the thread is at `back`, or the time has come. */
static ebb_status run_back(x86_vm *vm, vm_back back, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    machine_point_id point;
    EBB_TRY(x86_point_set_internal(x86_of(vm->native), back.pc, &point, err));
    vm->testing = request->until;
    ebb_status status = request->until ? run_back_until(vm, &back, request, stop, err) : vm_run_until(vm, 0, back.tid, &back, stop, err);
    vm->testing = false;
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

/* A call that the runtime makes in its own way, or may not let pass. */
static bool needs_runtime(x86_vm *vm, machine_tid tid, const struct user_regs_struct *regs)
{
    const vm_thread *t = vm_thread_find(vm, tid);
    x86_user_dispatch dispatch = {0};
    if (!t || !stands_at_syscall(vm, regs->rip) || regs->rax == SYS_rt_sigreturn)
        return false;
    if (t->filter || regs->rax == SYS_seccomp || regs->rax == SYS_prctl || regs->rax == SYS_rseq)
        return true;
    return t->tcb && machine_read(vm->native, t->tcb + offsetof(x86_tcb, user_dispatch), &dispatch, sizeof dispatch, NULL) == EBB_OK && dispatch.on;
}

static ebb_status step_guest(x86_vm *vm, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    struct user_regs_struct *regs;
    EBB_TRY(vm_regs(vm, request->thread, &regs, err));
    bool others = x86_of(vm->native)->tasks.n > 1 && !request->only_thread && !vm->wants[MACHINE_EVENT_SYSCALL];
    if (!(others && may_block(vm, regs)) && !needs_runtime(vm, request->thread, regs))
        return vm_step_once(vm, request->thread, 0, stop, err);
    if (x86_site_at(x86_of(vm->native), regs->rip))
        x86_skip_point(vm_task(vm, request->thread)); /* MA4 */
    vm_back back = {.tid = request->thread, .pc = regs->rip + 2, .sp = regs->rsp};
    return run_back(vm, back, request, stop, err);
}

static bool is_inside(const machine_request *request, const machine_stop *stop)
{
    return stop->kind == MACHINE_STOP_STEP && stop->thread == request->thread && stop->place >= request->lo &&
           stop->place < request->hi;
}

/* The way into a handler is a step if the user gave the signal; otherwise the handler runs before the step. */
static ebb_status step_or_deliver(x86_vm *vm, vm_thread *t, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    vm_drop_ignored(t);
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
        EBB_TRY(vm_get(vm, t->tid, VM_REG(rip), &before, err));
        EBB_TRY(step_or_deliver(vm, t, request, stop, err));
        t = vm_thread_find(vm, request->thread);
        if (!t || !vm_task(vm, t->tid) || vm_debuggee_ended(stop))
            return EBB_OK;
        bool quiet = is_quiet_signal(vm, t, stop);
        if (quiet && vm_get(vm, t->tid, VM_REG(rip), &after, NULL) == EBB_OK && after != before) {
            /* it came behind the instruction: the step is done */
            *stop = (machine_stop){.kind = MACHINE_STOP_STEP, .thread = t->tid, .place = after};
            quiet = false;
        }
        if (comes_to_position(vm, request, stop))
            return EBB_OK;
        again = quiet || is_inside(request, stop) || (stop->kind != MACHINE_STOP_STEP && !vm_is_told(vm, stop));
    } while (again);
    return EBB_OK;
}
