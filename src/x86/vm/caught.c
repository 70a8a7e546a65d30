/* caught.c - what catchpoints are about, told of a program that replays. */
#include "x86/vm/caught.h"
#include "x86/calls.h"
#include "x86/inside/runtime.h"
#include "x86/vm/history.h"

#include <errno.h>
#include <linux/sched.h>
#include <sys/syscall.h>

/* ---- what is wanted --------------------------------------------------------------------------- */

static bool wants(const x86_vm *vm, machine_event event)
{
    bool only_noted = vm->noting && vm->noting->search->only_noted;
    return vm->wants[event] && !vm->quiet && !only_noted;
}

static uint64_t wanted(const x86_vm *vm)
{
    uint64_t calls = wants(vm, MACHINE_EVENT_SYSCALL) ? X86_CATCHES_CALLS : 0;
    if (!vm->replaying)
        return calls | (vm->wants[MACHINE_EVENT_THREAD_END] ? X86_CATCHES_LEAVING : 0);
    return calls | (wants(vm, MACHINE_EVENT_FORK) ? X86_CATCHES_FORKS : 0);
}

ebb_status vm_caught_tell(x86_vm *vm, ebb_error *err)
{
    uint64_t catches = wanted(vm);
    if (catches & X86_CATCHES_CALLS)
        EBB_TRY(machine_write(vm->native, vm->runtime + offsetof(x86_runtime, caught_calls), &vm->calls_wanted, sizeof vm->calls_wanted, err));
    return vm_poke_u64(vm, vm->runtime + offsetof(x86_runtime, catches), catches, err);
}

/* ---- CU1 -------------------------------------------------------------------------------------- */

static bool begins_here(const x86_vm *vm, uint64_t place)
{
    ebb_position here = {vm->time, place};
    return ebb_position_compare(vm->begins_at, here) == 0;
}

void vm_caught_begin(x86_vm *vm, const machine_request *request)
{
    struct user_regs_struct outside;
    vm->begins_in_call = vm_caught_is_shown(vm, vm_thread_find(vm, vm->last), &outside);
    vm_caught_hide(vm);
    vm->begins_at = (ebb_position){0};
    if (vm->replaying && !vm->noting && !(request->until && request->quiet))
        vm->begins_at = (ebb_position){vm->time, vm_last_place(vm)};
}

/* ---- CU2 -------------------------------------------------------------------------------------- */

/* No thread is parked so after a call: the kernel forgets its number. */
static bool is_shown_inside(x86_vm *vm, const struct user_regs_struct *r)
{
    return (int64_t)r->orig_rax >= 0 && r->rax == (uint64_t)-ENOSYS && vm_is_syscall_at(vm, r->rip - 2);
}

void vm_caught_show(machine *m, const machine_stop *stop)
{
    x86_vm *vm = vm_of(m);
    vm_thread *t = vm_thread_find(vm, stop->thread);
    struct user_regs_struct *now, inside;
    if (stop->kind != MACHINE_STOP_SYSCALL_ENTRY || !t || vm_regs(vm, t->tid, &now, NULL) != EBB_OK || !vm_is_syscall_at(vm, now->rip))
        return;
    inside = *now;
    inside.orig_rax = now->rax;
    inside.rax = (uint64_t)-ENOSYS;
    inside.rip += 2;
    t->shown_inside = vm_set_regs(vm, t->tid, &inside, NULL) == EBB_OK;
}

bool vm_caught_is_shown(x86_vm *vm, const vm_thread *t, struct user_regs_struct *outside)
{
    struct user_regs_struct *now;
    bool is_likely = t && (t->shown_inside || t->tid == vm->last) && vm_task(vm, t->tid) && !vm_task(vm, t->tid)->in_syscall;
    if (!is_likely || vm_regs(vm, t->tid, &now, NULL) != EBB_OK || !is_shown_inside(vm, now))
        return false;
    *outside = *now;
    outside->rip -= 2;
    outside->rax = now->orig_rax; /* the user may have chosen another call */
    outside->orig_rax = (uint64_t)-1;
    return true;
}

