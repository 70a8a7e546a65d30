/* filters_real.c - filters become the kernel's (FI2). */
#include "x86/mappings.h"
#include "x86/vm/filters.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* The call that installs the filter as its program did; `program` is the address of a sock_fprog. */
typedef struct call {
    long number;
    uint64_t args[6];
} call;

static call call_of(const vm_filter *f, uint64_t flags, uint64_t program)
{
    if (f->strict)
        return (call){SYS_prctl, {PR_SET_SECCOMP, SECCOMP_MODE_STRICT}};
    if (f->number == SYS_prctl)
        return (call){SYS_prctl, {PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program}};
    return (call){SYS_seccomp, {SECCOMP_SET_MODE_FILTER, flags, program}};
}

static const call no_new_privs = {SYS_prctl, {PR_SET_NO_NEW_PRIVS, 1}};

/* ---- for threads ------------------------------------------------------------------------------ */

/* Memory of the program's own that it can read, for a moment in which none of it runs: whatever is changed there is put
 * back.  The runtime's may be gone already. */
static ebb_status find_loan(x86_vm *vm, machine_tid tid, size_t nbytes, uint64_t *address, ebb_error *err)
{
    uint64_t rip;
    x86_mapping m;
    const char *name;
    EBB_TRY(vm_get(vm, tid, VM_REG(rip), &rip, err));
    x86_mappings all = x86_mappings_open((pid_t)tid);
    bool found = false;
    while (!found && x86_mappings_next(&all, &m, &name)) {
        bool here = rip >= m.lo && rip < m.hi; /* there, a system call is made */
        found = m.readable && !m.shared && m.hi - m.lo >= nbytes && !here && strncmp(name, "[v", 2) != 0;
        *address = m.lo;
    }
    x86_mappings_close(&all);
    return found ? EBB_OK : ebb_fail(err, EBB_SYSTEM, "the program has no room for a filter of its own system calls");
}

static ebb_status install_at(x86_vm *vm, machine_tid tid, const vm_filter *f, uint64_t flags, uint64_t at, ebb_error *err)
{
    uint64_t result = 0, code = at + sizeof(struct sock_fprog);
    struct sock_fprog program = {(unsigned short)f->n, (struct sock_filter *)code};
    EBB_TRY(machine_write(vm->native, at, &program, sizeof program, err));
    EBB_TRY(machine_write(vm->native, code, f->code, f->n * sizeof f->code[0], err));
    call install = call_of(f, flags, at);
    EBB_TRY(vm_remote_syscall(vm, tid, install.number, install.args, &result, err));
    if ((int64_t)result == -EACCES) { /* the program has given away since what allowed it */
        EBB_TRY(vm_remote_syscall(vm, tid, no_new_privs.number, no_new_privs.args, &result, err));
        EBB_TRY(vm_remote_syscall(vm, tid, install.number, install.args, &result, err));
    }
    if (result)
        return ebb_fail(err, EBB_UNSUPPORTED, "The kernel refuses the program's own filters for system calls (error %d): it can go on in VM mode only.",
                        (int)-(int64_t)result);
    return EBB_OK;
}

static ebb_status install(x86_vm *vm, machine_tid tid, const vm_filter *f, bool for_all, ebb_error *err)
{
    size_t nbytes = sizeof(struct sock_fprog) + f->n * sizeof f->code[0];
    uint64_t at = 0, flags = (f->flags & ~(uint64_t)SECCOMP_FILTER_FLAG_TSYNC) | (for_all ? SECCOMP_FILTER_FLAG_TSYNC : 0);
    EBB_TRY(find_loan(vm, tid, nbytes, &at, err));
    uint8_t *kept = ebb_alloc(nbytes);
    ebb_status status = machine_read(vm->native, at, kept, nbytes, err);
    if (status == EBB_OK) {
        status = install_at(vm, tid, f, flags, at, err);
        ebb_error ignored;
        if (machine_write(vm->native, at, kept, nbytes, status == EBB_OK ? err : &ignored) != EBB_OK && status == EBB_OK)
            status = EBB_SYSTEM;
    }
    free(kept);
    return status;
}

