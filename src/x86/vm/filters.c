/* filters.c - keeps each filter with the one that was there before it, and tells the runtime which is the last of a thread. */
#include "x86/vm/filters.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the kernel's opinion --------------------------------------------------------------------- */

/* A child of our own tries it: 0, or the error. */
static int try_in_child(unsigned flags, const struct sock_fprog *program)
{
    volatile int *result = mmap(NULL, sizeof *result, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (result == MAP_FAILED)
        return ENOMEM;
    *result = ENOMEM;
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* it may not even be allowed to exit */
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        *result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, program) == 0 ? 0 : errno;
        _exit(0);
    }
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    int answer = *result;
    munmap((void *)result, sizeof *result);
    return answer;
}

static bool may_install(pid_t tid)
{
    enum { CAP_SYS_ADMIN = 21 };
    uint64_t no_new_privs = 0, capabilities = 0;
    return (x86_proc_status(tid, "NoNewPrivs", 10, &no_new_privs) && no_new_privs) ||
           (x86_proc_status(tid, "CapEff", 16, &capabilities) && capabilities >> CAP_SYS_ADMIN & 1);
}

/* ---- what there is ---------------------------------------------------------------------------- */

static vm_filter *filter_new(x86_vm *vm, const vm_filter *older, size_t n)
{
    vm_filter *f = ebb_alloc(sizeof *f + n * sizeof f->code[0]);
    *f = (vm_filter){.older = older, .n = n};
    ebb_vec_push(&vm->filters, f);
    return f;
}

static bool is_same_or_older(const vm_filter *f, const vm_filter *newest)
{
    if (!f)
        return true;
    while (newest && newest != f)
        newest = newest->older;
    return newest == f;
}

/* As the kernel counts. */
static size_t total_length(const vm_filter *newest)
{
    enum { EACH = 4 };
    size_t total = 0;
    for (const vm_filter *f = newest; f; f = f->older)
        total += f->n + EACH;
    return total;
}

void vm_filters_forget_runtime(x86_vm *vm)
{
    for (size_t i = 0; i < vm->filters.n; i++)
        vm->filters.items[i]->address = 0;
}

void vm_filters_fini(x86_vm *vm)
{
    for (size_t i = 0; i < vm->filters.n; i++)
        free(vm->filters.items[i]);
    ebb_vec_fini(&vm->filters);
}

/* ---- installing ------------------------------------------------------------------------------- */

/* As a filter, it allows four calls; what it denies is killed. */
static vm_filter *strict_new(x86_vm *vm)
{
    static const struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 5),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_THREAD),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    vm_filter *f = filter_new(vm, NULL, sizeof code / sizeof code[0]);
    f->strict = true;
    memcpy(f->code, code, sizeof code);
    return f;
}

static int64_t install_strict(x86_vm *vm, vm_thread *t)
{
    if (t->filter)
        return t->filter->strict ? 0 : -EINVAL;
    t->filter = strict_new(vm);
    t->filter->number = SYS_prctl;
    return 0;
}

/* Whether all threads can have what this one has: 0, or what the call answers. */
static int64_t can_all_have(x86_vm *vm, const vm_thread *t, uint64_t flags)
{
    for (size_t i = 0; i < vm->threads.n; i++)
        if (!is_same_or_older(vm->threads.items[i].filter, t->filter))
            return flags & SECCOMP_FILTER_FLAG_TSYNC_ESRCH ? -ESRCH : vm->threads.items[i].tid;
    return 0;
}

/* In the order of the kernel's own checks. */
static int64_t install_filter(x86_vm *vm, vm_thread *t, uint64_t number, uint64_t flags, uint64_t program_at)
{
    enum { MAX_ALL = 32768 };
    struct sock_fprog program;
    if (machine_read(vm->native, program_at, &program, sizeof program, NULL) != EBB_OK)
        return -EFAULT;
    if (program.len == 0 || program.len > BPF_MAXINSNS)
        return -EINVAL;
    if (!may_install((pid_t)t->tid))
        return -EACCES;
    if (t->filter && t->filter->strict)
        return -EINVAL;
    vm_filter *f = filter_new(vm, t->filter, program.len); /* if it isn't used, it goes with the others */
    if (machine_read(vm->native, (uint64_t)program.filter, f->code, program.len * sizeof f->code[0], NULL) != EBB_OK)
        return -EFAULT;
    f->number = number;
    f->flags = flags;
    int refused = try_in_child((unsigned)flags, &(struct sock_fprog){(unsigned short)f->n, f->code}); /* FI3 */
    if (refused)
        return -refused;
    if (total_length(f) > MAX_ALL)
        return -ENOMEM;
    bool all = flags & SECCOMP_FILTER_FLAG_TSYNC;
    int64_t not_all = all ? can_all_have(vm, t, flags) : 0;
    if (not_all)
        return not_all;
    t->filter = f;
    for (size_t i = 0; all && i < vm->threads.n; i++)
        vm->threads.items[i].filter = f;
    return 0;
}