/* What the user changed of the registers stays.  If he sent the thread elsewhere, to call a function, it may come back. */
void vm_caught_hide(x86_vm *vm)
{
    struct user_regs_struct outside;
    for (size_t i = 0; i < vm->threads.n; i++) {
        vm_thread *t = &vm->threads.items[i];
        if (!vm_caught_is_shown(vm, t, &outside) || vm_set_regs(vm, t->tid, &outside, NULL) != EBB_OK)
            continue;
        t->shown_inside = false;
        if (!vm->replaying) /* a copy may be one of a thread that was shown so: whoever begins with that has not been told */
            t->told_at = outside.rip;
    }
}

/* ---- calls ------------------------------------------------------------------------------------ */

static machine_stop call_of(machine_tid tid, const struct user_regs_struct *regs)
{
    return (machine_stop){.kind = MACHINE_STOP_SYSCALL_ENTRY, .thread = tid, .place = regs->rip, .syscall = (long)regs->rax};
}

ebb_status vm_caught_call(x86_vm *vm, machine_tid tid, machine_stop *stop, ebb_error *err)
{
    struct user_regs_struct *regs;
    EBB_TRY(vm_regs(vm, tid, &regs, err));
    vm_thread_find(vm, tid)->told_at = regs->rip;
    *stop = call_of(tid, regs);
    if (begins_here(vm, regs->rip))
        stop->kind = MACHINE_STOP_STEP;
    return EBB_OK;
}

/* The number of the call that was made last, if it is to be told. */
static bool take_answered(x86_vm *vm, uint64_t *number)
{
    uint64_t address = vm->runtime + offsetof(x86_runtime, answered), answered = 0;
    if (machine_read(vm->native, address, &answered, sizeof answered, NULL) != EBB_OK || !answered || vm_poke_u64(vm, address, 0, NULL) != EBB_OK)
        return false;
    *number = answered - 1;
    return true;
}

/* Whether the call made a process, and in which way: as the kernel tells it. */
static bool is_fork(x86_vm *vm, uint64_t number, const struct user_regs_struct *regs, bool *vfork)
{
    uint64_t flags = number == SYS_clone ? regs->rdi : number == SYS_vfork ? CLONE_VM | CLONE_VFORK : 0;
    bool is_one = number == SYS_clone || number == SYS_vfork || number == SYS_fork || number == SYS_clone3;
    if (number == SYS_clone3 && machine_read(vm->native, regs->rdi, &flags, sizeof flags, NULL) != EBB_OK)
        return false;
    *vfork = (flags & CLONE_VFORK) != 0;
    return is_one && (int64_t)regs->rax > 0 && !(flags & CLONE_THREAD);
}

/* A fork is told before the return of its call, as natively. */
static ebb_status answers_of(x86_vm *vm, machine_tid tid, machine_stop stops[2], size_t *n, ebb_error *err)
{
    struct user_regs_struct *regs;
    uint64_t number;
    bool vfork;
    *n = 0;
    EBB_TRY(vm_regs(vm, tid, &regs, err));
    if (!take_answered(vm, &number))
        return EBB_OK;
    if (vm->replaying && wants(vm, MACHINE_EVENT_FORK) && is_fork(vm, number, regs, &vfork))
        stops[(*n)++] = (machine_stop){.kind = MACHINE_STOP_FORKED, .thread = tid, .place = regs->rip, .child = (pid_t)regs->rax, .vfork = vfork};
    if (wants(vm, MACHINE_EVENT_SYSCALL))
        stops[(*n)++] = (machine_stop){
            .kind = MACHINE_STOP_SYSCALL_RETURN, .thread = tid, .place = regs->rip, .syscall = (long)number, .syscall_result = (long)regs->rax};
    return EBB_OK;
}

