/* events.c - takes a status of wait() apart, and notes on the task what is to be told of it. */
#include "x86/events.h"
#include "x86/hand_over.h"
#include "x86/interrupted.h"
#include "x86/modules.h"
#include "x86/points.h"
#include "x86/regs.h"
#include "x86/tasks.h"
#include "x86/watch.h"
#include "base/log.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

machine_stop *x86_event_set(x86_process *p, x86_task *t, machine_stop_kind kind)
{
    t->has_event = true;
    t->by_syscall = false;
    t->event_number = ++p->n_events;
    t->event = (machine_stop){.kind = kind, .thread = t->tid, .place = x86_pc(t)};
    return &t->event;
}

void x86_event_set_points(x86_process *p, x86_task *t, const machine_stop *hits)
{
    machine_stop *stop = x86_event_set(p, t, MACHINE_STOP_POINT);
    memcpy(stop->points, hits->points, sizeof stop->points);
    stop->n_points = hits->n_points;
}

static ebb_status handle_end(x86_process *p, x86_task *t, int status)
{
    x86_stepover_end(p, t);
    /* The leader reports last; if it was gone before we attached, the last thread stands for it. */
    if (t->host != p->pid && p->tasks.n > 1) {
        x86_task_remove(p, t);
        return EBB_OK;
    }
    p->gone = true;
    p->ending = (machine_stop){.thread = p->pid};
    if (WIFEXITED(status)) {
        p->ending.kind = MACHINE_STOP_EXITED;
        p->ending.exit_status = WEXITSTATUS(status);
    } else {
        p->ending.kind = MACHINE_STOP_KILLED;
        p->ending.signal = WTERMSIG(status);
    }
    x86_tasks_keep_only(p, NULL);
    return EBB_OK;
}

static ebb_status handle_clone(x86_process *p, x86_task *t, ebb_error *err)
{
    unsigned long tid = 0;
    if (ptrace(PTRACE_GETEVENTMSG, t->host, 0, &tid) != 0)
        return EBB_OK; /* killed meanwhile */
    uint64_t process = 0;
    if (x86_proc_status((pid_t)tid, "Tgid", 10, &process) && (pid_t)process != p->pid)
        return x86_fork_begin(p, t, false, err);
    if (p->when_born)
        p->when_born(p->layer, t->tid, (pid_t)tid);
    x86_task *child = x86_task_get(p, (pid_t)tid);
    if (!child)
        child = x86_task_add(p, (pid_t)tid);
    t->newborn = child->tid;
    int status;
    if (x86_stray_take(child->tid, &status))
        return x86_event_handle(p, child->tid, status, err);
    return EBB_OK;
}

/* A task stopped because it was asked to, because it is new, or because its process is. */
static ebb_status handle_plain_stop(x86_process *p, x86_task *t, ebb_error *err)
{
    if (t->starting) {
        t->starting = false;
        if (t->host != p->pid && p->wants[MACHINE_EVENT_THREAD_START])
            x86_event_set(p, t, MACHINE_STOP_THREAD_START);
        return EBB_OK;
    }
    x86_mend_interrupted(t);
    if (!x86_trap_is_pending(t))
        return EBB_OK;
    /* XP4: the next thing it does is to report it, unless we interrupt it again.  It belongs to the move
     * that was interrupted. */
    bool stepping = t->stepping;
    ebb_status status = x86_task_resume(p, t, X86_CONT, err);
    t->stepping = stepping;
    t->interrupted = true;
    return status;
}

/* A thread that calls exit() itself, unlike one that dies with its process, comes out of that call. */
static bool ends_by_itself(x86_task *t)
{
    const struct user_regs_struct *r = x86_regs_get(t, NULL);
    return r && r->orig_rax == SYS_exit;
}

static bool request_ends_with(const x86_process *p, const x86_task *t)
{
    return p->request.thread == t->tid && (p->request.only_thread || p->request.move == MACHINE_STEP);
}

/* While one task moves alone, another one that stands still exits only if the whole process was killed: nobody is held
 * any more.  The one that moves may be a leader, dead already, of whom nothing is heard before the others are gone. */
static void release_if_killed(x86_process *p, const x86_task *t)
{
    pid_t alone = p->alone ? p->alone : p->holds_exiting ? (pid_t)p->request.thread : 0;
    if (!alone || alone == t->tid)
        return;
    p->alone = 0;
    p->holds_exiting = false;
}

static void handle_exiting(x86_process *p, x86_task *t)
{
    release_if_killed(p, t);
    if (p->when_exiting)
        p->when_exiting(p->layer);
    bool ends_request = request_ends_with(p, t);
    bool wanted = p->wants[MACHINE_EVENT_THREAD_END] || ends_request;
    bool nobody_else_moves = ends_request && p->holds_exiting;
    t->has_event = false; /* the rest of it can't be told any more */
    if ((wanted && p->tasks.n > 1 && ends_by_itself(t)) || nobody_else_moves)
        x86_event_set(p, t, MACHINE_STOP_THREAD_END);
    t->exits = true;
}

static bool is_birth(int event)
{
    return event == PTRACE_EVENT_CLONE || event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK || event == PTRACE_EVENT_VFORK_DONE;
}

