#include "x86/vm.h"
#include "base/check.h"
#include "base/log.h"
#include "x86/inside/runtime.h"
#include "x86/modules.h"
#include "x86/points.h"
#include "x86/tasks.h"
#include "x86/vm_private.h"

#include <signal.h>
#include <string.h>

/* ---- threads ---------------------------------------------------------------------------------- */

static vm_thread *thread_find(x86_vm *vm, machine_tid tid)
{
    for (size_t i = 0; i < vm->threads.n; i++)
        if (vm->threads.items[i].tid == tid)
            return &vm->threads.items[i];
    return NULL;
}

/* Makes our list of threads native's. */
static void refresh_threads(x86_vm *vm)
{
    size_t n;
    const machine_thread *now = vm->native->ops->threads(vm->native, &n);
    for (size_t i = vm->threads.n; i-- > 0;) {
        bool lives = false;
        for (size_t k = 0; k < n; k++)
            lives = lives || now[k].tid == vm->threads.items[i].tid;
        if (!lives)
            ebb_vec_remove(&vm->threads, i);
    }
    for (size_t k = 0; k < n; k++)
        if (!thread_find(vm, now[k].tid))
            ebb_vec_push(&vm->threads, ((vm_thread){.tid = now[k].tid}));
}

static ebb_status enter_all(x86_vm *vm, machine_tid only, ebb_error *err)
{
    for (size_t i = 0; i < vm->threads.n; i++) {
        vm_thread *t = &vm->threads.items[i];
        if (!t->entered && (!only || t->tid == only))
            VM_TRY(vm_enter(vm, t, err));
    }
    return EBB_OK;
}

static bool is_fault(const machine_stop *stop)
{
    int s = stop->signal;
    return stop->kind == MACHINE_STOP_SIGNAL && stop->signal_code > 0 &&
           (s == SIGSEGV || s == SIGBUS || s == SIGILL || s == SIGFPE);
}

static ebb_status turn_owner(x86_vm *vm, vm_thread **owner, ebb_error *err)
{
    uint64_t tcb;
    VM_TRY(machine_read(vm->native, vm->runtime + offsetof(x86_runtime, turn.owner), &tcb, sizeof tcb, err));
    *owner = NULL;
    for (size_t i = 0; i < vm->threads.n; i++)
        if (tcb && vm->threads.items[i].tcb == tcb)
            *owner = &vm->threads.items[i];
    return EBB_OK;
}

/* Whoever has the turn comes first: the others may need it to get out of the runtime. */
static ebb_status park_all(x86_vm *vm, const machine_stop *stop, ebb_error *err)
{
    vm_thread *owner;
    machine_tid faulting = is_fault(stop) ? stop->thread : 0;
    VM_TRY(turn_owner(vm, &owner, err));
    if (owner)
        VM_TRY(vm_park(vm, owner, owner->tid == faulting, err));
    for (size_t i = 0; i < vm->threads.n; i++) {
        vm_thread *t = &vm->threads.items[i];
        if (t != owner)
            VM_TRY(vm_park(vm, t, t->tid == faulting, err));
    }
    return EBB_OK;
}

/* ---- code that changed ------------------------------------------------------------------------ */

/* Native mode puts its breakpoints into the guest's code, where the translator finds and copies them.  Whatever
 * site came or went since translated code last ran has to be translated anew. */
static void note_changed_sites(x86_vm *vm)
{
    const x86_process *p = x86_of(vm->native);
    size_t i = 0, k = 0;
    while (i < vm->sites.n || k < p->sites.n) {
        uint64_t old = i < vm->sites.n ? vm->sites.items[i] : UINT64_MAX;
        uint64_t new = k < p->sites.n ? p->sites.items[k].addr : UINT64_MAX;
        if (old != new)
            ebb_vec_push(&vm->changed, old < new ? old : new);
        i += old <= new;
        k += new <= old;
    }
    vm->sites.n = 0;
    for (k = 0; k < p->sites.n; k++)
        ebb_vec_push(&vm->sites, p->sites.items[k].addr);
}

