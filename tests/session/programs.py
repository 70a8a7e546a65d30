"""Small programs that several tests debug."""

LIST = r"""
    #include <stdio.h>
    #include <stdlib.h>

    struct node { int value; struct node *next; };

    static int total;

    static int add(int a, int b)
    {
        int sum = a + b;
        return sum;
    }

    static struct node *push(struct node *head, int value)
    {
        struct node *fresh = malloc(sizeof *fresh);
        fresh->value = value;
        fresh->next = head;
        return fresh;
    }

    int main(int argc, char **argv)
    {
        struct node *head = 0;
        for (int i = 0; i < 3; i++)
            head = push(head, i * 10);
        for (struct node *at = head; at; at = at->next)
            total = add(total, at->value);
        printf("total %d\n", total);
        return argc > 1 ? 3 : 0;
    }
"""

CRASH = r"""
    int main(void)
    {
        int *nowhere = 0;
        return *nowhere;
    }
"""

SPIN = r"""
    #include <stdio.h>
    volatile int go_on = 1, turns;
    int main(void)
    {
        turns = 1, puts("spinning");
        fflush(stdout);
        while (go_on)
            turns++;
        return 0;
    }
"""

READER = r"""
    #include <stdio.h>
    int main(void)
    {
        char line[100];
        while (fgets(line, sizeof line, stdin))
            printf("got %s", line);
        return 0;
    }
"""

THREADS = r"""
    #include <pthread.h>
    #include <unistd.h>
    static pthread_barrier_t gate;
    static void meet(void) { }
    static void *work(void *arg)
    {
        long number = (long)arg;
        pthread_barrier_wait(&gate);
        pause();
        return (void *)number;
    }
    int main(void)
    {
        pthread_t a, b;
        pthread_barrier_init(&gate, 0, 3);
        pthread_create(&a, 0, work, (void *)1);
        pthread_create(&b, 0, work, (void *)2);
        pthread_barrier_wait(&gate);
        usleep(100000);
        meet();
        return 0;
    }
"""
