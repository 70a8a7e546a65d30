/* dispatch.c - a program's own syscall user dispatch. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define SHOW(call) do { errno = 0; long result_ = (long)(call); int error_ = errno; selector = 0; printf("%s: %ld %d\n", #call, result_, error_); } while (0)
enum { DISPATCH = 59 };

static volatile unsigned char selector;
static int traps;

static void on_trap(int signal, siginfo_t *info, void *context)
{
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    selector = 0;
    traps++;
    printf("trap %d %d %d %x, rax %lld, %d\n", info->si_code, info->si_errno, info->si_syscall, info->si_arch, r[REG_RAX],
           (greg_t)info->si_call_addr == r[REG_RIP]);
    r[REG_RAX] = 1234;
}

static long blocked(long number)
{
    selector = 1;
    return syscall(number, 0);
}

static void *in_a_thread(void *nothing)
{
    SHOW(blocked(SYS_getsid) > 0);
    return NULL;
}

int main(int n, char **words)
{
    struct sigaction trap = {.sa_sigaction = on_trap, .sa_flags = SA_SIGINFO | SA_NODEFER};
    setvbuf(stdout, NULL, _IONBF, 0);
    sigaction(SIGSYS, &trap, NULL);
    SHOW(prctl(DISPATCH, 7, 0, 0, 0));
    SHOW(prctl(DISPATCH, 0, 1, 0, 0));
    SHOW(prctl(DISPATCH, 1, -1L, 4096, &selector));
    SHOW(prctl(DISPATCH, 1, 0, 0, -1L));
    SHOW(prctl(DISPATCH, 1, 0, 0, &selector));
    SHOW(blocked(SYS_getppid));
    SHOW(blocked(-5));
    pthread_t t;
    pthread_create(&t, NULL, in_a_thread, NULL); /* it has none of it */
    pthread_join(t, NULL);
    int status;
    pid_t child = fork();
    if (child == 0) {
        SHOW(blocked(SYS_getsid) > 0);
        _exit(3);
    }
    waitpid(child, &status, 0);
    printf("%x, %d traps\n", status, traps);
    unsigned long text = (unsigned long)syscall & ~0xfffffful; /* around the C library */
    SHOW(prctl(DISPATCH, 1, text, 0x2000000, &selector));
    SHOW(blocked(SYS_getsid) > 0);
    SHOW(prctl(DISPATCH, 0, 0, 0, 0));
    SHOW(blocked(SYS_getsid) > 0);
    if (n > 1) {
        prctl(DISPATCH, 1, 0, 0, strcmp(words[1], "unreadable") == 0 ? (void *)8 : (void *)&selector);
        selector = 9;
        syscall(SYS_getsid, 0);
    }
    return 5;
}
