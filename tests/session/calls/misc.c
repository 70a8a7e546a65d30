/* misc.c - the calls by which a program asks about, or changes, itself. */
#include <asm/prctl.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <linux/sched.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define SHOW(call) do { errno = 0; long result_ = (long)(call); printf("%s: %ld %d\n", #call, result_, errno); } while (0)
extern char **environ;

/* ---- what prctl knows ---- */

static void prctls(void)
{
    char name[16] = {0};
    int value = -1;
    SHOW(prctl(PR_SET_NAME, "another name"));
    SHOW(prctl(PR_GET_NAME, name));
    printf("%s\n", name);
    SHOW(prctl(PR_GET_DUMPABLE));
    SHOW(prctl(PR_SET_DUMPABLE, 0));
    SHOW(prctl(PR_GET_DUMPABLE));
    SHOW(prctl(PR_SET_DUMPABLE, 1));
    SHOW(prctl(PR_SET_PDEATHSIG, SIGUSR1));
    SHOW(prctl(PR_GET_PDEATHSIG, &value));
    SHOW(value);
    SHOW(prctl(PR_SET_PDEATHSIG, 0));
    SHOW(prctl(PR_SET_CHILD_SUBREAPER, 1));
    SHOW(prctl(PR_GET_CHILD_SUBREAPER, &value));
    SHOW(value);
    SHOW(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
    SHOW(prctl(PR_GET_TIMERSLACK));
    SHOW(prctl(PR_GET_KEEPCAPS));
    SHOW(prctl(PR_CAPBSET_READ, 0));
    SHOW(prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0));
    SHOW(prctl(PR_GET_TSC, &value));
    SHOW(value);
    SHOW(prctl(PR_SET_MM, PR_SET_MM_ARG_START, 8, 0, 0));
    SHOW(prctl(12345));
}

/* ---- instructions that fault if the program says so ---- */

static int faults;

static void on_fault(int signal, siginfo_t *info, void *context)
{
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    unsigned char *insn = (unsigned char *)r[REG_RIP];
    printf("%d %d, at %02x %02x\n", signal, info->si_code, insn[0], insn[1]);
    r[REG_RIP] += 2;
    faults++;
}

static void *read_clock(void *nothing)
{
    unsigned low = 0;
    __asm__ volatile("rdtsc" : "+a"(low) : : "rdx");
    return NULL;
}

static void forbidden(void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    pthread_t t;
    sigaction(SIGSEGV, &action, NULL);
    read_clock(NULL);
    SHOW(prctl(PR_SET_TSC, PR_TSC_SIGSEGV));
    read_clock(NULL);
    pthread_create(&t, NULL, read_clock, NULL);
    pthread_join(t, NULL);
    SHOW(prctl(PR_SET_TSC, PR_TSC_ENABLE));
    read_clock(NULL);
    SHOW(faults);
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (syscall(SYS_arch_prctl, ARCH_SET_CPUID, 0) == 0) {
        __asm__ volatile("cpuid" : "+a"(a), "+b"(b), "+c"(c), "+d"(d));
        syscall(SYS_arch_prctl, ARCH_SET_CPUID, 1);
    }
    SHOW(faults);
}

/* ---- lists and words that the kernel looks at when a thread ends ---- */

static struct {
    struct robust_list_head head;
    struct {
        struct robust_list list;
        int futex;
    } lock;
} robust;
static int cleared = 1;

static void *dies_holding(void *nothing)
{
    robust.head = (struct robust_list_head){{&robust.lock.list}, offsetof(__typeof__(robust.lock), futex) - offsetof(__typeof__(robust.lock), list), NULL};
    robust.lock.list.next = &robust.head.list;
    robust.lock.futex = gettid();
    SHOW(syscall(SYS_set_robust_list, &robust.head, sizeof robust.head));
    SHOW(syscall(SYS_set_robust_list, &robust.head, 5));
    struct robust_list_head *got;
    size_t nbytes;
    SHOW(syscall(SYS_get_robust_list, 0, &got, &nbytes));
    SHOW(got == &robust.head && nbytes == sizeof robust.head);
    SHOW(syscall(SYS_set_tid_address, &cleared) == gettid());
    syscall(SYS_exit, 0);
    return NULL;
}

static void ends(void)
{
    pthread_t t;
    pthread_create(&t, NULL, dies_holding, NULL);
    while (__atomic_load_n(&cleared, __ATOMIC_SEQ_CST))
        syscall(SYS_futex, &cleared, FUTEX_WAIT, 1, NULL, NULL, 0);
    SHOW(robust.lock.futex == (int)FUTEX_OWNER_DIED);
}

/* ---- memory that others might look at ---- */

