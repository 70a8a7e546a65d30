/* fork.c - the debuggee makes another process, or becomes another program.
 *
 * Staying with the parent: the child of a fork has a copy of the memory, our int3 with it; they are
 * taken out of the copy and the child is let go, as is a stop that the program set itself (counter.h).  The child of a vfork uses the parent's memory until it
 * calls exec or exits: meanwhile there is no int3 in it, and the parent's other threads, which could
 * miss a point now, are held.
 *
 * Following the child: the parent is let go instead, free of points.
 *
 * Following both: the layer above hands the child over to an ebb of its own (hand_over.h), that of a fork at once, that of a vfork when every
 * other task stands still, since it uses their memory. */
#include "x86/counter.h"
#include "x86/elfcheck.h"
#include "x86/events.h"
#include "x86/hand_over.h"
#include "x86/memory.h"
#include "x86/modules.h"
#include "x86/points.h"
#include "x86/regs.h"
#include "x86/tasks.h"
#include "x86/watch.h"
#include "base/log.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the layer above has to do for it first. */
static void prepare_child(x86_process *p, pid_t child)
{
    if (p->when_child_goes)
        p->when_child_goes(p->layer, p->fork.parent, child);
}

static void let_child_go(x86_process *p, pid_t child)
{
    prepare_child(p, child);
    int mem = x86_memory_open_of(child);
    if (mem >= 0) {
        x86_sites_remove_from(p, mem);
        close(mem);
    }
    x86_counter_free_child(p, child);
    ptrace(PTRACE_DETACH, child, 0, 0);
}

static void tell_fork(x86_process *p, x86_task *t, const x86_fork *fork)
{
    machine_stop *stop = x86_event_set(p, t, MACHINE_STOP_FORKED);
    stop->child = fork->child;
    stop->vfork = fork->vfork;
}

/* The child goes on without us, or with an ebb of its own. */
static ebb_status part_with_child(x86_process *p, ebb_error *err)
{
    if (p->follow == X86_FOLLOW_BOTH)
        return p->when_forked(p->layer, err);
    x86_fork_release(p);
    return EBB_OK;
}

/* While another thread's vfork is under way, perhaps. */
static ebb_status part_at_once(x86_process *p, x86_fork fork, ebb_error *err)
{
    x86_fork before = p->fork;
    p->fork = fork;
    ebb_status status = part_with_child(p, err);
    p->fork = before;
    return status;
}

/* A process that goes on in its parent's memory: in VM mode there is one runtime in it, which serves the parent.  It is never followed then. */
static bool shares_memory(x86_task *t)
{
    const struct user_regs_struct *r = x86_regs_get(t, NULL);
    return r && r->orig_rax == SYS_clone && (r->rdi & CLONE_VM);
}

ebb_status x86_fork_begin(x86_process *p, x86_task *t, bool vfork, ebb_error *err)
{
    unsigned long child = 0;
    if (ptrace(PTRACE_GETEVENTMSG, t->host, 0, &child) != 0 || !x86_wait_for_birth((pid_t)child))
        return EBB_OK; /* killed meanwhile */
    if (p->when_born)
        p->when_born(p->layer, t->tid, (pid_t)child);
    if (!vfork && p->points_elsewhere && p->follow != X86_FOLLOW_PARENT && shares_memory(t)) {
        p->fork.parent = t->tid;
        let_child_go(p, (pid_t)child);
        return EBB_OK;
    }
    ebb_log("%d: %s makes %lu", (int)t->tid, vfork ? "vfork" : "fork", child);
    x86_fork fork = {X86_FORK_NONE, t->tid, (pid_t)child, vfork};
    if (p->wants[MACHINE_EVENT_FORK] && p->follow != X86_FOLLOW_BOTH)
        tell_fork(p, t, &fork);
    if (p->follow == X86_FOLLOW_CHILD) {
        p->fork = fork;
        p->fork.phase = X86_FORK_WAITS_FOR_QUIET;
    } else if (vfork) {
        ebb_vec_push(&p->vforks, fork);
    } else {
        return part_at_once(p, fork, err);
    }
    return EBB_OK;
}

x86_task *x86_fork_become(x86_process *p, pid_t child)
{
    x86_tasks_keep_only(p, NULL);
    x86_task *t = x86_task_add(p, child);
    t->state = X86_STOPPED;
    t->starting = false;
    p->pid = child;
    p->request.thread = child;
    return t;
}

