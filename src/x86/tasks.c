/* tasks.c - moves a task by ptrace, and reads in /proc what ptrace does not tell. */
#include "x86/tasks.h"
#include "x86/counter.h"
#include "x86/regs.h"
#include "x86/watch.h"
#include "base/log.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

x86_task *x86_task_add(x86_process *p, pid_t tid)
{
    x86_task *t = EBB_NEW(x86_task);
    t->tid = t->host = tid;
    t->state = X86_RUNNING;
    t->starting = true;
    ebb_vec_push(&p->tasks, t);
    return t;
}

x86_task *x86_task_get(x86_process *p, pid_t tid)
{
    for (size_t i = 0; i < p->tasks.n; i++)
        if (p->tasks.items[i]->tid == tid)
            return p->tasks.items[i];
    return NULL;
}

x86_task *x86_task_by_host(x86_process *p, pid_t host)
{
    for (size_t i = 0; i < p->tasks.n; i++)
        if (p->tasks.items[i]->host == host)
            return p->tasks.items[i];
    return NULL;
}

void x86_task_free(x86_task *t)
{
    free(t->xstate);
    free(t);
}

void x86_task_remove(x86_process *p, x86_task *t)
{
    for (size_t i = 0; i < p->tasks.n; i++) {
        if (p->tasks.items[i] != t)
            continue;
        ebb_vec_remove(&p->tasks, i);
        x86_task_free(t);
        return;
    }
}

void x86_tasks_keep_only(x86_process *p, x86_task *t)
{
    for (size_t i = 0; i < p->tasks.n; i++)
        if (p->tasks.items[i] != t)
            x86_task_free(p->tasks.items[i]);
    p->tasks.n = 0;
    if (t)
        ebb_vec_push(&p->tasks, t);
}

x86_task *x86_task_first_alive(x86_process *p)
{
    for (size_t i = 0; i < p->tasks.n; i++)
        if (p->tasks.items[i]->state != X86_EXITING && p->tasks.items[i]->host)
            return p->tasks.items[i];
    return NULL;
}

pid_t x86_any_tid(x86_process *p)
{
    const x86_task *t = x86_task_first_alive(p);
    return t ? t->host : p->pid;
}

bool x86_tasks_others_stopped(const x86_process *p, const x86_task *t)
{
    for (size_t i = 0; i < p->tasks.n; i++)
        if (p->tasks.items[i] != t && p->tasks.items[i]->state == X86_RUNNING)
            return false;
    return true;
}

bool x86_tasks_all_stopped(const x86_process *p)
{
    return x86_tasks_others_stopped(p, NULL);
}

void x86_tasks_interrupt(x86_process *p, const x86_task *except)
{
    for (size_t i = 0; i < p->tasks.n; i++) {
        x86_task *t = p->tasks.items[i];
        /* A task's first stop comes by itself. */
        if (t == except || t->state != X86_RUNNING || t->interrupted || t->starting)
            continue;
        t->interrupted = true;
        ptrace(PTRACE_INTERRUPT, t->host, 0, 0); /* fails only for a task that is dying anyway */
    }
}

/* A request can give a signal to a task that doesn't stand before one: then it has to be sent. */
static void inject_signal(x86_process *p, x86_task *t)
{
    if (t->signal != 0 || t->deliver == 0)
        return;
    t->injected = t->deliver;
    t->deliver = 0;
    tgkill(p->pid, t->host, t->injected);
}

static void note_step(x86_task *t)
{
    const struct user_regs_struct *r = x86_regs_get(t, NULL);
    if (!r)
        return;
    t->step_pc = r->rip;
    t->step_sp = r->rsp;
    t->step_flags = r->eflags;
    if (t->signal_is_quiet) {
        t->back_pc = r->rip;
        t->back_sp = r->rsp;
    }
}

ebb_status x86_task_resume(x86_process *p, x86_task *t, x86_how how, ebb_error *err)
{
    static const enum __ptrace_request requests[] = {
        [X86_CONT] = PTRACE_CONT, [X86_STEP] = PTRACE_SINGLESTEP, [X86_TO_SYSCALL] = PTRACE_SYSCALL};
    ebb_status status = x86_regs_flush(t, err);
    if (status != EBB_OK && status != EBB_GONE)
        return status;
    x86_watch_flush(p, t);
    if (how == X86_STEP) {
        note_step(t);
        x86_watch_before_step(p, t);
    }
    inject_signal(p, t);
    ebb_log("%d: %s signal %d", (int)t->tid,
            how == X86_CONT ? "cont" : how == X86_STEP ? "step" : "to syscall", t->deliver);
    long deliver = t->deliver;
    t->state = X86_RUNNING;
    t->stepping = how == X86_STEP;
    t->signal = t->deliver = 0;
    x86_regs_forget(t);
    if (ptrace(requests[how], t->host, 0, deliver) != 0 && errno != ESRCH)
        return ebb_fail_errno(err, "can't resume thread %d", (int)t->tid);
    return EBB_OK;
}

