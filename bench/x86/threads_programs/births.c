/* births.c - so many threads are born and die, one after the other. */
#include <pthread.h>
#include <stdlib.h>

static void *live(void *unused)
{
    return unused;
}

int main(int argc, char **argv)
{
    for (int i = 0, n = atoi(argv[argc - 1]); i < n; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, live, NULL);
        pthread_join(thread, NULL);
    }
    return 0;
}