static ebb_status tell_changes(x86_vm *vm, ebb_error *err)
{
    note_changed_sites(vm);
    uint64_t n = vm->changed.n;
    if (!n)
        return EBB_OK;
    size_t fits = n < X86_MAX_DROPS ? n : X86_MAX_DROPS;
    VM_TRY(machine_write(vm->native, vm->runtime + offsetof(x86_runtime, drops), vm->changed.items, fits * sizeof(uint64_t), err));
    VM_TRY(machine_write(vm->native, vm->runtime + offsetof(x86_runtime, n_drops), &n, sizeof n, err));
    vm->changed.n = 0;
    return EBB_OK;
}

static bool has_site(x86_vm *vm, uint64_t addr)
{
    return x86_site_at(x86_of(vm->native), addr) != NULL;
}

/* ---- single steps ----------------------------------------------------------------------------- */

/* Whether the instruction at `from` counts a tick by going to `to` (translate.h, TR4). */
static bool ticks(x86_vm *vm, uint64_t from, uint64_t to)
{
    machine_insn insn;
    if (vm->native->ops->decode(vm->native, from, &insn, NULL) != EBB_OK)
        return false;
    if (insn.is_call || insn.is_return)
        return true;
    if (!insn.is_branch)
        return false;
    bool taken = to != from + insn.nbytes;
    return insn.is_indirect || (taken && to <= from);
}

static ebb_status step_once(x86_vm *vm, machine_tid tid, int signal, machine_stop *stop, ebb_error *err)
{
    uint64_t from, to;
    machine_request step = {.move = MACHINE_STEP, .thread = tid, .signal = signal, .only_thread = true};
    VM_TRY(vm_get(vm, tid, vm->reg_rip, &from, err));
    VM_TRY(vm->native->ops->resume(vm->native, &step, stop, err));
    bool lives = stop->kind != MACHINE_STOP_EXITED && stop->kind != MACHINE_STOP_KILLED;
    if (lives && !signal && vm_get(vm, tid, vm->reg_rip, &to, NULL) == EBB_OK && ticks(vm, from, to))
        vm->time++;
    return EBB_OK;
}

static ebb_status step(x86_vm *vm, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    int signal = request->signal;
    for (;;) {
        VM_TRY(step_once(vm, request->thread, signal, stop, err));
        signal = 0;
        bool inside = stop->kind == MACHINE_STOP_STEP && stop->place >= request->lo && stop->place < request->hi;
        if (!inside)
            return EBB_OK;
    }
}

/* ---- running ---------------------------------------------------------------------------------- */

/* A trap in translated code is the copy of a breakpoint instruction.  The thread stands behind it, as after the
 * program's own; for one of ours it is put back to the beginning. */
static ebb_status explain_trap(x86_vm *vm, machine_stop *stop, ebb_error *err)
{
    x86_process *p = x86_of(vm->native);
    uint64_t at = stop->place - 1;
    if (!has_site(vm, at))
        return EBB_OK;
    stop->kind = MACHINE_STOP_POINT;
    stop->place = at;
    bool modules_changed;
    if (x86_loader_reached(p, at, &modules_changed) && modules_changed)
        stop->kind = MACHINE_STOP_MODULES;
    else
        x86_points_at(p, x86_task_get(p, (pid_t)stop->thread), at, stop);
    return vm_set(vm, stop->thread, vm->reg_rip, at, err);
}

static bool is_stuck(x86_vm *vm, const machine_stop *stop)
{
    return stop->kind == MACHINE_STOP_TRAP && stop->place == vm->exports.stuck + 1;
}

static ebb_status explain_stuck(x86_vm *vm, vm_thread *t, ebb_error *err)
{
    static const char *const texts[] = {
#define X(name, text) [name] = text,
        X86_STUCK_REASONS(X)
#undef X
    };
    x86_tcb tcb;
    VM_TRY(machine_read(vm->native, t->tcb, &tcb, sizeof tcb, err));
    const char *why = tcb.stuck < sizeof texts / sizeof texts[0] ? texts[tcb.stuck] : "?";
    return ebb_fail(err, EBB_UNSUPPORTED, "VM mode can't go on at 0x%lx: %s", (unsigned long)tcb.target, why);
}

