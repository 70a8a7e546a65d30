/* calls.c - eight threads, each with so many small system calls. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int n;

static void *call(void *unused)
{
    for (int i = 0; i < n; i++)
        syscall(SYS_getppid);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t threads[8];
    n = atoi(argv[argc - 1]);
    for (int i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, call, NULL);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
