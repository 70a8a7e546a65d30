/* stub.c - makes a process, and takes everything out of it. */
#include "x86/stub.h"
#include "x86/body.h"
#include "x86/memory.h"
#include "x86/shared.h"
#include "x86/tasks.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the child -------------------------------------------------------------------------------- */

/* The instruction that makes its first calls, at the same address in both. */
void x86_stub_call(void);
__asm__(".pushsection .text\n.globl x86_stub_call\n.hidden x86_stub_call\nx86_stub_call: syscall\nint3\n.popsection");

/* What ebb's own libraries told the kernel would be about memory that is not there any more. */
_Noreturn static void wait_to_be_emptied(pid_t parent, const char *name, int ready)
{
    machine_child_begin();
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* until it is traced */
    prctl(PR_SET_NAME, name);
    if (getppid() != parent)
        _exit(127);
    syscall(SYS_set_robust_list, NULL, 24);
    syscall(SYS_set_tid_address, NULL);
    syscall(SYS_close_range, 0, ready - 1, 0);
    syscall(SYS_close_range, ready + 1, ~0u, 0);
    close(ready);
    for (;;)
        pause();
}

/* Waits until the child has closed its end, or died. */
static ebb_status make_child(const char *name, pid_t *pid, ebb_error *err)
{
    int pipe_fds[2];
    char byte;
    pid_t parent = getpid();
    if (pipe2(pipe_fds, O_CLOEXEC) != 0)
        return ebb_fail_errno(err, "can't make a process to replay in");
    int ready = fcntl(pipe_fds[1], F_DUPFD_CLOEXEC, 3); /* so that closing all others is two calls */
    *pid = fork();
    if (*pid == 0)
        wait_to_be_emptied(parent, name, ready);
    ebb_status status = *pid > 0 ? EBB_OK : ebb_fail_errno(err, "can't make a process to replay in");
    close(pipe_fds[1]);
    close(ready);
    while (status == EBB_OK && read(pipe_fds[0], &byte, 1) < 0 && errno == EINTR)
        ;
    close(pipe_fds[0]);
    return status;
}

static ebb_status seize(x86_process *p, ebb_error *err)
{
    int status;
    if (ptrace(PTRACE_SEIZE, p->pid, 0, x86_ptrace_options(p)) != 0 || ptrace(PTRACE_INTERRUPT, p->pid, 0, 0) != 0)
        return ebb_fail_errno(err, "can't trace a child process");
    while (waitpid(p->pid, &status, __WALL) < 0)
        if (errno != EINTR)
            return ebb_fail_errno(err, "can't trace a child process");
    if (!WIFSTOPPED(status)) {
        p->gone = true;
        return ebb_fail(err, EBB_SYSTEM, "the process to replay in is gone");
    }
    x86_task *t = x86_task_add(p, p->pid);
    t->state = X86_STOPPED;
    t->starting = false;
    return x86_memory_open(p, err);
}

/* ---- what it gives up ------------------------------------------------------------------------- */

static ebb_status call(x86_process *p, uint64_t insn, long number, const uint64_t args[6], uint64_t *result, ebb_error *err)
{
    return x86_body_syscall(x86_task_first_alive(p), insn, number, args, result, err);
}

/* The kernel would write there whenever the process moves. */
static ebb_status end_rseq(x86_process *p, uint64_t insn, ebb_error *err)
{
    enum { UNREGISTER = 1 };
    struct __ptrace_rseq_configuration rseq = {0};
    uint64_t ignored;
    if (ptrace(PTRACE_GET_RSEQ_CONFIGURATION, p->pid, sizeof rseq, &rseq) <= 0 || !rseq.rseq_abi_pointer)
        return EBB_OK;
    return call(p, insn, SYS_rseq, (uint64_t[6]){rseq.rseq_abi_pointer, rseq.rseq_abi_size, UNREGISTER, rseq.signature}, &ignored, err);
}

static ebb_status unmap(x86_process *p, uint64_t door, uint64_t lo, uint64_t hi, ebb_error *err)
{
    uint64_t result;
    EBB_TRY(call(p, door, SYS_munmap, (uint64_t[6]){lo, hi - lo}, &result, err));
    return result == 0 ? EBB_OK : ebb_fail(err, EBB_SYSTEM, "can't empty the process to replay in: %s", strerror(-(int)result));
}

/* SB1 */
static ebb_status empty(x86_process *p, uint64_t door, ebb_error *err)
{
    static const uint8_t insn[] = {0x0f, 0x05, 0xcc};
    uint64_t first = (uint64_t)x86_stub_call, at;
    uint64_t args[6] = {door, X86_STUB_DOOR_BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, (uint64_t)-1};
    EBB_TRY(end_rseq(p, first, err));
    EBB_TRY(call(p, first, SYS_mmap, args, &at, err));
    if (at != door)
        return ebb_fail(err, EBB_SYSTEM, "ebb's own memory is in the way of what was recorded");
    EBB_TRY(machine_write(&p->base, door, insn, sizeof insn, err));
    EBB_TRY(unmap(p, door, 0, door, err));
    return unmap(p, door, door + X86_STUB_DOOR_BYTES, X86_USER_END, err);
}

ebb_status x86_stub_new(uint64_t door, const char *name, x86_process **out, ebb_error *err)
{
    pid_t pid = 0;
    EBB_TRY(make_child(name, &pid, err));
    x86_process *p = x86_process_new(pid, true);
    p->is_copy = true;
    ebb_status status = seize(p, err);
    if (status == EBB_OK)
        status = empty(p, door, err);
    if (status == EBB_OK)
        *out = p;
    else
        x86_process_free(p);
    return status;
}

/* ---- what is put there ------------------------------------------------------------------------ */

ebb_status x86_stub_map(x86_process *p, uint64_t door, const x86_stub_memory *m, ebb_error *err)
{
    uint64_t at, flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE | (m->grows_down ? MAP_GROWSDOWN : 0u);
    EBB_TRY(call(p, door, SYS_mmap, (uint64_t[6]){m->lo, m->hi - m->lo, (uint64_t)m->protection, flags, (uint64_t)-1}, &at, err));
    if (at != m->lo)
        return ebb_fail(err, EBB_SYSTEM, "memory of the recorded program can't be had at 0x%lx: %s", (unsigned long)m->lo, strerror(-(int)at));
    return EBB_OK;
}