static bool debuggee_ended(const machine_stop *stop)
{
    return stop->kind == MACHINE_STOP_EXITED || stop->kind == MACHINE_STOP_KILLED;
}

static void forget_runtime(x86_vm *vm)
{
    vm->installed = false;
    vm->threads.n = 0;
    vm->changed.n = vm->sites.n = vm->pending.n = 0;
}

/* Code that isn't there can't be translated: the CPU itself is asked, and faults as it should. */
static ebb_status run_natively_once(x86_vm *vm, machine_tid tid, machine_stop *stop, ebb_error *err)
{
    VM_TRY(park_all(vm, stop, err));
    return step_once(vm, tid, 0, stop, err);
}

/* What happened while threads were being parked comes before anything new. */
static bool take_pending(x86_vm *vm, machine_stop *stop)
{
    if (!vm->pending.n)
        return false;
    *stop = vm->pending.items[0];
    ebb_vec_remove(&vm->pending, 0);
    refresh_threads(vm);
    if (thread_find(vm, stop->thread))
        (void)!vm_get(vm, stop->thread, vm->reg_rip, &stop->place, NULL);
    return true;
}

static ebb_status run_once(x86_vm *vm, machine_tid only, machine_tid thread, machine_stop *stop, ebb_error *err)
{
    if (take_pending(vm, stop))
        return EBB_OK;
    VM_TRY(tell_changes(vm, err));
    VM_TRY(enter_all(vm, only, err));
    machine_request run = {.move = MACHINE_RUN, .thread = thread, .only_thread = only != 0};
    VM_TRY(vm->native->ops->resume(vm->native, &run, stop, err));
    if (debuggee_ended(stop) || stop->kind == MACHINE_STOP_EXEC) {
        forget_runtime(vm);
        return EBB_OK;
    }
    refresh_threads(vm);
    vm_thread *t = thread_find(vm, stop->thread);
    if (t && is_stuck(vm, stop)) {
        x86_tcb tcb;
        VM_TRY(machine_read(vm->native, t->tcb, &tcb, sizeof tcb, err));
        if (tcb.stuck == X86_STUCK_UNREADABLE || tcb.stuck == X86_STUCK_UNDECODABLE)
            return run_natively_once(vm, t->tid, stop, err);
        ebb_status status = explain_stuck(vm, t, err);
        ebb_error ignored;
        (void)!park_all(vm, stop, &ignored);
        return status;
    }
    bool trapped = stop->kind == MACHINE_STOP_TRAP;
    VM_TRY(park_all(vm, stop, err));
    if (t)
        VM_TRY(vm_get(vm, stop->thread, vm->reg_rip, &stop->place, err));
    return trapped ? explain_trap(vm, stop, err) : EBB_OK;
}

/* The kernel starts the handler as it would natively; the thread then stands at its first instruction. */
static ebb_status deliver(x86_vm *vm, machine_tid tid, int signal, machine_stop *stop, ebb_error *err)
{
    return step_once(vm, tid, signal, stop, err);
}

static bool is_told(const x86_vm *vm, const machine_stop *stop)
{
    if (stop->kind == MACHINE_STOP_SIGNAL)
        return vm->stop_signals >> (stop->signal - 1) & 1;
    if (stop->kind == MACHINE_STOP_THREAD_START)
        return vm->wants_thread_start;
    return !(stop->kind == MACHINE_STOP_POINT && stop->n_points == 0);
}

static ebb_status run(x86_vm *vm, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    machine_tid only = request->only_thread ? request->thread : 0;
    machine_tid thread = request->thread;
    int signal = request->signal;
    for (;;) {
        uint64_t rip;
        if (signal) {
            VM_TRY(deliver(vm, thread, signal, stop, err));
            if (stop->kind != MACHINE_STOP_STEP)
                return EBB_OK;
        }
        VM_TRY(vm_get(vm, thread, vm->reg_rip, &rip, err));
        if (has_site(vm, rip) && !signal) { /* MA4 */
            VM_TRY(step_once(vm, thread, 0, stop, err));
            if (stop->kind != MACHINE_STOP_STEP && is_told(vm, stop))
                return EBB_OK;
        }
        signal = 0;
        if (!vm->installed)
            VM_TRY(vm_install(vm, thread, err));
        *stop = (machine_stop){0};
        VM_TRY(run_once(vm, only, thread, stop, err));
        if (is_told(vm, stop))
            return EBB_OK;
        if (stop->kind == MACHINE_STOP_SIGNAL && vm->pass_signals >> (stop->signal - 1) & 1)
            signal = stop->signal;
        thread = stop->thread;
    }
}

