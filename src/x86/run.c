/* run.c - machine_ops.resume: see the three questions in process.h. */
#include "x86/run.h"
#include "x86/events.h"
#include "x86/memory.h"
#include "x86/points.h"
#include "x86/regs.h"
#include "x86/tasks.h"
#include "x86/watch.h"
#include "base/check.h"
#include "base/log.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    SOFTWARE_SLICE = 64,      /* steps of one task before the next one's turn */
    SOFTWARE_PATIENCE_MS = 5, /* a step that takes longer sits in a system call */
};

/* --- what is to be told --- */

static bool in_mask(uint64_t mask, int signal)
{
    return signal >= 1 && signal <= 64 && (mask >> (signal - 1) & 1);
}

/* What was found changed where a system call returned was written by another thread, whose trap came a little later. */
static bool was_written_by_another(const x86_process *p, const x86_task *t)
{
    for (size_t i = 0; i < p->tasks.n; i++) {
        const x86_task *other = p->tasks.items[i];
        if (other->has_event && !other->by_syscall && other->event.kind == MACHINE_STOP_POINT && other->event.points[0] == t->event.points[0])
            return true;
    }
    return false;
}

/* An event may have lost its meaning since it came: its points are gone, its signal is quiet now. */
static bool is_still_to_be_told(x86_process *p, x86_task *t)
{
    if (!t->has_event)
        return false;
    bool told = true;
    if (t->event.kind == MACHINE_STOP_POINT)
        told = x86_points_still_set(p, &t->event) > 0 && !(t->by_syscall && was_written_by_another(p, t));
    else if (t->event.kind == MACHINE_STOP_SIGNAL)
        told = in_mask(p->stop_signals, t->event.signal);
    else if (t->event.kind == MACHINE_STOP_STEP)
        told = p->request.move == MACHINE_STEP && p->request.thread == t->tid;
    t->has_event = told;
    return told;
}

static x86_task *oldest_event(x86_process *p)
{
    x86_task *oldest = NULL;
    for (size_t i = 0; i < p->tasks.n; i++) {
        x86_task *t = p->tasks.items[i];
        if (is_still_to_be_told(p, t) && (!oldest || t->event_number < oldest->event_number))
            oldest = t;
    }
    return oldest;
}

static bool take_event(x86_process *p, machine_stop *stop)
{
    if (p->gone) {
        *stop = p->ending;
        return true;
    }
    x86_task *t = oldest_event(p);
    if (!t)
        return false;
    t->has_event = false;
    *stop = t->event;
    return true;
}

/* --- who moves, and how --- */

/* So that threads are known in the order in which they were made, and at once. */
static bool waits_for_newborn(x86_process *p, const x86_task *t)
{
    const x86_task *child = t->newborn ? x86_task_get(p, t->newborn) : NULL;
    return child && child->starting;
}

static bool may_run(x86_process *p, const x86_task *t)
{
    if (t->state != X86_STOPPED || t->has_event || !t->host || waits_for_newborn(p, t))
        return false;
    if (t->exits) /* whoever waits for the process to end waits for all of its tasks */
        return !p->holds_exiting;
    if (p->fork.phase == X86_FORK_VFORK_RUNS)
        return t->tid == p->fork.parent;
    return !p->request.only_thread || t->tid == p->request.thread;
}

static bool stands_at_syscall(x86_process *p, x86_task *t)
{
    uint8_t code[2];
    return x86_read(&p->base, 0, x86_pc(t), code, 2, NULL) == EBB_OK && memcmp(code, "\x0f\x05", 2) == 0;
}

/* Every instruction is looked at. */
static bool steps_for_watches(const x86_process *p)
{
    return p->n_software_watches > 0 && !p->watches_elsewhere;
}

static x86_how choose_how(x86_process *p, x86_task *t)
{
    bool syscalls = p->wants[MACHINE_EVENT_SYSCALL] || x86_watch_needs_syscalls(p);
    bool step = p->request.move == MACHINE_STEP && t->tid == p->request.thread && !t->in_handler;
    if (!step && !steps_for_watches(p))
        return syscalls ? X86_TO_SYSCALL : X86_CONT;
    if (syscalls && (t->in_syscall || stands_at_syscall(p, t)))
        return X86_TO_SYSCALL;
    return X86_STEP;
}