static ebb_status handle_ptrace_event(x86_process *p, x86_task *t, int event, int signal, ebb_error *err)
{
    switch (event) {
    case PTRACE_EVENT_STOP: return handle_plain_stop(p, t, err);
    case PTRACE_EVENT_CLONE: return handle_clone(p, t, err);
    case PTRACE_EVENT_FORK: return x86_fork_begin(p, t, false, err);
    case PTRACE_EVENT_VFORK: return x86_fork_begin(p, t, true, err);
    case PTRACE_EVENT_VFORK_DONE: x86_fork_vfork_done(p); return EBB_OK;
    case PTRACE_EVENT_EXEC: return x86_exec_handle(p, t, err);
    case PTRACE_EVENT_EXIT: handle_exiting(p, t); return EBB_OK;
    default: return EBB_OK;
    }
}

static void look_at_written(x86_process *p, x86_task *t)
{
    machine_stop hits = {0};
    bool is_sure;
    if (!x86_watch_needs_syscalls(p) || !x86_watch_kernel_wrote(p, t, &hits, &is_sure))
        return;
    x86_event_set_points(p, t, &hits);
    t->by_syscall = !is_sure;
}

static void handle_syscall(x86_process *p, x86_task *t)
{
    struct __ptrace_syscall_info info;
    const struct user_regs_struct *r = x86_regs_get(t, NULL);
    if (!r || ptrace(PTRACE_GET_SYSCALL_INFO, t->host, sizeof info, &info) < 0)
        return;
    bool entry = info.op == PTRACE_SYSCALL_INFO_ENTRY;
    t->in_syscall = entry;
    if (!p->wants[MACHINE_EVENT_SYSCALL]) {
        if (entry)
            x86_watch_call_begins(p, t);
        else
            look_at_written(p, t);
        return;
    }
    machine_stop *stop = x86_event_set(p, t, entry ? MACHINE_STOP_SYSCALL_ENTRY : MACHINE_STOP_SYSCALL_RETURN);
    stop->syscall = (long)r->orig_rax;
    stop->syscall_result = entry ? 0 : (long)r->rax;
}

static bool in_mask(uint64_t mask, int signal)
{
    return signal >= 1 && signal <= 64 && (mask >> (signal - 1) & 1);
}

static bool has_address(int signal)
{
    return signal == SIGSEGV || signal == SIGBUS || signal == SIGILL || signal == SIGFPE || signal == SIGTRAP;
}

void x86_signal_handle(x86_process *p, x86_task *t, int signal, const siginfo_t *info)
{
    t->signal = signal;
    t->deliver = in_mask(p->pass_signals, signal) && !p->points_elsewhere ? signal : 0; /* VM mode delivers by steps of its own */
    t->signal_is_quiet = !in_mask(p->stop_signals, signal);
    if (t->injected == signal) { /* the request asked for it: it has been told */
        t->injected = 0;
        t->deliver = signal;
        if (t->injected_info)
            ptrace(PTRACE_SETSIGINFO, t->host, 0, t->injected_info);
        t->injected_info = NULL;
        return;
    }
    if (t->signal_is_quiet)
        return;
    machine_stop *stop = x86_event_set(p, t, MACHINE_STOP_SIGNAL);
    stop->signal = signal;
    stop->signal_code = info->si_code;
    stop->signal_addr = has_address(signal) && info->si_code > 0 ? (machine_addr)info->si_addr : 0;
}

static ebb_status handle_stop(x86_process *p, x86_task *t, int status, ebb_error *err)
{
    int signal = WSTOPSIG(status), event = status >> 16;
    t->state = X86_STOPPED;
    t->interrupted = t->in_syscall = false;
    t->newborn = 0;
    t->in_birth = is_birth(event);
    x86_regs_forget(t);
    x86_stepover_end(p, t);
    if (event != 0)
        return handle_ptrace_event(p, t, event, signal, err);
    if (signal == (SIGTRAP | 0x80)) {
        handle_syscall(p, t);
        return EBB_OK;
    }
    siginfo_t info;
    if (ptrace(PTRACE_GETSIGINFO, t->host, 0, &info) != 0)
        return EBB_OK; /* killed meanwhile: its end is on its way */
    if (signal == SIGTRAP)
        return x86_trap_handle(p, t, &info, err);
    if (p->when_signalled && p->when_signalled(p->layer, t->tid, signal))
        return EBB_OK;
    x86_mend_interrupted(t);
    x86_mend_failed_step(t);
    x86_signal_handle(p, t, signal, &info);
    return EBB_OK;
}

/* A new thread or process may be heard of before the one that made it.  If it is killed at once, with its maker, that one
 * will never tell: nobody else lets it go. */
static void handle_unknown(pid_t tid, int status)
{
    int before;
    if (!WIFSTOPPED(status) || status >> 16 == PTRACE_EVENT_EXIT)
        while (x86_stray_take(tid, &before))
            ;
    if (!WIFSTOPPED(status)) {
        x86_heir_ended(tid, status);
        return;
    }
    if (status >> 16 == PTRACE_EVENT_EXIT)
        ptrace(PTRACE_CONT, tid, 0, 0);
    else
        x86_stray_keep(tid, status);
}

ebb_status x86_event_handle(x86_process *p, pid_t tid, int status, ebb_error *err)
{
    x86_task *t = x86_task_by_host(p, tid);
    if (!t) {
        handle_unknown(tid, status);
        return EBB_OK;
    }
    if (!WIFSTOPPED(status))
        return handle_end(p, t, status);
    return handle_stop(p, t, status, err);
}
