/* signals.c - a program gets so many signals, one after the other. */
#include <signal.h>
#include <stdlib.h>

static volatile int n_handled;

static void handle(int signal)
{
    n_handled += signal == SIGUSR1;
}

int main(int argc, char **argv)
{
    signal(SIGUSR1, handle);
    for (int n = atoi(argv[argc - 1]); n_handled < n;)
        raise(SIGUSR1);
    return 0;
}
