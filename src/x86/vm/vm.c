/* vm.c - the table of operations, policies, and changing modes. */
#include "x86/vm/vm.h"
#include "base/check.h"
#include "x86/flow.h"
#include "x86/points.h"
#include "x86/vm/births.h"
#include "x86/vm/caught.h"
#include "x86/vm/edits.h"
#include "x86/vm/filters.h"
#include "x86/vm/history.h"
#include "x86/vm/private.h"
#include "x86/vm/record.h"
#include "x86/vm/tree.h"
#include "x86/vm/undo.h"
#include "x86/watch.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* ---- policies ---------------------------------------------------------------------- */

static void tell_native_policy(x86_vm *vm)
{
    bool in_vm = vm->mode == X86_MODE_VM;
    uint64_t stop = in_vm ? UINT64_MAX : vm->stop_signals;
    vm->native->ops->signal_policy(vm->native, stop, vm->pass_signals);
    x86_process *p = x86_of(vm->native);
    p->wants[MACHINE_EVENT_THREAD_START] = in_vm || vm->wants[MACHINE_EVENT_THREAD_START];
    p->wants[MACHINE_EVENT_THREAD_END] = !in_vm && vm->wants[MACHINE_EVENT_THREAD_END]; /* the runtime tells (caught.h) */
    p->wants[MACHINE_EVENT_SYSCALL] = !in_vm && vm->wants[MACHINE_EVENT_SYSCALL]; /* run.c asks for it */
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
    vm->wants[event] = wanted;
    x86_of(vm->native)->wants[event] = wanted;
    tell_native_policy(vm);
    return EBB_OK;
}

static void vm_calls_wanted(machine *m, const machine_call_set *calls)
{
    vm_of(m)->calls_wanted = *calls;
}

static uint64_t vm_timestamp(machine *m)
{
    return vm_of(m)->time;
}

static unsigned vm_capabilities(machine *m)
{
    x86_vm *vm = vm_of(m);
    unsigned natives = vm->native->ops->capabilities(vm->native);
    unsigned with_history = vm->history ? MACHINE_RECORDS | MACHINE_REWINDS : 0;
    return vm->mode == X86_MODE_VM ? natives | MACHINE_COUNTS_TIME | with_history : natives;
}

static void vm_free(machine *m)
{
    x86_vm *vm = vm_of(m);
    ebb_error ignored;
    vm_history_free(vm);
    x86_process *p = x86_of(vm->native);
    if (!p->gone && !p->core && !p->launched && vm_detach(m, 0, &ignored) != EBB_OK)
        p->gone = true;
    vm->native->ops->free(vm->native);
    vm_record_fini(vm);
    vm_tree_fini(vm);
    ebb_vec_fini(&vm->threads);
    ebb_vec_fini(&vm->order);
    ebb_vec_fini(&vm->spare_regions);
    vm_sites_fini(&vm->sites);
    ebb_vec_fini(&vm->pending);
    vm_undo_fini(&vm->undo);
    ebb_vec_fini(&vm->changed);
    ebb_vec_fini(&vm->ignores);
    vm_filters_fini(vm);
    free(vm->seed);
    ebb_vec_fini(&vm->births);
    free(vm);
}

/* ---- what native mode does for us ------------------------------------------------------------- */

#define FORWARD(table, type, name, params, args)                                                   \
    static type vm_##name params                                                                   \
    {                                                                                              \
        machine *native = vm_of(m)->native;                                                        \
        return native->table->name args;                                                           \
    }

FORWARD(ops, ebb_status, point_set, (machine *m, const machine_point *point, machine_point_id *id, ebb_error *err), (native, point, id, err))
FORWARD(ops, ebb_status, point_clear, (machine *m, machine_point_id id, ebb_error *err), (native, id, err))
FORWARD(ops, bool, point_is_cheap, (machine *m, machine_point_id id), (native, id))
FORWARD(ops, ebb_status, read, (machine *m, uint32_t space, machine_addr addr, void *bytes, size_t n, ebb_error *err), (native, space, addr, bytes, n, err))
FORWARD(native, const machine_reg *, registers, (machine *m, size_t *n), (native, n))
FORWARD(native, ebb_status, reg_read, (machine *m, machine_tid tid, unsigned reg, void *bytes, ebb_error *err), (native, tid, reg, bytes, err))
FORWARD(native, const machine_module *, modules, (machine *m, size_t *n), (native, n))
FORWARD(native, ebb_status, tls_block, (machine *m, machine_tid tid, const machine_module *module, uint64_t *block, ebb_error *err), (native, tid, module, block, err))
FORWARD(ops, ebb_status, decode, (machine *m, machine_place place, machine_insn *insn, ebb_error *err), (native, place, insn, err))
FORWARD(ops, pid_t, pid, (machine *m), (native))
FORWARD(ops, const char *, program, (machine *m), (native))
FORWARD(native, machine_place, entry, (machine *m), (native))
FORWARD(native, size_t, auxv, (machine *m, void *bytes, size_t most), (native, bytes, most))
FORWARD(ops, ebb_status, kill, (machine *m, ebb_error *err), (native, err))

