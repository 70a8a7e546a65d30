/* filters.c - filters for system calls (seccomp): all actions, several filters, children, programs that are executed. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define NUMBER BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define ARCH BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch))
#define ARGUMENT BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0]))
#define ON(value, answer) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1), BPF_STMT(BPF_RET | BPF_K, answer)
#define OTHERWISE(answer) BPF_STMT(BPF_RET | BPF_K, answer)
#define FILTER(name, ...) struct sock_filter name##_code[] = {__VA_ARGS__}; struct sock_fprog name = {sizeof name##_code / 8, name##_code}
#define SHOW(call) do { errno = 0; long result_ = (long)(call); printf("%s: %ld %d\n", #call, result_, errno); } while (0)
#define INSTALL(flags, filter) SHOW(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &filter))

static void on_trap(int signal, siginfo_t *info, void *context)
{
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    printf("trap %d %d %d %x, rax %lld, %d %d\n", info->si_code, info->si_errno, info->si_syscall, info->si_arch, r[REG_RAX],
           (greg_t)info->si_call_addr == r[REG_RIP], r[REG_RCX] == r[REG_RIP]);
    r[REG_RAX] = 77;
}

/* What of it is still there in a child, or in another program. */
static int show_rest(void)
{
    SHOW(syscall(SYS_getuid));
    SHOW(syscall(SYS_getpgid, 0));
    SHOW(prctl(PR_GET_SECCOMP));
    return 4;
}

static void become_other(const char *what)
{
    execl("/proc/self/exe", "filters", what, NULL);
    _exit(1);
}

static void show_children(void)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        SHOW(syscall(SYS_getppid));
        become_other("rest");
    }
    waitpid(child, &status, 0);
    printf("%x\n", status);
    if ((child = vfork()) == 0)
        become_other("rest");
    waitpid(child, &status, 0);
    printf("%x\n", status);
}

static void actions(void)
{
    FILTER(wrong, BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 2), OTHERWISE(SECCOMP_RET_ALLOW));
    FILTER(endless, BPF_STMT(BPF_JMP | BPF_JA, 3), OTHERWISE(SECCOMP_RET_ALLOW));
    FILTER(one, ARCH, BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0), OTHERWISE(SECCOMP_RET_ERRNO | 7), NUMBER,
           ON(SYS_getuid, SECCOMP_RET_ERRNO | 33), ON(SYS_getppid, SECCOMP_RET_TRAP | 9), ON(SYS_getegid, SECCOMP_RET_TRACE | 1),
           ON(SYS_getgid, SECCOMP_RET_USER_NOTIF), ON(SYS_getsid, SECCOMP_RET_LOG), ON(SYS_clock_gettime, SECCOMP_RET_ERRNO | 1),
           ON(SYS_getpriority, SECCOMP_RET_ERRNO | 5000), ON(SYS_geteuid, SECCOMP_RET_ERRNO), OTHERWISE(SECCOMP_RET_ALLOW));
    FILTER(two, NUMBER, ON(SYS_getuid, SECCOMP_RET_ERRNO | 44), ON(SYS_getpgid, SECCOMP_RET_ERRNO | 5), ARGUMENT, BPF_STMT(BPF_MISC | BPF_TAX, 0),
           BPF_STMT(BPF_STX, 3), BPF_STMT(BPF_LD | BPF_IMM, 0xff), BPF_STMT(BPF_ALU | BPF_AND | BPF_X, 0), BPF_STMT(BPF_ALU | BPF_LSH | BPF_K, 4),
           ON(0x420, SECCOMP_RET_ERRNO | 6), BPF_STMT(BPF_LD | BPF_MEM, 3), BPF_STMT(BPF_ALU | BPF_DIV | BPF_K, 100), ON(43, SECCOMP_RET_ERRNO | 8),
           OTHERWISE(SECCOMP_RET_ALLOW));
    struct timespec now;
    struct sock_fprog none = {0, one_code};
    SHOW(prctl(PR_GET_SECCOMP));
    SHOW(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
    INSTALL(0, wrong);
    INSTALL(0, endless);
    INSTALL(0, none);
    INSTALL(1 << 20, one);
    SHOW(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL));
    SHOW(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, (void *)8));
    SHOW(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &one));
    SHOW(prctl(PR_GET_SECCOMP));
    SHOW(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT));
    SHOW(syscall(SYS_getuid));
    SHOW(syscall(SYS_getppid));
    SHOW(syscall(SYS_getegid));
    SHOW(syscall(SYS_getgid));
    SHOW(syscall(SYS_getsid, 0) > 0);
    SHOW(syscall(SYS_getpriority, 0, 0));
    SHOW(syscall(SYS_geteuid));
    SHOW(clock_gettime(CLOCK_REALTIME, &now)); /* the vdso's */
    SHOW(syscall(SYS_clock_gettime, CLOCK_REALTIME, &now));
    long old_way = 20; /* getpid */
    __asm__ volatile("int $0x80" : "+a"(old_way) : : "memory", "r8", "r9", "r10", "r11");
    SHOW(old_way);
    INSTALL(SECCOMP_FILTER_FLAG_TSYNC, two);
    SHOW(syscall(SYS_getuid));
    SHOW(syscall(SYS_getpgid, 0));
    SHOW(syscall(SYS_close, 0x1242));
    SHOW(syscall(SYS_close, 4399));
    show_children();
}

