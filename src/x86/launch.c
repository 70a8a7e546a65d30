/* launch.c - starting a program under control.
 *
 * The child waits for a byte on a pipe while it is seized; if ebb dies before, the pipe ends and so
 * does the child; afterwards PTRACE_O_EXITKILL takes care (MA5).  A second pipe, closed by a successful
 * exec, brings back the errno of one that failed.
 *
 * A shell may come first, for redirections and whatever else it makes of a line: then the program is what it executes in the end.  What
 * it forks on the way is not traced. */
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

static bool use_terminal(const char *path)
{
    int fd = open(path, O_RDWR | O_NOCTTY);
    bool fine = fd >= 0 && dup2(fd, STDIN_FILENO) >= 0 && dup2(fd, STDOUT_FILENO) >= 0 && dup2(fd, STDERR_FILENO) >= 0;
    if (fd > STDERR_FILENO)
        close(fd);
    return fine;
}

/* The user's own, as long as it is one. */
static const char *shell_of(char *const *environment)
{
    for (; *environment; environment++)
        if (strncmp(*environment, "SHELL=/", 7) == 0 && access(*environment + 6, X_OK) == 0)
            return *environment + 6;
    return "/bin/sh";
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
    if (launch->terminal && !use_terminal(launch->terminal))
        fail_inside(pp);
    if (!launch->randomize)
        personality((unsigned long)personality(0xffffffff) | ADDR_NO_RANDOMIZE);
    char *const *environment = launch->environment ? launch->environment : environ;
    char *by_shell[] = {(char *)shell_of(environment), "-c", (char *)launch->shell_line, NULL};
    if (launch->shell_line)
        execve(by_shell[0], by_shell, environment);
    else
        execve(path, launch->args, environment);
    fail_inside(pp);
}

/* How a child ended instead of executing the program. */
typedef struct early_end {
    int why;    /* the errno of an exec that failed; 0: it just died, ... */
    int status; /* ... as waitpid tells */
} early_end;

/* Follows the child up to its exec, or that of the shell that it becomes first. */
static bool wait_for_exec(pid_t pid, int failure, int n_execs, early_end *end)
{
    int status;
    for (;;) {
        if (waitpid(pid, &status, __WALL) < 0) {
            if (errno == EINTR)
                continue;
            *end = (early_end){errno, 0};
            return false;
        }
        if (!WIFSTOPPED(status))
            break;
        if (status >> 16 == PTRACE_EVENT_EXEC && --n_execs == 0)
            return x86_leave_exec(pid);
        int signal = status >> 16 == 0 ? WSTOPSIG(status) : 0;
        ptrace(PTRACE_CONT, pid, 0, signal);
    }
    *end = (early_end){0, status};
    if (read(failure, &end->why, sizeof end->why) != sizeof end->why)
        end->why = 0;
    return false;
}

static ebb_status fail_early(const char *path, bool by_shell, const early_end *end, ebb_error *err)
{
    if (end->why) {
        errno = end->why;
        return ebb_fail_errno(err, "can't start %s", path);
    }
    if (by_shell && WIFEXITED(end->status))
        return ebb_fail(err, EBB_SYSTEM, "During startup program exited with code %d.", WEXITSTATUS(end->status));
    return ebb_fail(err, EBB_SYSTEM, "can't start %s: it died before its first instruction", path);
}

static ebb_status start(x86_process *p, const char *path, bool by_shell, pipes *pp, ebb_error *err)
{
    long only_exec = PTRACE_O_EXITKILL | PTRACE_O_TRACEEXEC;
    setpgid(p->pid, p->pid); /* both sides do it: whoever is first */
    if (ptrace(PTRACE_SEIZE, p->pid, 0, only_exec) != 0)
        return ebb_fail_errno(err, errno == EPERM ? "can't debug here (a container, or whatever traces ebb itself, may forbid it)"
                                                  : "can't trace a child process");
    close(pp->failure[1]);
    pp->failure[1] = -1;
    early_end end;
    if (write(pp->go[1], "", 1) != 1)
        return ebb_fail_errno(err, "can't start %s", path);
    if (!wait_for_exec(p->pid, pp->failure[0], by_shell ? 2 : 1, &end)) {
        p->gone = true;
        return fail_early(path, by_shell, &end, err);
    }
    if (ptrace(PTRACE_SETOPTIONS, p->pid, 0, x86_ptrace_options(p)) != 0)
        return x86_ptrace_fail(err, "trace the program");
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
        status = start(p, path, launch->shell_line != NULL, &pp, err);
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