static ebb_status install_chain(x86_vm *vm, machine_tid tid, const vm_filter *newest, bool for_all, ebb_error *err)
{
    if (!newest)
        return EBB_OK;
    EBB_TRY(install_chain(vm, tid, newest->older, for_all, err));
    return install(vm, tid, newest, for_all, err);
}

/* All threads have the same, by calls that can be made for all: the kernel shall know that, too. */
static bool are_all_the_same(const x86_vm *vm)
{
    const vm_filter *newest = vm->threads.items[0].filter;
    for (size_t i = 1; i < vm->threads.n; i++)
        if (vm->threads.items[i].filter != newest)
            return false;
    for (const vm_filter *f = newest; f; f = f->older)
        if (f->number != SYS_seccomp)
            return false;
    return true;
}

ebb_status vm_filters_give_to_kernel(x86_vm *vm, ebb_error *err)
{
    if (!vm->threads.n || vm->filters_are_real)
        return EBB_OK;
    bool for_all = are_all_the_same(vm);
    for (size_t i = 0; i < (for_all ? 1 : vm->threads.n); i++)
        EBB_TRY(install_chain(vm, vm->threads.items[i].tid, vm->threads.items[i].filter, for_all, err));
    for (size_t i = 0; i < vm->threads.n; i++)
        vm->filters_are_real = vm->filters_are_real || vm->threads.items[i].filter;
    return EBB_OK;
}

/* ---- for a child ------------------------------------------------------------------------------ */

/* A newborn stands after the instruction that made it: it can make another call there. */
static bool call_in_child(pid_t child, const struct user_regs_struct *born, const call *c, int64_t *result)
{
    struct user_regs_struct r = *born;
    int status;
    r.rip -= 2;
    r.orig_rax = (uint64_t)-1;
    r.rax = (uint64_t)c->number;
    r.rdi = c->args[0], r.rsi = c->args[1], r.rdx = c->args[2], r.r10 = c->args[3], r.r8 = c->args[4], r.r9 = c->args[5];
    if (ptrace(PTRACE_SETREGS, child, 0, &r) != 0 || ptrace(PTRACE_SINGLESTEP, child, 0, 0) != 0)
        return false;
    while (waitpid(child, &status, __WALL) < 0)
        if (errno != EINTR)
            return false;
    if (!WIFSTOPPED(status) || ptrace(PTRACE_GETREGS, child, 0, &r) != 0)
        return false;
    *result = (int64_t)r.rax;
    return true;
}

static bool give_chain(pid_t child, const struct user_regs_struct *born, const vm_filter *newest)
{
    int64_t result;
    if (!newest)
        return true;
    if (!give_chain(child, born, newest->older))
        return false;
    call c = call_of(newest, newest->flags & ~(uint64_t)SECCOMP_FILTER_FLAG_TSYNC, newest->address + offsetof(x86_filter, program));
    if (!call_in_child(child, born, &c, &result))
        return false;
    if (result == -EACCES)
        return call_in_child(child, born, &no_new_privs, &result) && call_in_child(child, born, &c, &result) && result == 0;
    return result == 0;
}

void vm_filters_give_to_child(x86_vm *vm, pid_t parent, pid_t child)
{
    const vm_thread *t = vm_thread_find(vm, parent);
    struct user_regs_struct born;
    uint64_t held = vm_held_signals(), mask;
    if (!t || !t->filter || vm->filters_are_real)
        return;
    bool done = ptrace(PTRACE_GETREGS, child, 0, &born) == 0 && ptrace(PTRACE_GETSIGMASK, child, sizeof mask, &mask) == 0 &&
                ptrace(PTRACE_SETSIGMASK, child, sizeof held, &held) == 0;
    done = done && give_chain(child, &born, t->filter);
    if (done && ptrace(PTRACE_SETREGS, child, 0, &born) == 0 && ptrace(PTRACE_SETSIGMASK, child, sizeof mask, &mask) == 0)
        return;
    kill(child, SIGKILL); /* rather than let it do what its parent may not */
}