static void memory(void)
{
    char from[] = "across", to[8] = {0};
    struct iovec local = {to, 7}, remote = {from, 7}, nowhere = {(void *)16, 7};
    SHOW(process_vm_readv(getpid(), &local, 1, &remote, 1, 0));
    puts(to);
    SHOW(process_vm_readv(getpid(), &local, 1, &nowhere, 1, 0));
    SHOW(syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0) > 0);
    SHOW(syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0));
    SHOW(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0));
    int memory = open("/proc/self/mem", O_RDWR);
    SHOW(pwrite(memory, "x", 1, (off_t)from));
    puts(from);
    SHOW(madvise(from, 3, 99));
    SHOW(syscall(SYS_userfaultfd, 12345));
    SHOW(syscall(SYS_io_uring_setup, 0, NULL));
}

/* ---- clone3 ---- */

typedef struct clone_args args;

/* In the caller's frame, which the child may share. */
static inline __attribute__((always_inline)) long clone_by(args *a, size_t nbytes)
{
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "0"(SYS_clone3), "D"(a), "S"(nbytes) : "rcx", "r11", "memory");
    return result;
}

static int shared;

static __attribute__((noinline)) void in_thread(void)
{
    shared = 42;
    syscall(SYS_exit, 0);
}

static void clones(void)
{
    int descriptor = -1, parent_tid = 0, child_tid = 0, status;
    siginfo_t info = {0};
    args fork_like = {.flags = CLONE_PIDFD | CLONE_PARENT_SETTID | CLONE_CHILD_SETTID, .pidfd = (uintptr_t)&descriptor, .parent_tid = (uintptr_t)&parent_tid,
                      .child_tid = (uintptr_t)&child_tid, .exit_signal = SIGCHLD};
    pid_t child = clone_by(&fork_like, sizeof fork_like);
    if (child == 0)
        _exit(child_tid == getpid() ? 9 : 1);
    SHOW(parent_tid == child && descriptor > 2);
    SHOW(waitid(P_PIDFD, descriptor, &info, WEXITED));
    SHOW(info.si_status);
    SHOW(syscall(SYS_pidfd_send_signal, descriptor, 0, NULL, 0));

    args vfork_like = {.flags = CLONE_VM | CLONE_VFORK, .exit_signal = SIGCHLD};
    shared = 0;
    if ((child = clone_by(&vfork_like, sizeof vfork_like)) == 0) {
        shared = 7;
        _exit(8);
    }
    SHOW(waitpid(child, &status, 0) == child);
    SHOW(status);
    SHOW(shared);

    char *stack = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(stack, 0x55, 65536);
    int word = 1;
    args thread_like = {.flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_CLEARTID | CLONE_PARENT_SETTID,
                        .stack = (uintptr_t)stack, .stack_size = 8192, .child_tid = (uintptr_t)&word, .parent_tid = (uintptr_t)&parent_tid};
    long result;
    __asm__ volatile("syscall; test %%eax, %%eax; jnz 1f; add $16384, %%rsp; call *%3; 1:" : "=a"(result)
                     : "0"(SYS_clone3), "D"(&thread_like), "r"(in_thread), "S"(sizeof thread_like) : "rcx", "r11", "memory");
    SHOW(result > 0);
    while (__atomic_load_n(&word, __ATOMIC_SEQ_CST))
        syscall(SYS_futex, &word, FUTEX_WAIT, 1, NULL, NULL, 0);
    SHOW(shared);
    SHOW(memcmp(stack + 8192 - 64, stack, 64)); /* nothing but the thread itself writes to its stack */

    args beside = {.flags = CLONE_VM | CLONE_FILES, .exit_signal = SIGCHLD, .stack = (uintptr_t)stack, .stack_size = 8192};
    shared = 0;
    __asm__ volatile("syscall; test %%eax, %%eax; jnz 1f; add $16384, %%rsp; call *%3; 1:" : "=a"(result)
                     : "0"(SYS_clone3), "D"(&beside), "r"(in_thread), "S"(sizeof beside) : "rcx", "r11", "memory");
    SHOW(waitpid(result, &status, 0) == result);
    SHOW(status);
    SHOW(shared);

    SHOW(clone_by((args *)8, sizeof(args)));
    SHOW(clone_by(&fork_like, 8));
    args wrong = {.flags = CLONE_THREAD};
    SHOW(clone_by(&wrong, sizeof wrong));
    args with_signal = {.exit_signal = 500};
    SHOW(clone_by(&with_signal, sizeof with_signal));
}

/* ---- taking everything away that isn't known ---- */

