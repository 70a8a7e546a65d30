/* A thread that spins, and gets signals, while another one executes what only the CPU can: it is stopped all the time, and anywhere. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

enum { ROUNDS = 200 };
static volatile int signals, done;

static void handle(int signal)
{
    signals++;
}

static void *make_old_calls(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        long pid;
        __asm__ volatile("int $0x80" : "=a"(pid) : "a"(20) : "memory", "r8", "r9", "r10", "r11");
    }
    done = 1;
    return NULL;
}

static void set_timer(int microseconds)
{
    struct itimerval every = {{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &every, NULL);
}

int main(void)
{
    pthread_t thread;
    sigset_t set;
    sigaction(SIGALRM, &(struct sigaction){.sa_handler = handle}, NULL);
    sigfillset(&set);
    pthread_sigmask(SIG_SETMASK, &set, NULL);
    pthread_create(&thread, NULL, make_old_calls, NULL);
    sigemptyset(&set);
    pthread_sigmask(SIG_SETMASK, &set, NULL);
    set_timer(5000); /* far slower than a signal is delivered under ebb: else nothing but signals would happen */
    while (!done || !signals)
        ;
    set_timer(0);
    pthread_join(thread, NULL);
    puts("done");
    return 0;
}
