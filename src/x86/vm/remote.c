/* remote.c - making a thread do things for us, alone, while the others stand still. */
#include "base/log.h"
#include "x86/points.h"
#include "x86/vm/private.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <time.h>

enum {
    LOOK_EVERY_MS = 100,
    ALONE_MS = 10000,      /* far more than anything that we make a thread do takes */
    INTERRUPTED_MS = 2000, /* what is left of it after an interrupt */
};

uint64_t vm_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static bool is_pending(const x86_vm *vm, machine_stop_kind kind)
{
    for (size_t i = 0; i < vm->pending.n; i++)
        if (vm->pending.items[i].kind == kind)
            return true;
    return false;
}

/* A thread that can't go on will find that out again, except for what it has done already. */
static void take_stuck(x86_vm *vm, const vm_thread *t)
{
    x86_tcb tcb;
    machine_stop hit;
    if (vm_read_tcb(vm, t, &tcb, NULL) != EBB_OK)
        return;
    if (tcb.stuck == X86_STUCK_WATCH && vm_watch_changes(vm, t->tid, &tcb, &hit))
        ebb_vec_push(&vm->pending, hit);
    if (tcb.stuck == X86_STUCK_DENIED && vm_poke_u64(vm, t->tcb + offsetof(x86_tcb, target), tcb.target - 2, NULL) != EBB_OK)
        ebb_log("thread %lld is gone", (long long)t->tid);
}

/* What a trap of translated code means to the guest: false if it is nothing to be told. */
static bool name_trap(x86_vm *vm, const vm_thread *t, machine_stop *stop)
{
    vm_place place;
    if (vm_is_stuck(vm, stop)) {
        take_stuck(vm, t);
        return false;
    }
    if (vm_place_of(vm, t, stop->place, &place, NULL) == EBB_OK && place.kind == VM_PLACE_POINT)
        stop->kind = MACHINE_STOP_POINT;
    return true;
}

void vm_keep_stop(x86_vm *vm, const machine_stop *what)
{
    machine_stop stop = *what;
    vm_thread *t = vm_thread_find(vm, stop.thread);
    if (!t || !t->entered || stop.kind != MACHINE_STOP_TRAP || name_trap(vm, t, &stop))
        ebb_vec_push(&vm->pending, stop);
}

/* Something else happened (true): it is kept, and told when the debuggee is resumed for the user. */
static bool keep_for_later(x86_vm *vm, machine_tid tid, const machine_stop *stop)
{
    bool ours = stop->thread == tid && (stop->kind == MACHINE_STOP_STEP || stop->kind == MACHINE_STOP_TRAP);
    bool known = stop->kind == MACHINE_STOP_INTERRUPTED && is_pending(vm, stop->kind);
    if (!ours && !known)
        vm_keep_stop(vm, stop);
    return !ours;
}

/* A thread that writes down what a huge mapping has in it waits for the scribe again and again, which packs it. */
static bool is_writing_down(x86_vm *vm)
{
    uint64_t before = vm->alone_written;
    vm->alone_written = vm->recording.ring ? vm->recording.ring->written : 0;
    return vm->alone_written != before;
}

bool vm_alone_is_over(x86_vm *vm)
{
    uint64_t now = vm_now_ms();
    if (vm->alone_until && is_writing_down(vm) && vm->alone_until < now + ALONE_MS)
        vm->alone_until = now + ALONE_MS;
    return vm->alone_until && now >= vm->alone_until;
}

static void hurry(x86_vm *vm)
{
    uint64_t until = vm_now_ms() + INTERRUPTED_MS;
    if (until < vm->alone_until)
        vm->alone_until = until;
}

/* What a thread is made to do does not end it: it is killed, and its process with it. */
static bool is_killed(x86_vm *vm, machine_tid tid)
{
    const x86_task *task = vm_task(vm, tid);
    return !task || task->exits;
}

