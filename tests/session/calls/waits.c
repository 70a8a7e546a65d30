/* waits.c - every kind of call that waits, each in a thread of its own, while another thread is stopped by the debugger again and again.
 * No signal comes, so none of them may tell of an interruption; those with a timeout wait for that long, and not much longer:
 * the ticks go on until all are done.  "visited": until a line comes in. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SHORT_MS = 400, TICK_MS = 10, TICKS = 20 };

static const struct timespec span = {0, SHORT_MS * 1000000};
static int waker[2], queue, semaphores, watch, folder_fd;
static sigset_t some;

static int epolls(void) { struct epoll_event e; return epoll_wait(queue, &e, 1, -1); }
static int semops(void) { struct sembuf b = {0, -1, 0}; return semop(semaphores, &b, 1); }
static int inotifies(void) { char b[4096]; return read(watch, b, sizeof b) > 0; }
static int reads(void) { char c; return recv(waker[0], &c, 1, MSG_PEEK); }
static int polls(void) { struct pollfd p = {waker[0], POLLIN}; return poll(&p, 1, -1); }
static int selects(void) { fd_set s; FD_ZERO(&s); FD_SET(waker[0], &s); return select(waker[0] + 1, &s, 0, 0, 0); }

static int epolls_shortly(void) { struct epoll_event e; int q = epoll_create1(0); return epoll_wait(q, &e, 1, SHORT_MS); }
static int epolls_span(void) { struct epoll_event e; int q = epoll_create1(0); return syscall(SYS_epoll_pwait2, q, &e, 1, &span, NULL, 8); }
static int semops_shortly(void) { struct sembuf b = {1, -1, 0}; return semtimedop(semaphores, &b, 1, &span); }
static int sigwaits_shortly(void) { return sigtimedwait(&some, NULL, &span); }
static int polls_shortly(void) { return poll(NULL, 0, SHORT_MS); }
static int ppolls_shortly(void) { return ppoll(NULL, 0, &span, NULL); }
static int selects_shortly(void) { struct timeval t = {0, SHORT_MS * 1000}; return select(0, 0, 0, 0, &t); }
static int sleeps(void) { return nanosleep(&span, NULL); }
static int sleeps_by_clock(void) { return clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL); }
static int futexes(void) { int word = 0; return syscall(SYS_futex, &word, 0 /* WAIT */, 0, &span, NULL, 0); }

typedef struct wait_case {
    const char *name;
    int (*function)(void);
    int ms; /* at least */
    int result, error;
    volatile int done;
    long took;
} wait_case;

#define ENDLESS(name) {#name, name, 0}
#define SHORTLY(name) {#name, name, SHORT_MS}
static wait_case cases[] = {ENDLESS(epolls), ENDLESS(semops), ENDLESS(inotifies), ENDLESS(reads), ENDLESS(polls), ENDLESS(selects),
                            SHORTLY(epolls_shortly), SHORTLY(epolls_span), SHORTLY(semops_shortly), SHORTLY(sigwaits_shortly), SHORTLY(polls_shortly),
                            SHORTLY(ppolls_shortly), SHORTLY(selects_shortly), SHORTLY(sleeps), SHORTLY(sleeps_by_clock), SHORTLY(futexes)};
enum { N_CASES = sizeof cases / sizeof cases[0], N_ENDLESS = 6 };

static long now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void *wait_for_it(void *argument)
{
    wait_case *c = argument;
    long begin = now_ms();
    errno = 0;
    c->result = c->function();
    c->error = errno;
    c->took = now_ms() - begin;
    c->done = 1;
    return NULL;
}

__attribute__((noinline)) void tick(void) { __asm__ volatile(""); }

static int n_done(void)
{
    int n = 0;
    for (int i = 0; i < N_CASES; i++)
        n += cases[i].done;
    return n;
}

static void wake_endless(void)
{
    struct sembuf up = {0, 1, 0};
    write(waker[1], "x", 1);
    semop(semaphores, &up, 1);
    unlink("waits.woken");
    close(open("waits.woken", O_CREAT | O_RDWR, 0600));
    unlink("waits.woken");
}

int main(int n, char **words)
{
    int n_cases = n > 1 ? N_ENDLESS : N_CASES;
    int visited = n > 1 && strcmp(words[1], "visited") == 0;
    pthread_t t[N_CASES];
    socketpair(AF_UNIX, SOCK_STREAM, 0, waker);
    struct timeval hour = {3600, 0};
    setsockopt(waker[0], SOL_SOCKET, SO_RCVTIMEO, &hour, sizeof hour); /* such a socket's calls are not restarted by the kernel */
    queue = epoll_create1(0);
    struct epoll_event in = {.events = EPOLLIN};
    epoll_ctl(queue, EPOLL_CTL_ADD, waker[0], &in);
    semaphores = semget(IPC_PRIVATE, 2, 0600);
    watch = inotify_init();
    inotify_add_watch(watch, ".", IN_CREATE);
    sigemptyset(&some);
    sigaddset(&some, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &some, NULL);
    for (int i = 0; i < n_cases; i++)
        pthread_create(&t[i], NULL, wait_for_it, &cases[i]);
    if (visited) {
        puts("ready");
        fflush(stdout);
        getchar();
    }
    for (int i = visited ? TICKS : 0; i < TICKS || (n_cases > N_ENDLESS && n_done() < n_cases - N_ENDLESS); i++) {
        usleep(TICK_MS * 1000);
        tick();
    }
    wake_endless();
    for (int i = 0; i < n_cases; i++) {
        pthread_join(t[i], NULL);
        printf("%s: %d %d, %s\n", cases[i].name, cases[i].result, cases[i].error, cases[i].took >= cases[i].ms ? "in time" : "too early");
    }
    semctl(semaphores, 0, IPC_RMID);
    return 0;
}
