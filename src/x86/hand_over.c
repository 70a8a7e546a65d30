/* hand_over.c - one ebb becomes two, and the child of the debuggee goes from the old one to the new one. */
#include "x86/hand_over.h"
#include "base/log.h"
#include "x86/events.h"
#include "x86/memory.h"
#include "x86/tasks.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- heirs ------------------------------------------------------------------------------------ */

typedef struct heir {
    pid_t ebb, debuggee;
} heir;

/* All processes of ebb share it, as they share waitpid(-1). */
static EBB_VEC(heir) heirs;

void x86_heir_ended(pid_t pid, int status)
{
    for (size_t i = 0; i < heirs.n; i++) {
        if (heirs.items[i].ebb != pid)
            continue;
        if (WIFSIGNALED(status))
            kill(heirs.items[i].debuggee, SIGKILL); /* HO3 */
        ebb_vec_remove(&heirs, i);
        return;
    }
}

void x86_heirs_wait(bool (*is_over)(void))
{
    while (heirs.n) {
        int status;
        for (size_t i = 0; is_over() && i < heirs.n; i++)
            kill(heirs.items[i].ebb, SIGTERM);
        pid_t pid = heirs.items[0].ebb;
        if (waitpid(pid, &status, 0) == pid)
            x86_heir_ended(pid, status);
        else if (errno != EINTR)
            ebb_vec_remove(&heirs, 0); /* somebody else has waited for it */
    }
}

/* ---- one that can't be debugged any more -------------------------------------------------------- */

static pid_t pid_let_go;

void x86_let_go(x86_process *p, pid_t tid)
{
    ptrace(PTRACE_DETACH, tid, 0, 0);
    p->let_go = p->gone = true;
    pid_let_go = p->pid;
    x86_tasks_keep_only(p, NULL);
}

pid_t x86_let_go_pid(void)
{
    return pid_let_go;
}

/* ---- the child -------------------------------------------------------------------------------- */

/* What it is put back to. */
typedef struct birth {
    struct user_regs_struct regs;
    uint64_t mask;
} birth;

static bool look_at_birth(pid_t child, birth *b)
{
    return ptrace(PTRACE_GETREGS, child, 0, &b->regs) == 0 && ptrace(PTRACE_GETSIGMASK, child, sizeof b->mask, &b->mask) == 0;
}

static bool let_wait(pid_t child, const birth *b, uint64_t await)
{
    struct user_regs_struct r = b->regs;
    uint64_t all = UINT64_MAX;
    r.rip = await;
    r.orig_rax = (uint64_t)-1;
    return ptrace(PTRACE_SETSIGMASK, child, sizeof all, &all) == 0 && ptrace(PTRACE_SETREGS, child, 0, &r) == 0 &&
           ptrace(PTRACE_DETACH, child, 0, 0) == 0;
}

/* A thread that runs in the same memory for good: nobody can record that. */
static bool shares_memory(const x86_fork *fork)
{
    return !fork->vfork && syscall(SYS_kcmp, fork->parent, fork->child, KCMP_VM, 0, 0) == 0;
}

/* ---- the new ebb ------------------------------------------------------------------------------ */

static int done_fd = -1; /* the old ebb waits for its end */

void x86_hand_over_done(void)
{
    if (done_fd >= 0)
        close(done_fd);
    done_fd = -1;
}

/* Where only some may trace, the child has to say first that we may. */
static bool seize(pid_t child, long options)
{
    enum { TRIES = 2000 };
    for (int i = 0; i < TRIES; i++) {
        if (ptrace(PTRACE_SEIZE, child, 0, options) == 0)
            return true;
        if (errno != EPERM)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return false;
}

static bool take(pid_t child, long options, const birth *b)
{
    int status;
    if (!seize(child, options) || ptrace(PTRACE_INTERRUPT, child, 0, 0) != 0)
        return false;
    while (waitpid(child, &status, __WALL) < 0)
        if (errno != EINTR)
            return false;
    if (!WIFSTOPPED(status) || status >> 16 == PTRACE_EVENT_EXIT)
        return false;
    return ptrace(PTRACE_SETREGS, child, 0, &b->regs) == 0 && ptrace(PTRACE_SETSIGMASK, child, sizeof b->mask, &b->mask) == 0;
}

/* What the new ebb finds of the child. */
static birth born;

ebb_status x86_hand_over_take(x86_process *p, ebb_error *err)
{
    x86_fork fork = p->fork;
    heirs.n = 0;
    p->tracer = gettid();
    p->terminal = (machine_terminal){0};
    p->fork.phase = X86_FORK_NONE;
    p->vforks.n = 0; /* the parent's */
    p->points_lifted = fork.vfork;
    x86_fork_become(p, fork.child);
    if (!take(fork.child, x86_ptrace_options(p), &born)) {
        p->gone = true;
        return ebb_fail(err, EBB_GONE, "Process %d is not recorded: it was gone before that could begin.", (int)fork.child);
    }
    return x86_memory_open(p, err);
}

/* ---- both ------------------------------------------------------------------------------------- */

typedef struct pipes {
    int go[2];   /* to the new ebb: the child is let go */
    int done[2]; /* from it */
} pipes;

static void close_end(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void wait_for_end(int fd)
{
    char byte;
    while (read(fd, &byte, 1) < 0 && errno == EINTR)
        ;
}

static bool wait_for_go(int fd)
{
    char byte;
    ssize_t n;
    while ((n = read(fd, &byte, 1)) < 0 && errno == EINTR)
        ;
    return n == 1;
}

/* HO4.  The maker may have died before: then nobody says go. */
_Noreturn static void give_up(void)
{
    _exit(1);
}

static void begin_heir(pipes *pp)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    close_end(&pp->go[1]);
    close_end(&pp->done[0]);
    if (!wait_for_go(pp->go[0]))
        give_up();
    close_end(&pp->go[0]);
    done_fd = pp->done[1];
}

static void leave(x86_process *p, pipes *pp, const birth *b, uint64_t await)
{
    close_end(&pp->go[0]);
    close_end(&pp->done[1]);
    if (let_wait(p->fork.child, b, await) && write(pp->go[1], "", 1) == 1 && p->fork.vfork)
        wait_for_end(pp->done[0]); /* HO2 */
    x86_fork_left(p);
}

bool x86_hand_over(x86_process *p, uint64_t await)
{
    pipes pp = {{-1, -1}, {-1, -1}};
    pid_t ebb = -1;
    fflush(NULL);
    if (!shares_memory(&p->fork) && look_at_birth(p->fork.child, &born) && pipe2(pp.go, O_CLOEXEC) == 0 && pipe2(pp.done, O_CLOEXEC) == 0)
        ebb = fork();
    if (ebb == 0) {
        begin_heir(&pp);
        return true;
    }
    if (ebb > 0) {
        ebb_vec_push(&heirs, ((heir){ebb, p->fork.child}));
        leave(p, &pp, &born, await);
    } else {
        ebb_log("%d: no ebb of its own", (int)p->fork.child);
        x86_fork_release(p);
    }
    for (int i = 0; i < 2; i++) {
        close_end(&pp.go[i]);
        close_end(&pp.done[i]);
    }
    return false;
}
