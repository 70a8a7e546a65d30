/* attach.c - taking control of a process that is already running, and giving it up again. */
#include "x86/attach.h"
#include "x86/elfcheck.h"
#include "x86/events.h"
#include "x86/memory.h"
#include "x86/modules.h"
#include "x86/points.h"
#include "x86/tasks.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static void read_line(const char *path, char *line, size_t size)
{
    line[0] = '\0';
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    if (!fgets(line, (int)size, file))
        line[0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    fclose(file);
}

/* Why the kernel refused, in words that help. */
static ebb_status explain_refusal(pid_t pid, int why, ebb_error *err)
{
    uint64_t tracer = 0, uid = 0;
    if (why == ESRCH || x86_proc_state(pid) == 0)
        return ebb_fail(err, EBB_NOT_FOUND, "There is no process %d.", (int)pid);
    if (x86_proc_status(pid, "TracerPid", 10, &tracer) && tracer != 0) {
        char path[64], name[64];
        snprintf(path, sizeof path, "/proc/%d/comm", (int)tracer);
        read_line(path, name, sizeof name);
        return ebb_fail(err, EBB_SYSTEM, "Process %d is already being traced by process %d (%s).", (int)pid, (int)tracer, name);
    }
    if (why != EPERM) {
        errno = why;
        return ebb_fail_errno(err, "can't attach to process %d", (int)pid);
    }
    if (x86_proc_status(pid, "Uid", 10, &uid) && geteuid() != 0 && uid != geteuid())
        return ebb_fail(err, EBB_SYSTEM, "Process %d belongs to another user: attaching to it needs root.", (int)pid);
    char yama[16];
    read_line("/proc/sys/kernel/yama/ptrace_scope", yama, sizeof yama);
    if (yama[0] >= '1' && yama[0] <= '3')
        return ebb_fail(err, EBB_SYSTEM,
                        "The kernel forbids attaching to process %d (kernel.yama.ptrace_scope is %s): run ebb as root, "
                        "or set it to 0 with sysctl.", (int)pid, yama);
    return ebb_fail(err, EBB_SYSTEM, "The kernel does not permit attaching to process %d.", (int)pid);
}

static ebb_status check_target(pid_t *pid, ebb_error *err)
{
    uint64_t leader = 0, n_threads = 0;
    if (*pid <= 0)
        return ebb_fail(err, EBB_BAD_INPUT, "%d is no process number.", (int)*pid);
    if (!x86_proc_status(*pid, "Tgid", 10, &leader))
        return ebb_fail(err, EBB_NOT_FOUND, "There is no process %d.", (int)*pid);
    *pid = (pid_t)leader; /* a thread's number stands for its process */
    if (*pid == getpid())
        return ebb_fail(err, EBB_BAD_INPUT, "ebb can't debug itself; run a second one for that.");
    /* A leader that called pthread_exit is a zombie, too, but the process lives. */
    bool alive = x86_proc_state(*pid) != 'Z' || (x86_proc_status(*pid, "Threads", 10, &n_threads) && n_threads > 1);
    if (!alive)
        return ebb_fail(err, EBB_GONE, "Process %d has already ended (it is a zombie).", (int)*pid);
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/exe", (int)*pid);
    if (access(path, R_OK) != 0)
        return EBB_OK; /* the kernel says why when we attach */
    return x86_elf_check(path, "the program of that process", err);
}

/* Seizes the threads that aren't yet; *n_new is how many there were. */
static ebb_status seize_new(x86_process *p, size_t *n_new, ebb_error *err)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)p->pid);
    DIR *dir = opendir(path);
    *n_new = 0;
    if (!dir)
        return explain_refusal(p->pid, ESRCH, err);
    ebb_status status = EBB_OK;
    for (struct dirent *entry; status == EBB_OK && (entry = readdir(dir));) {
        pid_t tid = (pid_t)atoi(entry->d_name);
        if (tid <= 0 || x86_task_get(p, tid))
            continue;
        if (ptrace(PTRACE_SEIZE, tid, 0, x86_ptrace_options(p)) != 0) {
            int why = errno;
            if (tid == p->pid && x86_proc_state(tid) != 'Z')
                status = explain_refusal(tid, why, err);
            /* Another thread may be gone again, or be seized already as the child of one that is; a leader
             * that is a zombie can't be seized, and needn't. */
            continue;
        }
        x86_task *t = x86_task_add(p, tid);
        t->starting = false;
        ++*n_new;
    }
    closedir(dir);
    return status;
}

static ebb_status stop_all(x86_process *p, ebb_error *err)
{
    while (!p->gone && !x86_tasks_all_stopped(p)) {
        x86_tasks_interrupt(p, NULL);
        pid_t tid;
        int status;
        /* No interrupt reaches a leader that became a zombie just before. */
        x86_task *leader = x86_task_get(p, p->pid);
        if (leader && leader->state == X86_RUNNING && p->tasks.n > 1 && x86_proc_state(p->pid) == 'Z')
            leader->state = X86_EXITING;
        ebb_status got = x86_wait(p, 50, &tid, &status, err);
        if (got == EBB_OK)
            got = x86_event_handle(p, tid, status, err);
        if (got != EBB_OK && got != EBB_INTERRUPTED)
            return got;
    }
    return p->gone ? ebb_fail(err, EBB_GONE, "Process %d ended.", (int)p->pid) : EBB_OK;
}

static ebb_status take_control(x86_process *p, ebb_error *err)
{
    size_t n_new;
    ebb_status status;
    do { /* threads may be born until all are stopped */
        status = seize_new(p, &n_new, err);
        if (status == EBB_OK)
            status = stop_all(p, err);
    } while (status == EBB_OK && n_new > 0);
    if (status == EBB_OK && p->tasks.n == 0)
        status = explain_refusal(p->pid, EPERM, err);
    if (status == EBB_OK)
        status = x86_memory_open(p, err);
    if (status == EBB_OK)
        status = x86_modules_begin(p, err);
    return status;
}

ebb_status x86_native_attach(pid_t pid, machine **m, ebb_error *err)
{
    ebb_status status = check_target(&pid, err);
    if (status != EBB_OK)
        return status;
    x86_process *p = x86_process_new(pid, false);
    sigset_t saved;
    x86_wait_begin(&saved);
    status = take_control(p, err);
    x86_wait_end(&saved);
    if (status == EBB_OK)
        *m = &p->base;
    else
        x86_process_free(p);
    return status;
}

ebb_status x86_detach(machine *m, int signal, ebb_error *err)
{
    x86_process *p = x86_of(m);
    ebb_status status = x86_check_alive(p, err);
    if (status != EBB_OK)
        return status;
    x86_sites_remove(p);
    if (p->fork.phase == X86_FORK_WAITS_FOR_QUIET || p->fork.phase == X86_FORK_HELD)
        ptrace(PTRACE_DETACH, p->fork.child, 0, 0);
    for (size_t i = 0; i < p->vforks.n; i++)
        ptrace(PTRACE_DETACH, p->vforks.items[i].child, 0, 0);
    /* The signal goes to a thread that stands before one; if there is none, to the process. */
    for (size_t i = 0; i < p->tasks.n && signal != 0; i++) {
        x86_task *t = p->tasks.items[i];
        if (t->signal != 0 && !t->has_event) {
            t->deliver = signal;
            signal = 0;
        }
    }
    x86_tasks_detach(p);
    if (signal != 0)
        kill(p->pid, signal);
    p->gone = true;
    x86_tasks_keep_only(p, NULL);
    return EBB_OK;
}