static ebb_status vm_resume(machine *m, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    x86_vm *vm = vm_of(m);
    if (vm->mode == X86_MODE_NATIVE)
        return vm->native->ops->resume(vm->native, request, stop, err);
    refresh_threads(vm);
    *stop = (machine_stop){0};
    machine_request r = *request;
    if (!r.thread && vm->threads.n)
        r.thread = vm->threads.items[0].tid;
    return r.move == MACHINE_STEP ? step(vm, &r, stop, err) : run(vm, &r, stop, err);
}

/* ---- points and policies ---------------------------------------------------------------------- */

static void tell_native_policy(x86_vm *vm)
{
    bool in_vm = vm->mode == X86_MODE_VM;
    uint64_t stop = in_vm ? UINT64_MAX : vm->stop_signals;
    vm->native->ops->signal_policy(vm->native, stop, vm->pass_signals);
    bool wanted = in_vm || vm->wants_thread_start;
    ebb_status status = vm->native->ops->event_set(vm->native, MACHINE_EVENT_THREAD_START, wanted, NULL);
    ebb_check(status == EBB_OK);
}

static void vm_signal_policy(machine *m, uint64_t stop, uint64_t pass)
{
    x86_vm *vm = vm_of(m);
    vm->stop_signals = stop;
    vm->pass_signals = pass;
    tell_native_policy(vm);
}

static ebb_status vm_event_set(machine *m, machine_event event, bool wanted, ebb_error *err)
{
    x86_vm *vm = vm_of(m);
    if (event != MACHINE_EVENT_THREAD_START)
        return vm->native->ops->event_set(vm->native, event, wanted, err);
    vm->wants_thread_start = wanted;
    tell_native_policy(vm);
    return EBB_OK;
}

static uint64_t vm_timestamp(machine *m)
{
    return vm_of(m)->time;
}

static unsigned vm_capabilities(machine *m)
{
    x86_vm *vm = vm_of(m);
    unsigned natives = vm->native->ops->capabilities(vm->native);
    return vm->mode == X86_MODE_VM ? natives | MACHINE_COUNTS_TIME : natives;
}

static void vm_free(machine *m)
{
    x86_vm *vm = vm_of(m);
    vm->native->ops->free(vm->native);
    ebb_vec_fini(&vm->threads);
    ebb_vec_fini(&vm->sites);
    ebb_vec_fini(&vm->pending);
    ebb_vec_fini(&vm->changed);
    free(vm);
}

/* ---- what native mode does for us ------------------------------------------------------------- */

#define FORWARD(type, name, params, args)                                                          \
    static type vm_##name params                                                                   \
    {                                                                                              \
        machine *native = vm_of(m)->native;                                                        \
        return native->ops->name args;                                                             \
    }