static void kill_by(unsigned action)
{
    FILTER(deadly, NUMBER, ON(SYS_getppid, action), OTHERWISE(SECCOMP_RET_ALLOW));
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    INSTALL(0, deadly);
    syscall(SYS_getppid);
    printf("not reached\n");
}

static void strict(void)
{
    SHOW(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT));
    write(1, "still here\n", 11);
    syscall(SYS_getpid);
    write(1, "not reached\n", 12);
}

/* --- threads --- */

static pthread_barrier_t ready, go;

static void *ask_later(void *nothing)
{
    pthread_barrier_wait(&ready);
    pthread_barrier_wait(&go);
    SHOW(syscall(SYS_getpgid, 0));
    return NULL;
}

static void *ask_now(void *nothing)
{
    SHOW(syscall(SYS_getpgid, 0));
    SHOW(syscall(SYS_getsid, 0) > 0);
    return NULL;
}

static void *dies(void *nothing)
{
    syscall(SYS_getppid);
    printf("not reached\n");
    return NULL;
}

static void *has_its_own(void *nothing)
{
    FILTER(own, NUMBER, ON(SYS_getsid, SECCOMP_RET_ERRNO | 11), OTHERWISE(SECCOMP_RET_ALLOW));
    INSTALL(0, own);
    pthread_t t;
    pthread_create(&t, NULL, ask_now, NULL);
    pthread_join(t, NULL);
    pthread_barrier_wait(&ready);
    pthread_barrier_wait(&go);
    return NULL;
}

static void threads(void)
{
    FILTER(all, NUMBER, ON(SYS_getpgid, SECCOMP_RET_ERRNO | 5), ON(SYS_getppid, SECCOMP_RET_KILL_THREAD), OTHERWISE(SECCOMP_RET_ALLOW));
    pthread_t t;
    pthread_barrier_init(&ready, NULL, 2);
    pthread_barrier_init(&go, NULL, 2);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    pthread_create(&t, NULL, ask_later, NULL);
    pthread_barrier_wait(&ready);
    INSTALL(SECCOMP_FILTER_FLAG_TSYNC, all);
    pthread_barrier_wait(&go);
    pthread_join(t, NULL);
    pthread_create(&t, NULL, ask_now, NULL);
    pthread_join(t, NULL);
    pthread_create(&t, NULL, dies, NULL);
    pthread_join(t, NULL);
    pthread_create(&t, NULL, has_its_own, NULL);
    pthread_barrier_wait(&ready);
    INSTALL(SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_TSYNC_ESRCH, all); /* that one has what we haven't */
    pthread_barrier_wait(&go);
    pthread_join(t, NULL);
    SHOW(syscall(SYS_getsid, 0) > 0);
}

int main(int n, char **words)
{
    const char *what = words[1];
    struct sigaction trap = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO};
    setvbuf(stdout, NULL, _IONBF, 0);
    if (strcmp(what, "rest") == 0)
        return show_rest();
    sigaction(SIGSYS, &trap, NULL);
    if (strcmp(what, "actions") == 0) {
        actions();
        become_other("rest");
    }
    if (strcmp(what, "threads") == 0)
        threads();
    if (strcmp(what, "process") == 0)
        kill_by(SECCOMP_RET_KILL_PROCESS);
    if (strcmp(what, "thread") == 0)
        kill_by(SECCOMP_RET_KILL_THREAD);
    if (strcmp(what, "unknown") == 0)
        kill_by(0x12340000);
    if (strcmp(what, "strict") == 0)
        strict();
    if (strcmp(what, "blocked") == 0) {
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_BLOCK, &all, NULL);
        kill_by(SECCOMP_RET_TRAP);
    }
    if (strcmp(what, "ignored") == 0) {
        signal(SIGSYS, SIG_IGN);
        kill_by(SECCOMP_RET_TRAP);
    }
    return 0;
}
