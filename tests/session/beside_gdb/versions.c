/* Library functions of which there are two versions, a function that calls itself on one line, and a name that libc has, too. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_cond_t nobody = PTHREAD_COND_INITIALIZER;
static volatile int pool = 42; /* libc has statics of these names in files of its own */
static volatile int initialized = 7;
typedef struct pair {
    int a, b;
} pair;
static volatile pair tree = {3, 4};

__attribute__((noinline, noipa)) static int fact(int n)
{
    return n < 2 ? 1 : fact(n - 1) * 2 + fact(n - 2);
}

__attribute__((noinline, noipa)) static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

int main(int argc, char **argv)
{
    double x = argc;
    x = exp(x);
    x = pow(x, argc + 0.5);
    pthread_cond_signal(&nobody);
    int f = fact(4);
    f += fib(4);
    printf("%g %d %d %d\n", x, f, pool, argv[1][0]);
    return tree.a + initialized > 50;
}