/* Of a thread that replays: the one of the kernel's that executes it has another. */
static void vm_thread_name(x86_vm *vm, const vm_thread *t, char name[static X86_NAME_BYTES])
{
    memcpy(name, t->name, X86_NAME_BYTES);
    if (t->tcb && machine_read(vm->native, t->tcb + offsetof(x86_tcb, name), name, X86_NAME_BYTES, NULL) != EBB_OK)
        memcpy(name, t->name, X86_NAME_BYTES);
    name[X86_NAME_BYTES - 1] = '\0';
}

/* Parking takes its time: a thread on its last way may still be there, and is not told of. */
static const machine_thread *vm_threads(machine *m, size_t *n)
{
    x86_vm *vm = vm_of(m);
    x86_process *p = x86_of(vm->native);
    vm->native->ops->threads(vm->native, n);
    for (size_t i = p->thread_view.n; i-- > 0;) {
        const x86_task *task = vm_task(vm, p->thread_view.items[i].tid);
        const vm_thread *t = vm_thread_find(vm, p->thread_view.items[i].tid);
        p->thread_view.items[i].number = t ? t->number : 0;
        if (t && vm->replaying)
            vm_thread_name(vm, t, p->thread_view.items[i].name);
        if (((task && task->exits) || (t && t->has_left)) && p->thread_view.n > 1)
            ebb_vec_remove(&p->thread_view, i);
    }
    *n = p->thread_view.n;
    return p->thread_view.items;
}

/* While points are out of the way. */
static ebb_status give_to_kernel(x86_vm *vm, ebb_error *err)
{
    x86_process *p = x86_of(vm->native);
    x86_sites_remove(p);
    p->points_elsewhere = p->watches_elsewhere = true;
    ebb_status status = vm_give_to_kernel(vm, err);
    p->points_elsewhere = p->watches_elsewhere = false;
    return status;
}

static ebb_status resume_natively(x86_vm *vm, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    if (vm->replaying)
        return ebb_fail(err, EBB_UNSUPPORTED, "the past can't be executed in native mode: \"goto end\" first, or \"mode vm\"");
    vm_caught_hide(vm);
    vm_history_gap(vm, "the program went on in native mode");
    if (!vm->is_given)
        EBB_TRY(give_to_kernel(vm, err));
    vm->is_given = true;
    vm->time++; /* which nobody counts meanwhile */
    vm->last = 0;
    EBB_TRY(vm->native->ops->resume(vm->native, request, stop, err));
    if (vm_debuggee_ended(stop) || stop->kind == MACHINE_STOP_EXEC)
        vm_forget_runtime(vm);
    if (vm_debuggee_ended(stop))
        vm_history_note_end(vm, stop);
    return EBB_OK;
}

/* Nothing is broken if all threads are parked. */
static void tell_where(x86_vm *vm, machine_tid thread, machine_stop *stop)
{
    machine_tid tid = vm_task(vm, stop->thread) ? stop->thread : thread;
    uint64_t rip;
    *stop = (machine_stop){0};
    for (size_t i = 0; i < vm->threads.n; i++)
        if (vm->threads.items[i].entered)
            return;
    if (!tid && vm->threads.n)
        tid = vm->threads.items[0].tid;
    if (vm_get(vm, tid, VM_REG(rip), &rip, NULL) == EBB_OK)
        *stop = (machine_stop){.thread = tid, .place = rip};
}

/* An interrupt that came too late for a request is the next one's; but in a copy, the timeline has heard of it, too. */
void vm_forget_interrupt(x86_vm *vm)
{
    if (vm->replaying)
        x86_of(vm->native)->interrupt_wanted = 0;
}

static ebb_status vm_resume(machine *m, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    x86_vm *vm = vm_of(m);
    if (x86_of(vm->native)->core)
        return vm->native->ops->resume(vm->native, request, stop, err);
    ebb_status status = vm->mode == X86_MODE_NATIVE ? resume_natively(vm, request, stop, err) : vm_run(vm, request, stop, err);
    vm_forget_interrupt(vm);
    if (status == EBB_UNSUPPORTED)
        tell_where(vm, request->thread, stop); /* MA6 */
    return status;
}

static ebb_status vm_place_get(machine *m, machine_tid tid, machine_place *place, ebb_error *err)
{
    x86_vm *vm = vm_of(m);
    EBB_TRY(vm->native->ops->place(vm->native, tid, place, err));
    return vm->mode == X86_MODE_VM ? vm_place_of_thread(vm, tid, place, err) : EBB_OK;
}