static ebb_status install(x86_vm *vm, vm_thread *t, const struct user_regs_struct *r, int64_t *result, ebb_error *err)
{
    bool by_prctl = r->rax == SYS_prctl;
    bool strict = by_prctl ? r->rsi == SECCOMP_MODE_STRICT : r->rdi == SECCOMP_SET_MODE_STRICT;
    uint64_t flags = by_prctl ? 0 : r->rsi;
    if (!strict && (flags & SECCOMP_FILTER_FLAG_NEW_LISTENER))
        return ebb_fail(err, EBB_UNSUPPORTED,
                        "The program wants to listen to system calls (seccomp with a listener), which VM mode can't do.  Let it go on in native mode.");
    *result = strict ? install_strict(vm, t) : install_filter(vm, t, r->rax, flags, r->rdx);
    return EBB_OK;
}

ebb_status vm_filter_install(x86_vm *vm, machine_tid tid, ebb_error *err)
{
    struct user_regs_struct *now, r;
    int64_t result = 0;
    EBB_TRY(vm_regs(vm, tid, &now, err));
    EBB_TRY(install(vm, vm_thread_find(vm, tid), now, &result, err));
    r = *now;
    r.rax = (uint64_t)result;
    r.rip += 2;
    r.rcx = r.rip;
    r.r11 = r.eflags;
    r.orig_rax = (uint64_t)-1;
    vm_task(vm, tid)->skip = false;
    return vm_set_regs(vm, tid, &r, err);
}

/* ---- telling the runtime ---------------------------------------------------------------------- */

static ebb_status copy_into(x86_vm *vm, machine_tid tid, vm_filter *f, ebb_error *err)
{
    size_t nbytes = f->n * sizeof f->code[0];
    EBB_TRY(vm_map_pages(vm, tid, sizeof(x86_filter) + nbytes, PROT_READ | PROT_WRITE, &f->address, err));
    uint64_t code = f->address + offsetof(x86_filter, code);
    x86_filter head = {.older = f->older ? f->older->address : 0, .strict = f->strict,
                       .program = {(unsigned short)f->n, (struct sock_filter *)code}};
    EBB_TRY(machine_write(vm->native, f->address, &head, sizeof head, err));
    return machine_write(vm->native, code, f->code, nbytes, err);
}

/* The oldest first: they are in the list in the order in which they came. */
ebb_status vm_filters_tell(x86_vm *vm, vm_thread *t, ebb_error *err)
{
    if (t->filter == t->filter_told)
        return EBB_OK;
    for (size_t i = 0; i < vm->filters.n; i++)
        if (!vm->filters.items[i]->address && is_same_or_older(vm->filters.items[i], t->filter))
            EBB_TRY(copy_into(vm, t->tid, vm->filters.items[i], err));
    t->filter_told = t->filter;
    return vm_poke_u64(vm, t->tcb + offsetof(x86_tcb, filter), t->filter->address, err);
}

/* ---- filters that ebb doesn't know ------------------------------------------------------------ */

/* What the kernel says of a process; that of ebb itself is no hindrance, since a program under it has it, too. */
static uint64_t kernels_filters(pid_t tid)
{
    uint64_t mode = 0, n = 0;
    if (!x86_proc_status(tid, "Seccomp", 10, &mode) || mode == SECCOMP_MODE_DISABLED)
        return 0;
    return x86_proc_status(tid, "Seccomp_filters", 10, &n) && n ? n : 1;
}

ebb_status vm_filters_check(x86_vm *vm, ebb_error *err)
{
    for (size_t i = 0; i < vm->threads.n; i++)
        if (kernels_filters(vm_host_of(vm, vm->threads.items[i].tid)) > kernels_filters(getpid()))
            return ebb_fail(err, EBB_UNSUPPORTED,
                            "The kernel filters this program's system calls (seccomp), and would filter VM mode's own.  Use native mode.");
    return EBB_OK;
}