/* What a thread does for us may bring it to an address at which there is a point: that means nothing. */
static void pass_by_points(x86_vm *vm, const machine_request *request, machine_stop *stop)
{
    if (stop->kind != MACHINE_STOP_POINT || stop->thread != request->thread)
        return;
    for (size_t i = 0; i < stop->n_points; i++) {
        const x86_point *point = x86_point_get(x86_of(vm->native), stop->points[i]);
        if (point && point->what.kind != MACHINE_POINT_EXEC)
            return;
    }
    stop->kind = MACHINE_STOP_STEP;
    stop->n_points = 0;
}

static ebb_status move_once(x86_vm *vm, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    if (!is_killed(vm, request->thread))
        EBB_TRY(vm->native->ops->resume(vm->native, request, stop, err));
    if (is_killed(vm, request->thread))
        return ebb_fail(err, EBB_GONE, "The program was killed.");
    pass_by_points(vm, request, stop);
    if (stop->kind != MACHINE_STOP_INTERRUPTED)
        return EBB_OK;
    if (vm_alone_is_over(vm))
        return ebb_fail(err, EBB_SYSTEM, "Thread %d does not come to rest in VM mode's own code.", (int)request->thread);
    hurry(vm);
    return EBB_OK;
}

/* ---- signals wait meanwhile ------------------------------------------------------------------- */

/* Those that the CPU itself makes can't: the kernel would take their handlers away. */
uint64_t vm_held_signals(void)
{
    static const int never[] = {SIGTRAP, SIGSEGV, SIGBUS, SIGILL, SIGFPE};
    uint64_t held = UINT64_MAX;
    for (size_t i = 0; i < sizeof never / sizeof never[0]; i++)
        held &= ~((uint64_t)1 << (never[i] - 1));
    return held;
}

/* The kernel leaves these out of every mask. */
#define UNBLOCKABLE ((uint64_t)1 << (SIGKILL - 1) | (uint64_t)1 << (SIGSTOP - 1))

bool vm_hold_signals(x86_vm *vm, machine_tid id, uint64_t *was)
{
    pid_t tid = vm_host_of(vm, id);
    uint64_t held = vm_held_signals();
    return ptrace(PTRACE_GETSIGMASK, tid, sizeof *was, was) == 0 && ptrace(PTRACE_SETSIGMASK, tid, sizeof held, &held) == 0;
}

/* Unless the thread has a new mask: it came out of a signal handler. */
void vm_release_signals(x86_vm *vm, machine_tid id, uint64_t was)
{
    pid_t tid = vm_host_of(vm, id);
    uint64_t now;
    if (ptrace(PTRACE_GETSIGMASK, tid, sizeof now, &now) == 0 && now == (vm_held_signals() & ~UNBLOCKABLE))
        ptrace(PTRACE_SETSIGMASK, tid, sizeof was, &was);
}

ebb_status vm_move_alone(x86_vm *vm, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    x86_process *p = x86_of(vm->native);
    machine_request r = *request;
    r.only_thread = true;
    vm->alone_until = vm_now_ms() + ALONE_MS;
    p->patience_ms = LOOK_EVERY_MS;
    p->holds_exiting = p->steps_are_not_the_programs = true;
    bool wants_calls = p->wants[MACHINE_EVENT_SYSCALL];
    p->wants[MACHINE_EVENT_SYSCALL] = false; /* these are not the program's */
    uint64_t mask;
    bool held = vm_hold_signals(vm, r.thread, &mask);
    ebb_status status;
    do
        status = move_once(vm, &r, stop, err);
    while (status == EBB_OK && keep_for_later(vm, r.thread, stop));
    if (held)
        vm_release_signals(vm, r.thread, mask);
    vm->alone_until = 0;
    p->patience_ms = 0;
    p->holds_exiting = p->steps_are_not_the_programs = false;
    p->wants[MACHINE_EVENT_SYSCALL] = wants_calls;
    return status;
}

/* What the thread is about to pass stays so, whatever it does for us meanwhile (MA4). */
typedef struct skipping {
    bool skip, after_handler;
    uint64_t pc, sp;
} skipping;