/* Closes every descriptor, and unmaps every mapping that isn't of a file, the stack or the heap. */
static void clean_up(void)
{
    char line[512];
    for (int round = 0; round < 2; round++) {
        FILE *maps = fopen("/proc/self/maps", "r");
        unsigned long lo[200], hi[200];
        int n = 0, failed = 0;
        while (fgets(line, sizeof line, maps))
            if (n < 200 && sscanf(line, "%lx-%lx", &lo[n], &hi[n]) == 2 && !strchr(line, '/') && !strchr(line, '[') && lo[n] < 0x200000000000)
                n++;
        fclose(maps);
        for (int i = 0; i < n; i++)
            failed += munmap((void *)lo[i], hi[i] - lo[i]) != 0;
        printf("%d failed\n", failed);
    }
    for (int i = 3; i < 1024; i++)
        close(i);
    SHOW(syscall(SYS_close_range, 3, ~0u, 0));
    SHOW(open("/dev/null", O_RDONLY));
}

/* ---- nothing can be opened any more ---- */

static void no_files(void)
{
    struct rlimit none = {0, 0};
    SHOW(setrlimit(RLIMIT_NOFILE, &none));
    SHOW(open("/dev/null", O_RDONLY));
    for (int i = 0; i < 3; i++) { /* mov $50000000, %ecx; 1: dec %ecx; jnz 1b; mov $i, %eax; ret */
        unsigned char code[] = {0xb9, 0x80, 0xf0, 0xfa, 0x02, 0xff, 0xc9, 0x75, 0xfc, 0xb8, i, 0, 0, 0, 0xc3};
        void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        memcpy(page, code, sizeof code);
        mprotect(page, 4096, PROT_READ | PROT_EXEC);
        SHOW(((int (*)(void))page)());
    }
}

/* ---- other programs ---- */

static void executes(const char *how)
{
    char *words[] = {"misc", "executed", (char *)how, NULL}, *for_script[] = {"script", "word", NULL};
    if (strcmp(how, "execveat") == 0)
        syscall(SYS_execveat, open("/proc/self/exe", O_RDONLY | O_CLOEXEC), "", words, environ, AT_EMPTY_PATH);
    if (strcmp(how, "folder") == 0)
        syscall(SYS_execveat, open("/bin", O_RDONLY | O_DIRECTORY), "echo", words, environ, 0);
    if (strcmp(how, "memfd") == 0) {
        int file = memfd_create("copy", MFD_CLOEXEC), self = open("/proc/self/exe", O_RDONLY);
        char block[4096];
        for (ssize_t n; (n = read(self, block, sizeof block)) > 0;)
            write(file, block, n);
        fexecve(file, words, environ);
    }
    if (strcmp(how, "script") == 0) {
        int file = memfd_create("script", 0);
        dprintf(file, "#!/bin/sh\necho a script with $1\nexit 3\n");
        fexecve(file, for_script, environ);
    }
    if (strcmp(how, "missing") == 0) {
        SHOW(execl("/no/such/program", "it", NULL));
        SHOW(syscall(SYS_execveat, -1, "", words, environ, AT_EMPTY_PATH));
        SHOW(execve("/dev/null", words, environ));
        exit(6);
    }
    perror(how);
}

static greg_t was_at;
static volatile greg_t *in_frame;

static void note_frame(int signal, siginfo_t *info, void *context)
{
    in_frame = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    was_at = *in_frame;
}

/* On a stack of its own a handler's frame stays to be looked at. */
static void frames(void)
{
    static char room[1 << 16];
    stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
    struct sigaction action = {.sa_sigaction = note_frame, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    printf("left as it was: %d\n", *in_frame == was_at);
}

static void *from_thread(void *how)
{
    executes(how);
    return NULL;
}

int main(int n, char **words)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    if (strcmp(words[1], "executed") == 0)
        return printf("%s\n", words[2]) > 0 ? 11 : 1;
    if (strcmp(words[1], "prctl") == 0)
        prctls();
    if (strcmp(words[1], "forbidden") == 0)
        forbidden();
    if (strcmp(words[1], "ends") == 0)
        ends();
    if (strcmp(words[1], "memory") == 0)
        memory();
    if (strcmp(words[1], "clone3") == 0)
        clones();
    if (strcmp(words[1], "clean") == 0)
        clean_up();
    if (strcmp(words[1], "frames") == 0)
        frames();
    if (strcmp(words[1], "files") == 0)
        no_files();
    if (strcmp(words[1], "execute") == 0)
        executes(words[2]);
    if (strcmp(words[1], "thread") == 0) {
        pthread_t t;
        pthread_create(&t, NULL, from_thread, words[2]);
        pause();
    }
    return 0;
}
