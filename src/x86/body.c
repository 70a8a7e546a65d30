/* body.c - makes copies of the debuggee's process, and puts them in its place. */
#include "x86/body.h"
#include "x86/memory.h"
#include "x86/regs.h"
#include "x86/tasks.h"
#include "base/log.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- exchanging ------------------------------------------------------------------------------- */

#define EXCHANGE(a, b)                                                                             \
    do {                                                                                           \
        __typeof__(a) was_ = (a);                                                                  \
        (a) = (b);                                                                                 \
        (b) = was_;                                                                                \
    } while (0)

void x86_body_exchange(x86_process *p, x86_body *body)
{
    EXCHANGE(p->pid, body->pid);
    EXCHANGE(p->launched, body->launched);
    EXCHANGE(p->is_copy, body->is_copy);
    EXCHANGE(p->gone, body->gone);
    EXCHANGE(p->ending, body->ending);
    EXCHANGE(p->tasks, body->tasks);
    EXCHANGE(p->mem, body->mem);
    p->alone = 0;
    p->fork.phase = X86_FORK_NONE;
}

/* ---- a system call of a thread that stands still ---------------------------------------------- */

static bool wait_for_stop(pid_t tid, int *status)
{
    while (waitpid(tid, status, __WALL) < 0)
        if (errno != EINTR)
            return false;
    return WIFSTOPPED(*status);
}

/* Signals that are sent to the program meanwhile wait, but for those that the CPU makes. */
static bool hold_signals(pid_t tid, uint64_t *was)
{
    uint64_t all = UINT64_MAX & ~((uint64_t)1 << (SIGTRAP - 1));
    return ptrace(PTRACE_GETSIGMASK, tid, sizeof *was, was) == 0 && ptrace(PTRACE_SETSIGMASK, tid, sizeof all, &all) == 0;
}

/* Lets the thread execute one instruction, the call.  *child: the process or thread that it made; 0: none. */
static bool step_call(pid_t tid, pid_t *child)
{
    int status;
    *child = 0;
    for (;;) {
        if (ptrace(PTRACE_SINGLESTEP, tid, 0, 0) != 0 || !wait_for_stop(tid, &status))
            return false;
        int event = status >> 16;
        unsigned long made;
        if (event == 0 && WSTOPSIG(status) == SIGTRAP)
            return true;
        if ((event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_CLONE) && ptrace(PTRACE_GETEVENTMSG, tid, 0, &made) == 0)
            *child = (pid_t)made;
        if (event == PTRACE_EVENT_EXIT)
            return false;
    }
}

static ebb_status set_regs(pid_t tid, struct user_regs_struct *r, ebb_error *err)
{
    struct iovec io = {r, sizeof *r};
    return ptrace(PTRACE_SETREGSET, tid, 1 /* NT_PRSTATUS */, &io) == 0 ? EBB_OK : x86_ptrace_fail(err, "write the registers");
}

static ebb_status make_call(x86_task *t, struct user_regs_struct *r, pid_t *child, uint64_t *result, ebb_error *err)
{
    struct iovec io = {r, sizeof *r};
    EBB_TRY(set_regs(t->host, r, err));
    if (!step_call(t->host, child) || ptrace(PTRACE_GETREGSET, t->host, 1 /* NT_PRSTATUS */, &io) != 0)
        return ebb_fail(err, EBB_GONE, "The program was killed.");
    *result = r->rax;
    return EBB_OK;
}

static ebb_status call_and_return(x86_task *t, uint64_t insn, const uint64_t args[7], pid_t *child, uint64_t *result, ebb_error *err)
{
    uint64_t mask;
    if (!x86_regs_get(t, err))
        return EBB_GONE;
    EBB_TRY(x86_regs_flush(t, err));
    struct user_regs_struct saved = t->regs, r = saved;
    r.rip = insn;
    r.orig_rax = (uint64_t)-1; /* no call is to be made again */
    r.rax = args[0];
    r.rdi = args[1], r.rsi = args[2], r.rdx = args[3], r.r10 = args[4], r.r8 = args[5], r.r9 = args[6];
    bool held = hold_signals(t->host, &mask);
    ebb_status status = make_call(t, &r, child, result, err);
    if (held)
        ptrace(PTRACE_SETSIGMASK, t->host, sizeof mask, &mask);
    EBB_TRY(status);
    return set_regs(t->host, &saved, err);
}

ebb_status x86_body_syscall(x86_task *t, uint64_t insn, long number, const uint64_t args[6], uint64_t *result, ebb_error *err)
{
    pid_t child;
    uint64_t all[7] = {(uint64_t)number, args[0], args[1], args[2], args[3], args[4], args[5]};
    return call_and_return(t, insn, all, &child, result, err);
}

/* ---- forking ---------------------------------------------------------------------------------- */