static ebb_status let_run(x86_process *p, x86_task *t, ebb_error *err)
{
    if (t->exits) {
        ebb_status status = x86_task_resume(p, t, X86_CONT, err);
        t->state = X86_EXITING;
        return status;
    }
    return x86_task_resume(p, t, choose_how(p, t), err);
}

static x86_task *find_stepover(x86_process *p)
{
    for (size_t i = 0; i < p->tasks.n; i++)
        if (may_run(p, p->tasks.items[i]) && x86_stepover_needed(p, p->tasks.items[i]))
            return p->tasks.items[i];
    return NULL;
}

/* The task whose turn it is while every instruction is looked at. */
static x86_task *next_turn(x86_process *p)
{
    x86_task *current = x86_task_get(p, p->software_turn);
    if (current && may_run(p, current) && p->software_steps++ < SOFTWARE_SLICE)
        return current;
    p->software_steps = 0;
    size_t start = 0;
    for (size_t i = 0; i < p->tasks.n; i++)
        if (p->tasks.items[i]->tid == p->software_turn)
            start = i + 1;
    for (size_t i = 0; i < p->tasks.n; i++) {
        x86_task *t = p->tasks.items[(start + i) % p->tasks.n];
        if (may_run(p, t)) {
            p->software_turn = t->tid;
            return t;
        }
    }
    return NULL;
}

static ebb_status schedule_one_by_one(x86_process *p, ebb_error *err)
{
    const x86_task *current = x86_task_get(p, p->software_turn);
    if (current && current->state == X86_RUNNING && !p->turn_is_over)
        return EBB_OK;
    p->turn_is_over = false;
    x86_task *t = next_turn(p);
    return t ? let_run(p, t, err) : EBB_OK;
}

static ebb_status schedule(x86_process *p, ebb_error *err)
{
    if (x86_fork_wants_quiet(p)) {
        x86_tasks_interrupt(p, NULL);
        return EBB_OK;
    }
    if (p->alone != 0)
        return EBB_OK;
    x86_task *over = find_stepover(p);
    if (over && x86_tasks_all_stopped(p))
        return x86_stepover_start(p, over, err);
    if (over) {
        x86_tasks_interrupt(p, NULL);
        return EBB_OK;
    }
    if (steps_for_watches(p))
        return schedule_one_by_one(p, err);
    for (size_t i = 0; i < p->tasks.n; i++) {
        if (!may_run(p, p->tasks.items[i]))
            continue;
        ebb_status status = let_run(p, p->tasks.items[i], err);
        if (status != EBB_OK)
            return status;
    }
    return EBB_OK;
}

/* --- the loop --- */

typedef struct wishes {
    bool interrupt, pause; /* the user's; the layer's (process.h) */
} wishes;

static void tell_interrupted(x86_process *p, const wishes *wish, machine_stop *stop)
{
    p->is_paused = !wish->interrupt;
    x86_task *t = x86_task_get(p, (pid_t)p->request.thread);
    if (!t || t->state != X86_STOPPED)
        t = x86_task_first_alive(p);
    *stop = (machine_stop){.kind = MACHINE_STOP_INTERRUPTED, .thread = t ? t->tid : p->pid, .place = t ? x86_pc(t) : 0};
}

static ebb_status settle_fork(x86_process *p, ebb_error *err)
{
    if (!x86_fork_wants_quiet(p) || !x86_tasks_all_stopped(p))
        return EBB_OK;
    return x86_fork_when_quiet(p, err);
}

static int patience(const x86_process *p)
{
    if (steps_for_watches(p))
        return SOFTWARE_PATIENCE_MS;
    return p->patience_ms > 0 ? p->patience_ms : -1;
}

static ebb_status be_impatient(x86_process *p, wishes *wish, ebb_error *err)
{
    ebb_status status = p->when_impatient ? p->when_impatient(p->layer, err) : EBB_OK;
    wish->pause |= p->pause_wanted;
    p->pause_wanted = false;
    return status;
}

