/* worker.c - the last write is another thread's; the two never run at the same time. */
#include <pthread.h>

static int total, rounds;

static void add(int n)
{
    for (int i = 0; i < n; i++)
        total += i;
}

static void *work(void *nothing)
{
    add(5);
    rounds++;
    return nothing;
}

int main(void)
{
    add(4);
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        pthread_create(&thread, 0, work, 0);
        pthread_join(thread, 0);
    }
    add(1);
    return total != 36;
}
