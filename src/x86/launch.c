/* launch.c - starting a program under control.
 *
 * The child waits for a byte on a pipe while it is seized; if ebb dies before, the pipe ends and so
 * does the child; afterwards PTRACE_O_EXITKILL takes care (MA5).  A second pipe, closed by a successful
 * exec, brings back the errno of one that failed. */
#include "x86/events.h"
#include "x86/memory.h"
#include "x86/modules.h"
#include "x86/tasks.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct pipes {
    int go[2];      /* parent to child */
    int failure[2]; /* child to parent */
} pipes;

static void close_pipes(pipes *pp)
{
    int fds[] = {pp->go[0], pp->go[1], pp->failure[0], pp->failure[1]};
    for (size_t i = 0; i < 4; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

_Noreturn static void fail_inside(const pipes *pp)
{
    int why = errno;
    while (write(pp->failure[1], &why, sizeof why) < 0 && errno == EINTR)
        ;
    _exit(127);
}

_Noreturn static void become_program(const x86_launch *launch, const char *path, const pipes *pp)
{
    char byte;
    close(pp->go[1]);
    machine_child_begin();
    ssize_t n;
    while ((n = read(pp->go[0], &byte, 1)) < 0 && errno == EINTR)
        ;
    if (n != 1)
        _exit(127);
    if (launch->directory && chdir(launch->directory) != 0)
        fail_inside(pp);
    if (!launch->randomize)
        personality((unsigned long)personality(0xffffffff) | ADDR_NO_RANDOMIZE);
    execve(path, launch->args, launch->environment ? launch->environment : environ);
    fail_inside(pp);
}

/* Follows the child up to its exec.  *why is the errno of one that failed, 0 if it just died. */
static bool wait_for_exec(pid_t pid, int failure, int *why)
{
    int status;
    for (;;) {
        if (waitpid(pid, &status, __WALL) < 0) {
            if (errno == EINTR)
                continue;
            *why = errno;
            return false;
        }
        if (!WIFSTOPPED(status))
            break;
        if (status >> 16 == PTRACE_EVENT_EXEC)
            return x86_leave_exec(pid);
        int signal = status >> 16 == 0 ? WSTOPSIG(status) : 0;
        ptrace(PTRACE_CONT, pid, 0, signal);
    }
    *why = 0;
    if (read(failure, why, sizeof *why) != sizeof *why)
        *why = 0;
    return false;
}

static ebb_status start(x86_process *p, const char *path, pipes *pp, ebb_error *err)
{
    setpgid(p->pid, p->pid); /* both sides do it: whoever is first */
    if (ptrace(PTRACE_SEIZE, p->pid, 0, x86_ptrace_options(p)) != 0)
        return ebb_fail_errno(err, errno == EPERM ? "can't debug here (a container, or whatever traces ebb itself, may forbid it)"
                                                  : "can't trace a child process");
    close(pp->failure[1]);
    pp->failure[1] = -1;
    int why;
    if (write(pp->go[1], "", 1) != 1)
        return ebb_fail_errno(err, "can't start %s", path);
    if (!wait_for_exec(p->pid, pp->failure[0], &why)) {
        p->gone = true;
        if (why == 0)
            return ebb_fail(err, EBB_SYSTEM, "can't start %s: it died before its first instruction", path);
        errno = why;
        return ebb_fail_errno(err, "can't start %s", path);
    }
    x86_task *t = x86_task_add(p, p->pid);
    t->state = X86_STOPPED;
    t->starting = false;
    ebb_status status = x86_memory_open(p, err);
    return status == EBB_OK ? x86_modules_begin(p, err) : status;
}

ebb_status x86_native_launch(const x86_launch *launch, machine **m, ebb_error *err)
{
    char *path = NULL;
    ebb_status status = x86_native_check(launch->program, &path, err);
    if (status != EBB_OK)
        return status;
    pipes pp = {{-1, -1}, {-1, -1}};
    pid_t pid = -1;
    if (pipe2(pp.go, O_CLOEXEC) != 0 || pipe2(pp.failure, O_CLOEXEC) != 0 || (pid = fork()) < 0)
        status = ebb_fail_errno(err, "can't start %s", path);
    if (pid == 0)
        become_program(launch, path, &pp);
    if (pid > 0) {
        x86_process *p = x86_process_new(pid, true);
        status = start(p, path, &pp, err);
        if (status == EBB_OK) {
            machine_terminal_init(&p->terminal, p->pid, launch->own_terminal);
            *m = &p->base;
        } else {
            x86_process_free(p);
        }
    }
    close_pipes(&pp);
    free(path);
    return status;
}
