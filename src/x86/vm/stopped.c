/* stopped.c - a followed child that stops itself, or is stopped by its terminal, stands still until somebody lets it go on.
 *
 * Its parent is another process, which may wait for that stop and answers it with SIGCONT.  Only the kernel can tell it: the thread is given
 * the signal and goes no further than to where the kernel stops it, before any instruction.  Then ebb listens until it may go on, or is to be interrupted.
 * A program that ebb has started itself has nobody to wait for: it goes on at once, as under other debuggers.
 *
 * Not so what `ebb record` has started: it is to behave as without ebb.  If its terminal stops it (Ctrl-Z), ebb itself stops in the same way, for the shell that waits for
 * ebb to see, and takes the program along when it goes on.  If another process stops it (SIGSTOP), it stands still as a child does. */
#include "x86/events.h"
#include "x86/vm/private.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

bool vm_is_stop_signal(int signal)
{
    return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

static bool is_event_stop(int status)
{
    return WIFSTOPPED(status) && status >> 16 == PTRACE_EVENT_STOP;
}

/* Looks what comes next of the thread, and takes it only if it is a stop of that kind; false if it is something for others to handle. */
static bool take_stop(pid_t tid, int *status)
{
    siginfo_t info = {0};
    while (waitid(P_PID, (id_t)tid, &info, WSTOPPED | WEXITED | WNOWAIT | __WALL) < 0)
        if (errno != EINTR)
            return false;
    if (info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED)
        return false;
    return waitpid(tid, status, __WALL) == tid;
}

/* To where the kernel has stopped it, and told its parent. */
static bool enter_stop(x86_vm *vm, pid_t tid, int signal)
{
    int status;
    if (tgkill(x86_of(vm->native)->pid, tid, signal) < 0 || ptrace(PTRACE_CONT, tid, 0, 0) < 0 || !take_stop(tid, &status))
        return false;
    if (status >> 8 != signal) /* something else came first: it is seen to as always, and the stop is forgotten */
        return false;
    return ptrace(PTRACE_CONT, tid, 0, signal) == 0 && take_stop(tid, &status) && is_event_stop(status) && WSTOPSIG(status) == signal;
}

/* Until it may go on, is dead, or the user wants to be heard. */
static void listen(x86_vm *vm, pid_t tid)
{
    x86_process *p = x86_of(vm->native);
    enum { LOOK_MS = 20 };
    int status;
    while (ptrace(PTRACE_LISTEN, tid, 0, 0) == 0) {
        siginfo_t info = {0};
        while (!p->interrupt_wanted && waitid(P_PID, (id_t)tid, &info, WSTOPPED | WEXITED | WNOWAIT | WNOHANG | __WALL) == 0 && !info.si_pid)
            usleep(LOOK_MS * 1000);
        if (p->interrupt_wanted && !info.si_pid)
            ptrace(PTRACE_INTERRUPT, tid, 0, 0);
        if (!take_stop(tid, &status) || p->interrupt_wanted || !is_event_stop(status) || !vm_is_stop_signal(WSTOPSIG(status)))
            return; /* a trap: SIGCONT came */
    }
}

/* ---- with ebb ---------------------------------------------------------------------------------- */

/* By the signal itself, since the kernel stops nobody whom no shell could let go on. */
static void stop_ebb(int signal)
{
    struct sigaction by_default = {.sa_handler = SIG_DFL}, ours;
    sigset_t only, mask;
    sigemptyset(&only);
    sigaddset(&only, signal);
    sigaction(signal, &by_default, &ours);
    raise(signal);
    pthread_sigmask(SIG_UNBLOCK, &only, &mask);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    sigaction(signal, &ours, NULL);
}

/* The terminal is the program's again before anybody goes on who may read from it. */
static void stop_with_ebb(x86_process *p, int signal)
{
    machine_terminal_take(&p->terminal);
    stop_ebb(signal);
    machine_terminal_give(&p->terminal);
    kill(-p->terminal.debuggee_group, SIGCONT);
}

/* ---- a signal ---------------------------------------------------------------------------------- */

static bool stand_still(x86_vm *vm, const vm_thread *t, pid_t tid)
{
    uint64_t mask, all_but = ~((uint64_t)1 << (t->deliver - 1));
    if (vm->threads.n != 1 || ptrace(PTRACE_GETSIGMASK, tid, sizeof mask, &mask) < 0 || ptrace(PTRACE_SETSIGMASK, tid, sizeof all_but, &all_but) < 0)
        return false;
    bool stopped = enter_stop(vm, tid, t->deliver);
    if (stopped)
        listen(vm, tid);
    ptrace(PTRACE_SETSIGMASK, tid, sizeof mask, &mask);
    return stopped;
}

bool vm_stop_for_real(x86_vm *vm, vm_thread *t)
{
    uint64_t parent;
    x86_process *p = x86_of(vm->native);
    pid_t tid = vm_host_of(vm, t->tid);
    if (vm->replaying || !x86_proc_status(tid, "PPid", 10, &parent))
        return false;
    bool is_ours = (pid_t)parent == getpid();
    if (is_ours && !vm->tree.folder)
        return false;
    if (!is_ours || !p->terminal.shared || t->deliver == SIGSTOP)
        return stand_still(vm, t, tid);
    stop_with_ebb(p, t->deliver);
    return true;
}
