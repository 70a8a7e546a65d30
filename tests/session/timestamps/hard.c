/* Control flow that is hard to count: jumps out of functions, computed ones, loops without a head, calls back from libraries, threads. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static jmp_buf env;
static volatile int tries;

static void thrower(int n)
{
    if (n == 0)
        longjmp(env, ++tries);
    thrower(n - 1);
}

static int jumps(void)
{
    volatile int s = 0;
    if (setjmp(env) < 5) {
        s += tries;
        thrower(3);
    }
    return s;
}

static int computed(const char *p)
{
    static void *places[] = {&&a, &&b, &&e};
    int n = 0;
    goto *places[(int)*p];
a:
    n += 1;
    p++;
    goto *places[(int)*p];
b:
    n *= 3;
    p++;
    goto *places[(int)*p];
e:
    return n;
}

static int back(int n)
{
    int s = 0;
again:
    s += n;
    if (--n > 0)
        goto again;
    return s;
}

static int irreducible(int n, int k)
{
    int s = 0;
    if (k)
        goto middle;
top:
    s += 3;
middle:
    s ^= n;
    if (--n > 0)
        goto top;
    return s;
}

static long even(long n);

static long odd(long n)
{
    return n == 0 ? 0 : even(n - 1);
}

static long even(long n)
{
    return n == 0 ? 1 : odd(n - 1);
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static double nest(int n)
{
    double m[16][16], s = 0;
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++)
            m[i][j] = i * n + j;
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 16; j++) {
            if (m[i][j] > 200)
                break;
            s += m[i][j];
            if (s > 1e6)
                return s;
        }
    return s;
}

static void *thread(void *out)
{
    long s = 0;
    for (int i = 0; i < 1000; i++)
        s += back(5);
    *(long *)out = s;
    return NULL;
}

static int turns(int n)
{
    int r = 0;
    while (n > 0)
        switch (n % 3) {
        case 0:
            n -= 2;
            continue;
        case 1:
            r++; /* fall through */
        default:
            n--;
        }
    return r;
}

static int various(int n, ...)
{
    va_list args;
    int s = 0;
    va_start(args, n);
    while (n--)
        s += va_arg(args, int);
    va_end(args);
    return s;
}

int main(int argc, char **argv)
{
    static const char program[] = {0, 1, 1, 0, 1, 2};
    int a[50];
    long out[4];
    pthread_t threads[4];
    for (int i = 0; i < 50; i++)
        a[i] = i * 7919 % 101;
    qsort(a, 50, sizeof *a, compare);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, thread, &out[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%d %d %d %d %ld %d %f %ld %d %d\n", jumps(), computed(program), back(10), irreducible(9, argc - 1), even(1000), a[25],
           nest(argc), out[3], turns(30), various(4, 1, 2, 3, 4));
    return 0;
}