ebb_status vm_caught_answer_later(x86_vm *vm, machine_tid tid, ebb_error *err)
{
    machine_stop stops[2];
    size_t n;
    EBB_TRY(answers_of(vm, tid, stops, &n, err));
    for (size_t i = 0; i < n; i++)
        ebb_vec_push(&vm->pending, stops[i]);
    return EBB_OK;
}

ebb_status vm_caught_answer(x86_vm *vm, machine_tid tid, machine_stop *stop, ebb_error *err)
{
    machine_stop stops[2];
    size_t n;
    EBB_TRY(answers_of(vm, tid, stops, &n, err));
    if (n > 0)
        *stop = stops[0];
    if (n > 1)
        ebb_vec_push(&vm->pending, stops[1]);
    return EBB_OK;
}

ebb_status vm_caught_later(x86_vm *vm, const vm_thread *t, uint64_t number, ebb_error *err)
{
    uint64_t target;
    if (!wants(vm, MACHINE_EVENT_SYSCALL))
        return EBB_OK;
    EBB_TRY(machine_read(vm->native, t->tcb + offsetof(x86_tcb, target), &target, sizeof target, err));
    EBB_TRY(vm_poke_u64(vm, t->tcb + offsetof(x86_tcb, answers_at), target, err));
    return vm_poke_u64(vm, t->tcb + offsetof(x86_tcb, answers), number + 1, err);
}

/* ---- what comes from outside in the middle of one --------------------------------------------- */

/* The thread that executes, if the event at that place finds it in a call; *insn is where that is made. */
static vm_thread *thread_in_call(x86_vm *vm, uint64_t place, uint64_t *insn)
{
    vm_thread *t = vm->last ? vm_thread_find(vm, vm->last) : NULL;
    if (!t || vm_get(vm, t->tid, VM_REG(rip), insn, NULL) != EBB_OK || *insn + 2 != place || !vm_is_syscall_at(vm, *insn))
        return NULL;
    return t;
}

static bool has_begun(x86_vm *vm, const vm_thread *t, uint64_t insn)
{
    x86_tcb tcb;
    return t->open_at == insn || (t->tcb && vm_read_tcb(vm, t, &tcb, NULL) == EBB_OK && tcb.open_at == insn);
}

ebb_status vm_caught_before_event(x86_vm *vm, uint64_t place, bool *tells, machine_stop *stop, ebb_error *err)
{
    uint64_t insn;
    vm_thread *t = wants(vm, MACHINE_EVENT_SYSCALL) ? thread_in_call(vm, place, &insn) : NULL;
    *tells = false;
    if (!t || t->told_at == insn || has_begun(vm, t, insn))
        return EBB_OK;
    EBB_TRY(vm_caught_call(vm, t->tid, stop, err));
    *tells = stop->kind != MACHINE_STOP_STEP;
    return EBB_OK;
}

void vm_caught_at_event(x86_vm *vm, uint64_t place)
{
    uint64_t insn;
    vm_thread *t = thread_in_call(vm, place, &insn);
    if (t)
        t->open_at = insn;
}

/* ---- threads ---------------------------------------------------------------------------------- */

void vm_caught_start(x86_vm *vm, vm_thread *t, machine_stop *stop)
{
    if (t->newborn && wants(vm, MACHINE_EVENT_THREAD_START) && vm_get(vm, t->tid, VM_REG(rip), &stop->place, NULL) == EBB_OK)
        stop->kind = MACHINE_STOP_THREAD_START;
    t->newborn = false;
}

void vm_caught_leaving(x86_vm *vm, const vm_thread *t, machine_stop *stop)
{
    uint64_t place;
    if (vm->threads.n < 2 || !wants(vm, MACHINE_EVENT_THREAD_END) || vm_get(vm, t->tid, VM_REG(rip), &place, NULL) != EBB_OK ||
        (begins_here(vm, place) && !vm->begins_in_call))
        return;
    *stop = (machine_stop){.kind = MACHINE_STOP_THREAD_END, .thread = t->tid, .place = place};
}