static ebb_status copy_task(x86_task *t, const x86_task *by, pid_t child, x86_body *out, ebb_error *err)
{
    EBB_TRY(x86_regs_fetch_all(t, err));
    x86_task *copy = EBB_NEW(x86_task);
    *copy = (x86_task){.tid = t->tid, .state = X86_STOPPED, .regs = t->regs, .regs_valid = true, .xstate_valid = true};
    copy->host = t == by ? child : 0;
    copy->skip = t->skip;
    copy->skip_after_handler = t->skip_after_handler;
    copy->skip_pc = t->skip_pc;
    copy->skip_sp = t->skip_sp;
    copy->regs_dirty = copy->xstate_dirty = true;
    copy->xstate = ebb_alloc(X86_XSTATE_MAX);
    memcpy(copy->xstate, t->xstate, X86_XSTATE_MAX);
    ebb_vec_push(&out->tasks, copy);
    return EBB_OK;
}

static ebb_status copy_tasks(x86_process *p, const x86_task *by, pid_t child, x86_body *out, ebb_error *err)
{
    for (size_t i = 0; i < p->tasks.n; i++)
        if (p->tasks.items[i]->state == X86_STOPPED && !p->tasks.items[i]->exits)
            EBB_TRY(copy_task(p->tasks.items[i], by, child, out, err));
    return EBB_OK;
}

/* BY2.  Whoever reads from a pipe that the program writes to would never see its end. */
static ebb_status close_descriptors(x86_body *body, uint64_t insn, ebb_error *err)
{
    uint64_t ignored, args[6] = {0, UINT32_MAX, 0};
    for (size_t i = 0; i < body->tasks.n; i++)
        if (body->tasks.items[i]->host)
            return x86_body_syscall(body->tasks.items[i], insn, SYS_close_range, args, &ignored, err);
    return EBB_OK;
}

ebb_status x86_body_fork(x86_process *p, x86_task *by, uint64_t insn, x86_body *out, ebb_error *err)
{
    int status;
    pid_t child;
    uint64_t result, args[7] = {SYS_clone, CLONE_PARENT | SIGCHLD};
    *out = (x86_body){.mem = -1};
    EBB_TRY(call_and_return(by, insn, args, &child, &result, err));
    if (!child || (int64_t)result < 0)
        return ebb_fail(err, EBB_SYSTEM, "can't make a copy of the program: %s", strerror((int64_t)result < 0 ? -(int)result : ECHILD));
    bool stopped = x86_stray_take(child, &status) || wait_for_stop(child, &status);
    out->pid = child;
    out->launched = out->is_copy = true;
    out->mem = x86_memory_open_of(child);
    ebb_log("copy %d of %d", (int)child, (int)p->pid);
    ebb_status made = stopped && out->mem >= 0 ? copy_tasks(p, by, child, out, err)
                                               : ebb_fail(err, EBB_SYSTEM, "the copy of the program that was just made is gone");
    if (made == EBB_OK)
        made = close_descriptors(out, insn, err);
    if (made != EBB_OK)
        x86_body_end(out);
    return made;
}

ebb_status x86_body_thread(x86_task *by, uint64_t insn, x86_task *t, ebb_error *err)
{
    int status;
    pid_t made;
    uint64_t result, args[7] = {SYS_clone, CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM};
    EBB_TRY(call_and_return(by, insn, args, &made, &result, err));
    if (!made || (!x86_stray_take(made, &status) && !wait_for_stop(made, &status)))
        return ebb_fail(err, EBB_SYSTEM, "can't make a thread of the program again: %s", strerror((int64_t)result < 0 ? -(int)result : ECHILD));
    t->host = made;
    t->regs_dirty = t->xstate_dirty = true;
    return EBB_OK;
}

/* ---- looking and ending ----------------------------------------------------------------------- */

bool x86_body_is_alive(const x86_body *body)
{
    char state = x86_proc_state(body->pid);
    return !body->gone && state != 0 && state != 'Z' && state != 'X';
}

uint64_t x86_body_private_nbytes(const x86_body *body)
{
    char path[64], line[256];
    uint64_t kilobytes = 0, n;
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)body->pid);
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "Private_Clean: %lu", &n) == 1 || sscanf(line, "Private_Dirty: %lu", &n) == 1)
            kilobytes += n;
    if (file)
        fclose(file);
    return kilobytes << 10;
}

static void reap(pid_t pid)
{
    int status;
    for (;;) {
        pid_t got = waitpid(pid, &status, __WALL);
        if ((got < 0 && errno != EINTR) || (got == pid && !WIFSTOPPED(status)))
            return;
        if (got == pid)
            ptrace(PTRACE_CONT, pid, 0, 0); /* its last stop */
    }
}

/* A leader can be waited for when its other threads were. */
static void kill_all(const x86_body *body)
{
    kill(body->pid, SIGKILL);
    for (size_t i = 0; i < body->tasks.n; i++)
        if (body->tasks.items[i]->host && body->tasks.items[i]->host != body->pid)
            reap(body->tasks.items[i]->host);
    reap(body->pid);
}

void x86_body_end(x86_body *body)
{
    if (body->pid > 0 && !body->gone)
        kill_all(body);
    for (size_t i = 0; i < body->tasks.n; i++)
        x86_task_free(body->tasks.items[i]);
    ebb_vec_fini(&body->tasks);
    if (body->mem >= 0)
        close(body->mem);
    *body = (x86_body){.mem = -1, .gone = true};
}
