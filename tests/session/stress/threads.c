/* Threads that are many, that spin, that die with locks in their hands.  Prints what is the same in every run. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_long total;

static void *add(void *n)
{
    atomic_fetch_add(&total, (intptr_t)n);
    return n;
}

static void many(int at_once, int rounds)
{
    static pthread_t threads[200];
    long joined = 0;
    for (int r = 0; r < rounds; r++) {
        for (intptr_t i = 0; i < at_once; i++)
            if (pthread_create(&threads[i], NULL, add, (void *)i))
                exit(3);
        for (int i = 0; i < at_once; i++) {
            void *n;
            pthread_join(threads[i], &n);
            joined += (intptr_t)n;
        }
    }
    printf("many: %ld %ld\n", atomic_load(&total), joined);
}

/* Neither of two threads makes a system call: each spins until the other one has been there. */
static atomic_int ball;

static void *play(void *side)
{
    for (int i = 0; i < 40; i++) {
        while (atomic_load(&ball) % 2 != (int)(intptr_t)side)
            ;
        atomic_fetch_add(&ball, 1);
    }
    return NULL;
}

static void spinning(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, play, (void *)0);
    pthread_create(&b, NULL, play, (void *)1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("spinning: %d\n", atomic_load(&ball));
}

/* All of them compute for ever; none gets much less than its share. */
enum { SPINNERS = 4 };
static struct { _Alignas(64) volatile long n; } counts[SPINNERS];
static atomic_int stop;

static void *count(void *who)
{
    while (!atomic_load_explicit(&stop, memory_order_relaxed))
        counts[(intptr_t)who].n++;
    return NULL;
}

static void fair(void)
{
    pthread_t threads[SPINNERS];
    for (intptr_t i = 0; i < SPINNERS; i++)
        pthread_create(&threads[i], NULL, count, (void *)i);
    usleep(800000);
    atomic_store(&stop, 1);
    long sum = 0, least = INT64_MAX;
    for (int i = 0; i < SPINNERS; i++) {
        pthread_join(threads[i], NULL);
        sum += counts[i].n;
        least = counts[i].n < least ? counts[i].n : least;
    }
    printf("fair: %s\n", least * SPINNERS * 5 > sum ? "yes" : "no");
}

/* Whoever dies with a robust lock leaves it to the next one. */
static pthread_mutex_t *robust;

static void *die_with_lock(void *unused)
{
    pthread_mutex_lock(robust);
    return NULL;
}

static void locks(void)
{
    int died = 0;
    pthread_mutexattr_t attributes;
    robust = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(robust, &attributes);
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, die_with_lock, NULL);
        if (i % 2)
            pthread_join(thread, NULL);
        else
            usleep(2000);
        int got = pthread_mutex_lock(robust);
        if (got == EOWNERDEAD)
            died++, pthread_mutex_consistent(robust);
        pthread_mutex_unlock(robust);
        if (i % 2 == 0) {
            pthread_join(thread, NULL);
            if (pthread_mutex_trylock(robust) == EOWNERDEAD)
                pthread_mutex_consistent(robust);
            pthread_mutex_unlock(robust);
        }
    }
    printf("locks: %s\n", died >= 10 ? "left behind" : "lost");
}

/* The word that the kernel clears and wakes as a thread ends, without a library in between. */
static int end_word;
static atomic_int raw_ran;

static int raw_thread(void *unused)
{
    atomic_fetch_add(&raw_ran, 1);
    return 0;
}

static void ends(void)
{
    int woken = 0;
    for (int i = 0; i < 50; i++) {
        static char stack[65536] __attribute__((aligned(16)));
        end_word = 1;
        int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | CLONE_CHILD_CLEARTID;
        if (clone(raw_thread, stack + sizeof stack, flags, NULL, NULL, NULL, &end_word) < 0)
            exit(4);
        while (__atomic_load_n(&end_word, __ATOMIC_ACQUIRE) == 1)
            syscall(SYS_futex, &end_word, FUTEX_WAIT, 1, NULL, NULL, 0);
        woken += end_word == 0;
    }
    printf("ends: %d %d\n", woken, atomic_load(&raw_ran));
}

static void *wait_for_ever(void *how)
{
    if (how)
        pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (;;)
        if (!how)
            pause();
}

static void cancelled(void)
{
    int n = 0;
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        void *result;
        pthread_create(&thread, NULL, wait_for_ever, (void *)(intptr_t)(i % 2));
        usleep(1000);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        n += result == PTHREAD_CANCELED;
    }
    printf("cancelled: %d\n", n);
}

static atomic_int handled;

static void on_signal(int signal)
{
    atomic_fetch_add(&handled, 1);
}

static void *be_signalled(void *gone)
{
    while (!atomic_load((atomic_int *)gone))
        ;
    return NULL;
}

/* Each signal is taken by the thread that it was sent to, which never calls the kernel. */
static void signals(void)
{
    atomic_int gone = 0;
    pthread_t threads[3];
    signal(SIGUSR1, on_signal);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, be_signalled, &gone);
    for (int i = 0; i < 60; i++) {
        pthread_kill(threads[i % 3], SIGUSR1);
        while (atomic_load(&handled) != i + 1)
            sched_yield();
    }
    atomic_store(&gone, 1);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("signals: %d\n", atomic_load(&handled));
}

static void *outlive(void *unused)
{
    usleep(50000);
    printf("the last one\n");
    return NULL;
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    many(200, 1);
    many(20, 10);
    spinning();
    fair();
    locks();
    ends();
    cancelled();
    signals();
    pthread_t last;
    pthread_create(&last, NULL, outlive, NULL);
    pthread_exit(NULL);
}