/* A fork's child has our int3 in its memory already. */
ebb_status x86_fork_follow(x86_process *p, ebb_error *err)
{
    x86_fork fork = p->fork;
    p->fork.phase = X86_FORK_NONE;
    machine_stop told = {0};
    x86_task *parent = x86_task_get(p, fork.parent);
    bool tell = parent && parent->has_event && parent->event.kind == MACHINE_STOP_FORKED;
    if (tell)
        told = parent->event;
    EBB_VEC(x86_site) kept = {0};
    for (size_t i = 0; i < p->sites.n; i++)
        ebb_vec_push(&kept, p->sites.items[i]);
    x86_sites_remove(p);
    x86_tasks_detach(p);
    if (!fork.vfork) /* its copy still has them */
        for (size_t i = 0; i < kept.n; i++)
            p->sites.items[i].inserted = kept.items[i].inserted;
    ebb_vec_fini(&kept);
    p->points_lifted = fork.vfork;

    x86_task *t = x86_fork_become(p, fork.child);
    if (tell) {
        machine_stop *stop = x86_event_set(p, t, MACHINE_STOP_FORKED);
        stop->child = told.child;
        stop->vfork = told.vfork;
    }
    return x86_memory_open(p, err);
}

bool x86_fork_wants_quiet(const x86_process *p)
{
    return p->fork.phase == X86_FORK_WAITS_FOR_QUIET || (p->vforks.n > 0 && p->fork.phase != X86_FORK_VFORK_RUNS);
}

ebb_status x86_fork_when_quiet(x86_process *p, ebb_error *err)
{
    if (p->vforks.n) {
        p->fork = p->vforks.items[0];
        ebb_vec_remove(&p->vforks, 0);
        return part_with_child(p, err);
    }
    if (p->follow == X86_FOLLOW_CHILD && p->parts_itself && p->wants[MACHINE_EVENT_FORK]) {
        p->fork.phase = X86_FORK_HELD;
        return EBB_OK;
    }
    return x86_fork_follow(p, err);
}

void x86_fork_left(x86_process *p)
{
    p->fork.phase = X86_FORK_NONE;
    if (!p->fork.vfork)
        return;
    x86_sites_remove(p);
    p->points_lifted = true;
    p->fork.phase = X86_FORK_VFORK_RUNS;
}

void x86_fork_release(x86_process *p)
{
    x86_fork_left(p);
    if (p->fork.vfork) {
        prepare_child(p, p->fork.child);
        x86_counter_lend(p, p->fork.parent);
        ptrace(PTRACE_DETACH, p->fork.child, 0, 0);
    } else {
        let_child_go(p, p->fork.child);
    }
}

void x86_fork_vfork_done(x86_process *p)
{
    if (p->fork.phase != X86_FORK_VFORK_RUNS)
        return;
    p->fork.phase = X86_FORK_NONE;
    p->points_lifted = false;
    x86_counter_take_back(p);
    x86_sites_insert(p);
}

/* Every other thread is gone, and whichever called exec has the leader's number now. */
bool x86_leave_exec(pid_t tid)
{
    int status;
    if (ptrace(PTRACE_SINGLESTEP, tid, 0, 0) != 0)
        return false;
    while (waitpid(tid, &status, __WALL) < 0)
        if (errno != EINTR)
            return false;
    return WIFSTOPPED(status);
}

/* One process of many: the others need it. */
static ebb_status let_go(x86_process *p, x86_task *t, ebb_error *err)
{
    ebb_error why = *err;
    x86_let_go(p, t->host);
    return ebb_fail(err, EBB_UNSUPPORTED, "process %d goes on unrecorded: %s", (int)p->pid, why.text);
}

ebb_status x86_exec_handle(x86_process *p, x86_task *t, ebb_error *err)
{
    unsigned long by = 0;
    p->executed_by = ptrace(PTRACE_GETEVENTMSG, t->host, 0, &by) == 0 ? (pid_t)by : t->tid;
    ebb_log("%d: exec by %d", (int)t->tid, (int)p->executed_by);
    if (!x86_leave_exec(t->host))
        return ebb_fail(err, EBB_GONE, "The program died as it executed another one.");
    x86_tasks_keep_only(p, t);
    uint8_t *xstate = t->xstate;
    *t = (x86_task){.tid = t->tid, .host = t->host, .state = X86_STOPPED, .xstate = xstate};
    p->alone = 0;
    p->fork.phase = X86_FORK_NONE;
    x86_points_drop(p);
    char exe[64];
    snprintf(exe, sizeof exe, "/proc/%d/exe", (int)p->pid);
    ebb_status status = x86_elf_check(exe, "the program that this one became", err);
    if (status != EBB_OK && p->follow == X86_FOLLOW_BOTH)
        return let_go(p, t, err);
    if (status == EBB_OK)
        status = x86_memory_open(p, err);
    if (status == EBB_OK)
        status = x86_modules_begin(p, err);
    x86_event_set(p, t, MACHINE_STOP_EXEC);
    return status;
}