static ebb_status wait_and_handle(x86_process *p, wishes *wish, ebb_error *err)
{
    pid_t tid;
    int status;
    ebb_error why;
    ebb_status got = x86_wait(p, patience(p), &tid, &status, &why);
    if (got == EBB_INTERRUPTED) {
        if (p->interrupt_wanted)
            wish->interrupt = true;
        p->interrupt_wanted = 0;
        p->turn_is_over = true;
        return wish->interrupt ? EBB_OK : be_impatient(p, wish, err);
    }
    if (got != EBB_OK && errno == ECHILD) { /* somebody else has waited for it */
        p->gone = true;
        p->ending = (machine_stop){.kind = MACHINE_STOP_KILLED, .thread = p->pid, .signal = SIGKILL};
        return EBB_OK;
    }
    if (got != EBB_OK)
        return ebb_fail(err, why.status, "%s", why.text);
    return x86_event_handle(p, tid, status, err);
}

/* Nobody is left who could be looked at: its end is on its way, and there is nothing to interrupt. */
static bool is_ending(x86_process *p)
{
    return x86_task_first_alive(p) == NULL;
}

static ebb_status run(x86_process *p, machine_stop *stop, ebb_error *err)
{
    wishes wish = {0};
    for (;;) {
        bool stopping = p->gone || ((wish.interrupt || wish.pause) && !is_ending(p)) || oldest_event(p) != NULL;
        ebb_status status = settle_fork(p, err);
        if (status != EBB_OK)
            return status;
        if (stopping && x86_tasks_all_stopped(p)) {
            if (!take_event(p, stop))
                tell_interrupted(p, &wish, stop);
            else if (wish.interrupt)
                p->interrupt_wanted = 1; /* still to be told */
            return EBB_OK;
        }
        if (stopping)
            x86_tasks_interrupt(p, NULL);
        else
            status = schedule(p, err);
        if (status == EBB_OK)
            status = wait_and_handle(p, &wish, err);
        if (status != EBB_OK)
            return status;
    }
}

/* --- a request --- */

static ebb_status accept(x86_process *p, const machine_request *request, ebb_error *err)
{
    ebb_status status = x86_check_alive(p, err);
    if (status != EBB_OK)
        return status;
    if (request->direction != MACHINE_FORWARD)
        return ebb_fail(err, EBB_NO_HISTORY, "native mode keeps no history, so there is no way back from here");
    p->request = *request;
    x86_task *t = request->thread ? x86_task_get(p, (pid_t)request->thread) : x86_task_first_alive(p);
    if (!t || t->state != X86_STOPPED)
        return ebb_fail(err, EBB_NOT_FOUND, "There is no thread %lld.", (long long)request->thread);
    p->request.thread = t->tid;
    return EBB_OK;
}

/* What the request says about its own thread; it holds also if others' events are told first. */
static void prepare_mover(x86_process *p)
{
    x86_task *t = x86_task_get(p, (pid_t)p->request.thread);
    if (t->has_event)
        return;
    t->deliver = p->request.signal;
    t->signal_is_quiet = false;
    if (x86_site_at(p, x86_pc(t)))
        x86_skip_point(t);
}

/* Handlers that an earlier step was waiting for don't matter to this request. */
static void forget_handlers(x86_process *p)
{
    for (size_t i = 0; i < p->tasks.n; i++) {
        x86_task *t = p->tasks.items[i];
        if (t->in_handler && x86_point_clear(&p->base, t->back_point, NULL) == EBB_OK)
            t->in_handler = false;
    }
}

ebb_status x86_resume(machine *m, const machine_request *request, machine_stop *stop, ebb_error *err)
{
    x86_process *p = x86_of(m);
    ebb_status status = accept(p, request, err);
    if (status != EBB_OK)
        return status;
    prepare_mover(p);
    forget_handlers(p);
    if (take_event(p, stop)) /* MA3 */
        return EBB_OK;
    sigset_t saved;
    x86_wait_begin(&saved);
    x86_sites_insert(p);
    x86_watch_look(p);
    if (!p->is_copy)
        machine_terminal_give(&p->terminal);
    status = run(p, stop, err);
    if (!p->is_copy)
        machine_terminal_take(&p->terminal);
    x86_wait_end(&saved);
    ebb_log("stop: %s thread %lld at %#llx", status == EBB_OK ? machine_stop_word(stop->kind) : "failed",
            (long long)stop->thread, (unsigned long long)stop->place);
    return status;
}

void x86_interrupt(machine *m)
{
    x86_process *p = x86_of(m);
    p->interrupt_wanted = 1;
    int saved = errno;
    syscall(SYS_tgkill, getpid(), p->tracer, SIGCHLD); /* wakes x86_wait */
    errno = saved;
}