/* Lets one task go; false if it is on its way out: then its end has to be collected. */
static bool detach_task(x86_process *p, x86_task *t)
{
    if (t->state != X86_STOPPED)
        return t->host == p->pid; /* a leader that ended before its threads ends with the last of them */
    x86_watch_clear(p, t);
    bool flushed = x86_regs_flush(t, NULL) == EBB_OK; /* if not, it is dead, and the next call tells */
    /* A signal that nobody was told of yet is not ours to swallow. */
    long signal = t->has_event && t->event.kind == MACHINE_STOP_SIGNAL ? t->signal : t->deliver;
    return ptrace(PTRACE_DETACH, t->host, 0, signal) == 0 || (flushed && errno != ESRCH);
}

/* A task that is killed would stop a last time (PTRACE_EVENT_EXIT), with nobody to let it go on; one that is
 * dead keeps its whole process from ending until we have heard of it. */
static void detach_dying(size_t n)
{
    while (n > 0) {
        int status;
        pid_t tid = waitpid(-1, &status, __WALL);
        if (tid < 0 && errno != EINTR)
            return;
        if (tid > 0 && (!WIFSTOPPED(status) || ptrace(PTRACE_DETACH, tid, 0, 0) == 0))
            n--;
    }
}

void x86_tasks_detach(x86_process *p)
{
    size_t n_dying = 0;
    for (size_t i = 0; i < p->tasks.n; i++) /* one of the signals may be deadly for all */
        if (p->tasks.items[i]->state == X86_STOPPED) {
            x86_counter_free_task(p, p->tasks.items[i]);
            ptrace(PTRACE_SETOPTIONS, p->tasks.items[i]->host, 0, 0);
        }
    for (size_t i = 0; i < p->tasks.n; i++)
        if (!detach_task(p, p->tasks.items[i]))
            n_dying++;
    detach_dying(n_dying);
}

void x86_task_name(const x86_process *p, const x86_task *t, char *name, size_t room)
{
    char path[64];
    name[0] = '\0';
    if (p->core) /* XC1 */
        return;
    snprintf(path, sizeof path, "/proc/%d/task/%d/comm", (int)p->pid, (int)t->host);
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    if (!fgets(name, (int)room, file))
        name[0] = '\0';
    name[strcspn(name, "\n")] = '\0';
    fclose(file);
}

const machine_thread *x86_threads(machine *m, size_t *n)
{
    x86_process *p = x86_of(m);
    p->thread_view.n = 0;
    for (size_t i = 0; i < p->tasks.n && !p->gone; i++) {
        if (p->tasks.items[i]->state != X86_STOPPED)
            continue;
        machine_thread view = {.tid = p->tasks.items[i]->tid};
        x86_task_name(p, p->tasks.items[i], view.name, sizeof view.name);
        ebb_vec_push(&p->thread_view, view);
    }
    *n = p->thread_view.n;
    return p->thread_view.items;
}

/* "SigBlk:\t0000000000010000" */
static bool find_set(const char *status, const char *name, uint64_t *set)
{
    const char *field = strstr(status, name);
    if (field)
        *set = strtoull(field + strlen(name), NULL, 16);
    return field != NULL;
}

bool x86_proc_signals(pid_t tid, x86_signal_sets *sets)
{
    char path[64], status[4096];
    snprintf(path, sizeof path, "/proc/%d/status", (int)tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t n = read(fd, status, sizeof status - 1);
    close(fd);
    status[n > 0 ? n : 0] = '\0';
    return find_set(status, "\nSigBlk:", &sets->blocked) && find_set(status, "\nSigIgn:", &sets->ignored) &&
           find_set(status, "\nSigCgt:", &sets->caught);
}

bool x86_proc_status(pid_t pid, const char *field, int base, uint64_t *value)
{
    char path[64], line[256];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    size_t n = strlen(field);
    bool found = false;
    while (!found && fgets(line, sizeof line, file)) {
        found = strncmp(line, field, n) == 0 && line[n] == ':';
        if (found)
            *value = strtoull(line + n + 1, NULL, base);
    }
    fclose(file);
    return found;
}

char x86_proc_state(pid_t pid)
{
    char path[64], line[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    char *got = fgets(line, sizeof line, file);
    fclose(file);
    /* The command's name, in parentheses, may contain anything. */
    char *after = got ? strrchr(line, ')') : NULL;
    return after && after[1] == ' ' ? after[2] : 0;
}