FORWARD(void, interrupt, (machine *m), (native))
FORWARD(ebb_status, point_set, (machine *m, const machine_point *point, machine_point_id *id, ebb_error *err), (native, point, id, err))
FORWARD(ebb_status, point_clear, (machine *m, machine_point_id id, ebb_error *err), (native, id, err))
FORWARD(bool, point_is_cheap, (machine *m, machine_point_id id), (native, id))
FORWARD(ebb_status, read, (machine *m, uint32_t space, machine_addr addr, void *bytes, size_t n, ebb_error *err), (native, space, addr, bytes, n, err))
FORWARD(ebb_status, write, (machine *m, uint32_t space, machine_addr addr, const void *bytes, size_t n, ebb_error *err), (native, space, addr, bytes, n, err))
FORWARD(const machine_reg *, registers, (machine *m, size_t *n), (native, n))
FORWARD(ebb_status, reg_read, (machine *m, machine_tid tid, unsigned reg, void *bytes, ebb_error *err), (native, tid, reg, bytes, err))
FORWARD(ebb_status, reg_write, (machine *m, machine_tid tid, unsigned reg, const void *bytes, ebb_error *err), (native, tid, reg, bytes, err))
FORWARD(const machine_thread *, threads, (machine *m, size_t *n), (native, n))
FORWARD(const machine_module *, modules, (machine *m, size_t *n), (native, n))
FORWARD(ebb_status, tls_block, (machine *m, machine_tid tid, const machine_module *module, uint64_t *block, ebb_error *err), (native, tid, module, block, err))
FORWARD(ebb_status, decode, (machine *m, machine_place place, machine_insn *insn, ebb_error *err), (native, place, insn, err))
FORWARD(pid_t, pid, (machine *m), (native))
FORWARD(const char *, program, (machine *m), (native))
FORWARD(machine_place, entry, (machine *m), (native))
FORWARD(ebb_status, kill, (machine *m, ebb_error *err), (native, err))
FORWARD(ebb_status, detach, (machine *m, int signal, ebb_error *err), (native, signal, err))

static ebb_status vm_place_get(machine *m, machine_tid tid, machine_place *place, ebb_error *err)
{
    machine *native = vm_of(m)->native;
    return native->ops->place(native, tid, place, err);
}

static const machine_ops vm_ops = {
    .name = "x86-vm",
    .capabilities = vm_capabilities,
    .resume = vm_resume,
    .interrupt = vm_interrupt,
    .point_set = vm_point_set,
    .point_clear = vm_point_clear,
    .point_is_cheap = vm_point_is_cheap,
    .event_set = vm_event_set,
    .signal_policy = vm_signal_policy,
    .read = vm_read,
    .write = vm_write,
    .registers = vm_registers,
    .reg_read = vm_reg_read,
    .reg_write = vm_reg_write,
    .place = vm_place_get,
    .threads = vm_threads,
    .modules = vm_modules,
    .tls_block = vm_tls_block,
    .decode = vm_decode,
    .timestamp = vm_timestamp,
    .pid = vm_pid,
    .program = vm_program,
    .entry = vm_entry,
    .kill = vm_kill,
    .detach = vm_detach,
    .free = vm_free,
};

static void find_registers(x86_vm *vm)
{
    static const char *const gprs[X86_N_GPRS] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                                 "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
    for (unsigned i = 0; i < X86_N_GPRS; i++)
        vm->reg_gprs[i] = machine_reg_by_name(vm->native, gprs[i]);
    vm->reg_rax = vm->reg_gprs[X86_RAX];
    vm->reg_rcx = vm->reg_gprs[X86_RCX];
    vm->reg_rsp = vm->reg_gprs[X86_RSP];
    vm->reg_rip = machine_reg_by_name(vm->native, "rip");
    vm->reg_eflags = machine_reg_by_name(vm->native, "eflags");
    vm->reg_gs_base = machine_reg_by_name(vm->native, "gs_base");
    vm->reg_orig_rax = machine_reg_by_name(vm->native, "orig_rax");
}

machine *x86_vm_new(machine *native)
{
    x86_vm *vm = EBB_NEW(x86_vm);
    vm->base.ops = &vm_ops;
    vm->native = native;
    vm->stop_signals = UINT64_MAX;
    vm->pass_signals = ~((uint64_t)1 << (SIGINT - 1) | (uint64_t)1 << (SIGTRAP - 1));
    find_registers(vm);
    x86_vm_set_mode(&vm->base, X86_MODE_VM);
    return &vm->base;
}

void x86_vm_set_mode(machine *m, x86_mode mode)
{
    vm_of(m)->mode = mode;
    tell_native_policy(vm_of(m));
}

x86_mode x86_vm_get_mode(machine *m)
{
    return vm_of(m)->mode;
}

machine *x86_vm_get_native(machine *m)
{
    return vm_of(m)->native;
}
