/* handoffs.c - two threads hand a word to each other so many times, and wait for it busily. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int whose;
static int n;

static void *hand(void *second)
{
    int me = second != NULL;
    for (int i = 0; i < n / 2; i++) {
        while (atomic_load(&whose) != me)
            ;
        atomic_store(&whose, !me);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    n = atoi(argv[argc - 1]);
    pthread_create(&thread, NULL, hand, &n);
    hand(NULL);
    pthread_join(thread, NULL);
    return 0;
}
