/* native.c - the machine's table of operations, its birth and its end. */
#include "x86/flow.h"
#include "x86/attach.h"
#include "x86/core.h"
#include "x86/events.h"
#include "x86/memory.h"
#include "x86/modules.h"
#include "x86/points.h"
#include "x86/regs.h"
#include "x86/run.h"
#include "x86/tasks.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

long x86_ptrace_options(const x86_process *p)
{
    long options = PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEVFORKDONE |
                   PTRACE_O_TRACEEXEC | PTRACE_O_TRACEEXIT | PTRACE_O_TRACESYSGOOD;
    return p->launched ? options | PTRACE_O_EXITKILL : options; /* MA5 */
}

ebb_status x86_ptrace_fail(ebb_error *err, const char *doing)
{
    if (errno == ESRCH)
        return ebb_fail(err, EBB_GONE, "The program is not running any more.");
    return ebb_fail_errno(err, "can't %s", doing);
}

ebb_status x86_check_alive(const x86_process *p, ebb_error *err)
{
    return p->gone ? ebb_fail(err, EBB_GONE, "The program is not being run.") : EBB_OK;
}

static unsigned capabilities(machine *m)
{
    return MACHINE_CALLS;
}

static ebb_status event_set(machine *m, machine_event event, bool wanted, ebb_error *err)
{
    x86_of(m)->wants[event] = wanted;
    return EBB_OK;
}

static void signal_policy(machine *m, uint64_t stop, uint64_t pass)
{
    x86_of(m)->stop_signals = stop;
    x86_of(m)->pass_signals = pass;
}

static pid_t get_pid(machine *m)
{
    return x86_of(m)->pid;
}

ebb_status x86_native_decode(machine *m, machine_place place, machine_insn *insn, ebb_error *err)
{
    uint8_t code[16];
    size_t n = sizeof code;
    /* The last instruction before the end of a mapping is shorter than we like. */
    while (n > 1 && x86_read(m, 0, place, code, n, NULL) != EBB_OK)
        n--;
    ebb_status status = x86_read(m, 0, place, code, n, err);
    return status == EBB_OK ? x86_decode(code, n, place, x86_of(m)->flavour, insn, err) : status;
}

/* A task that is killed may stop a last time on its way out. */
static void reap(x86_process *p)
{
    int status;
    for (;;) {
        pid_t tid = waitpid(-1, &status, __WALL);
        if (tid < 0 && errno == EINTR)
            continue;
        if (tid < 0 || (tid == p->pid && !WIFSTOPPED(status)))
            return;
        if (WIFSTOPPED(status))
            ptrace(PTRACE_CONT, tid, 0, 0);
    }
}

static ebb_status kill_it(machine *m, ebb_error *err)
{
    x86_process *p = x86_of(m);
    ebb_status status = x86_check_alive(p, err);
    if (status != EBB_OK)
        return status;
    if (p->fork.phase == X86_FORK_WAITS_FOR_QUIET || p->fork.phase == X86_FORK_HELD)
        ptrace(PTRACE_DETACH, p->fork.child, 0, 0);
    for (size_t i = 0; i < p->vforks.n; i++)
        ptrace(PTRACE_DETACH, p->vforks.items[i].child, 0, 0);
    kill(p->pid, SIGKILL);
    for (size_t i = 0; i < p->tasks.n; i++) /* some may stand in their last stop already */
        ptrace(PTRACE_CONT, p->tasks.items[i]->host, 0, 0);
    reap(p);
    p->gone = true;
    x86_tasks_keep_only(p, NULL);
    return EBB_OK;
}

static void free_machine(machine *m)
{
    x86_process *p = x86_of(m);
    ebb_error ignored;
    if (!p->gone && (p->launched ? kill_it(m, &ignored) : x86_detach(m, 0, &ignored)) != EBB_OK)
        p->gone = true;
    x86_process_free(p);
}

static const machine_ops ops = {
    .name = "x86-native",
    .capabilities = capabilities,
    .resume = x86_resume,
    .interrupt = x86_interrupt,
    .point_set = x86_point_set,
    .point_clear = x86_point_clear,
    .point_is_cheap = x86_point_is_cheap,
    .event_set = event_set,
    .signal_policy = signal_policy,
    .read = x86_read,
    .write = x86_write,
    .place = x86_place,
    .threads = x86_threads,
    .decode = x86_native_decode,
    .pid = get_pid,
    .program = x86_program,
    .kill = kill_it,
    .detach = x86_detach,
    .free = free_machine,
};

bool x86_siginfo(machine *m, machine_tid tid, siginfo_t *info)
{
    const x86_task *t = x86_task_get(x86_of(m), (pid_t)tid);
    return t && t->state == X86_STOPPED && t->host && ptrace(PTRACE_GETSIGINFO, t->host, 0, info) == 0;
}

static const machine_native_ops native_ops = {
    .registers = x86_registers,
    .reg_read = x86_reg_read,
    .reg_write = x86_reg_write,
    .modules = x86_modules,
    .tls_block = x86_tls_block,
    .siginfo = x86_siginfo,
    .entry = x86_entry,
    .auxv = x86_auxv,
    .flow = x86_flow,
    .call_before = x86_call_before,
    .sets = x86_sets,
};

x86_process *x86_process_new(pid_t pid, bool launched)
{
    x86_process *p = EBB_NEW(x86_process);
    p->base = (machine){.ops = &ops, .native = &native_ops};
    p->pid = pid;
    p->launched = launched;
    p->tracer = gettid();
    p->mem = -1;
    p->stop_signals = UINT64_MAX;
    p->pass_signals = UINT64_MAX & ~(1ull << (SIGINT - 1)) & ~(1ull << (SIGTRAP - 1));
    return p;
}

/* What was started but never came under full control is ended here, too. */
void x86_process_free(x86_process *p)
{
    if (p->launched && !p->gone) {
        kill(p->pid, SIGKILL);
        reap(p);
    }
    x86_tasks_keep_only(p, NULL);
    ebb_vec_fini(&p->tasks);
    ebb_vec_fini(&p->thread_view);
    ebb_vec_fini(&p->vforks);
    x86_points_drop(p);
    x86_modules_fini(p);
    x86_core_free(p->core);
    if (p->mem >= 0)
        close(p->mem);
    free(p);
}

void x86_native_set_follow_fork(machine *m, x86_follow follow)
{
    x86_of(m)->follow = follow;
}

void x86_native_set_flavour(machine *m, x86_flavour flavour)
{
    x86_of(m)->flavour = flavour;
}