static skipping keep_skip(x86_vm *vm, machine_tid tid)
{
    const x86_task *t = vm_task(vm, tid);
    return (skipping){t->skip, t->skip_after_handler, t->skip_pc, t->skip_sp};
}

static void bring_skip(x86_vm *vm, machine_tid tid, const skipping *kept)
{
    x86_task *t = vm_task(vm, tid);
    if (!t)
        return;
    t->skip = kept->skip;
    t->skip_after_handler = kept->after_handler;
    t->skip_pc = kept->pc;
    t->skip_sp = kept->sp;
}

/* A step that begins inside a call ends where the call does. */
ebb_status vm_leave_birth(x86_vm *vm, machine_tid tid, ebb_error *err)
{
    machine_stop stop;
    skipping skip = keep_skip(vm, tid);
    EBB_TRY(vm_move_alone(vm, &(machine_request){.move = MACHINE_STEP, .thread = tid}, &stop, err));
    bring_skip(vm, tid, &skip);
    return EBB_OK;
}

/* The registers with which it asks the kernel for that. */
static struct user_regs_struct asking(const struct user_regs_struct *saved, long number, const uint64_t args[6])
{
    struct user_regs_struct r = *saved;
    r.rax = (uint64_t)number;
    r.orig_rax = (uint64_t)-1; /* no system call is to be restarted */
    r.rdi = args[0], r.rsi = args[1], r.rdx = args[2], r.r10 = args[3], r.r8 = args[4], r.r9 = args[5];
    return r;
}

static ebb_status syscall_at_rip(x86_vm *vm, machine_tid tid, const struct user_regs_struct *r, uint64_t *result, ebb_error *err)
{
    EBB_TRY(vm_set_regs(vm, tid, r, err));
    machine_request step = {.move = MACHINE_STEP, .thread = tid};
    machine_stop stop;
    EBB_TRY(vm_move_alone(vm, &step, &stop, err));
    return vm_get(vm, tid, VM_REG(rax), result, err);
}

ebb_status vm_remote_syscall(x86_vm *vm, machine_tid tid, long number, const uint64_t args[6], uint64_t *result, ebb_error *err)
{
    static const uint8_t syscall_insn[2] = {0x0f, 0x05};
    uint8_t old[2];
    struct user_regs_struct *now, saved, r;
    EBB_TRY(vm_regs(vm, tid, &now, err));
    saved = *now;
    r = asking(&saved, number, args);
    skipping skip = keep_skip(vm, tid);
    EBB_TRY(machine_read(vm->native, saved.rip, old, sizeof old, err));
    EBB_TRY(machine_write(vm->native, saved.rip, syscall_insn, sizeof syscall_insn, err));
    ebb_status status = syscall_at_rip(vm, tid, &r, result, err);
    bring_skip(vm, tid, &skip);
    EBB_TRY(machine_write(vm->native, saved.rip, old, sizeof old, err));
    EBB_TRY(vm_set_regs(vm, tid, &saved, err));
    return status;
}

ebb_status vm_remote_call(x86_vm *vm, machine_tid tid, const vm_call *call, uint64_t *result, ebb_error *err)
{
    struct user_regs_struct *now, saved, r;
    EBB_TRY(vm_regs(vm, tid, &now, err));
    r = saved = *now;
    skipping skip = keep_skip(vm, tid);
    r.rdi = call->args[0], r.rsi = call->args[1];
    r.rsp = (call->stack & ~(uint64_t)15) - 8;
    r.rip = call->function;
    r.orig_rax = (uint64_t)-1;
    EBB_TRY(vm_poke_u64(vm, r.rsp, vm->exports.trap, err));
    EBB_TRY(vm_set_regs(vm, tid, &r, err));
    machine_request run = {.move = MACHINE_RUN, .thread = tid};
    machine_stop stop;
    EBB_TRY(vm_move_alone(vm, &run, &stop, err));
    bring_skip(vm, tid, &skip);
    EBB_TRY(vm_get(vm, tid, VM_REG(rax), result, err));
    return vm_set_regs(vm, tid, &saved, err);
}