static void vm_interrupt(machine *m)
{
    vm_of(m)->native->ops->interrupt(vm_of(m)->native);
}

static const machine_ops vm_ops = {
    .name = "x86-vm",
    .capabilities = vm_capabilities,
    .resume = vm_resume,
    .interrupt = vm_interrupt,
    .point_set = vm_point_set,
    .point_clear = vm_point_clear,
    .point_is_cheap = vm_point_is_cheap,
    .point_condition = vm_point_condition,
    .points_ignore = vm_points_ignore,
    .points_passed = vm_points_passed,
    .event_set = vm_event_set,
    .signal_policy = vm_signal_policy,
    .read = vm_read,
    .write = vm_edit_memory,
    .place = vm_place_get,
    .threads = vm_threads,
    .decode = vm_decode,
    .timestamp = vm_timestamp,
    .pid = vm_pid,
    .program = vm_program,
    .kill = vm_kill,
    .detach = vm_detach,
    .free = vm_free,
};

static bool vm_siginfo(machine *m, machine_tid tid, siginfo_t *info)
{
    x86_vm *vm = vm_of(m);
    const vm_thread *t = vm_thread_find(vm, tid);
    if (vm->mode == X86_MODE_NATIVE || !t)
        return vm->native->native->siginfo(vm->native, tid, info);
    *info = t->info;
    return info->si_signo != 0;
}

static bool vm_point_was(machine *m, machine_point_id id, uint64_t *was)
{
    const x86_point *point = x86_point_get(x86_of(vm_of(m)->native), id);
    if (!point || !point->knows_was)
        return false;
    *was = point->was;
    return true;
}

static const machine_native_ops vm_native_ops = {
    .registers = vm_registers,
    .reg_read = vm_reg_read,
    .reg_write = vm_edit_register,
    .modules = vm_modules,
    .tls_block = vm_tls_block,
    .siginfo = vm_siginfo,
    .point_was = vm_point_was,
    .calls_wanted = vm_calls_wanted,
    .entry = vm_entry,
    .auxv = vm_auxv,
    .flow = x86_flow,
    .calls = vm_calls_made,
    .call_before = x86_call_before,
    .sets = x86_sets,
};

machine *x86_vm_new(machine *native)
{
    x86_vm *vm = EBB_NEW(x86_vm);
    vm->base = (machine){.ops = &vm_ops, .native = &vm_native_ops};
    vm->native = native;
    vm->stop_signals = UINT64_MAX;
    machine_call_set_fill(&vm->calls_wanted);
    vm->pass_signals = ~((uint64_t)1 << (SIGINT - 1) | (uint64_t)1 << (SIGTRAP - 1));
    vm->limit = UINT64_MAX;
    const char *slice = getenv("EBB_TURN");
    vm->slice = slice ? strtoull(slice, NULL, 10) : 0;
    vm_turn_begins(vm);
    x86_process *p = x86_of(native);
    vm->pid = p->pid;
    p->layer = vm;
    x86_vm_set_mode(&vm->base, X86_MODE_VM);
    return &vm->base;
}

void x86_vm_set_mode(machine *m, x86_mode mode)
{
    x86_vm *vm = vm_of(m);
    x86_process *p = x86_of(vm->native);
    vm->flush = vm->flush || mode != vm->mode; /* who knows what native execution did to the code */
    vm->mode = mode;
    vm->filters_checked = vm->is_given = false;
    p->points_elsewhere = p->watches_elsewhere = mode == X86_MODE_VM;
    x86_watch_plan(p);
    p->when_stepped = mode == X86_MODE_VM ? vm_when_stepped : NULL;
    p->when_handling = mode == X86_MODE_VM ? vm_when_handling : NULL;
    p->when_signalled = mode == X86_MODE_VM ? vm_when_signalled : NULL;
    p->when_impatient = mode == X86_MODE_VM ? vm_when_impatient : NULL;
    p->when_born = vm_birth_note;
    p->when_exiting = mode == X86_MODE_VM ? vm_ignores_when_exiting : NULL;
    p->when_forked = vm_tree_forked;
    p->when_child_goes = vm_birth_release;
    p->patience_ms = 0;
    if (p->points_elsewhere)
        x86_sites_remove(p);
    tell_native_policy(vm);
}

void x86_vm_set_tuning(machine *m, const char *unit, bool optimize)
{
    x86_vm *vm = vm_of(m);
    vm->tuning.unit = strcmp(unit, "line") == 0 ? X86_UNIT_LINE : strcmp(unit, "proc") == 0 ? X86_UNIT_PROC : X86_UNIT_INSN;
    vm->tuning.unoptimized = !optimize;
}

machine *x86_vm_get_native(machine *m)
{
    return vm_of(m)->native;
}
