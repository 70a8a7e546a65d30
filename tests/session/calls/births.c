/* births.c - threads and processes are made while another thread is stopped by the debugger all the time. */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 60 };
static volatile int done;
static int sum;

__attribute__((noinline)) void tick(void) { __asm__ volatile(""); }

static void *ticks(void *nothing)
{
    while (!done)
        tick();
    return NULL;
}

static void *adds(void *number)
{
    __atomic_add_fetch(&sum, (int)(long)number, __ATOMIC_SEQ_CST);
    return number;
}

int main(void)
{
    pthread_t ticker, a, b;
    int status, codes = 0;
    pthread_create(&ticker, NULL, ticks, NULL);
    for (long i = 0; i < N; i++) {
        pthread_create(&a, NULL, adds, (void *)i);
        pthread_create(&b, NULL, adds, (void *)(1000 * i));
        if (i % 10 == 0) {
            pid_t child = fork();
            if (child == 0)
                _exit(3);
            waitpid(child, &status, 0);
            codes += WEXITSTATUS(status);
        }
        pthread_join(a, NULL);
        pthread_join(b, NULL);
    }
    done = 1;
    pthread_join(ticker, NULL);
    printf("sum %d, codes %d\n", sum, codes);
    return 0;
}
