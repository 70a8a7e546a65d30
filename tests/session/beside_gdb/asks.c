/* asks.c - a function with callers, for the functions of the debugger itself. */
#include <stdio.h>
enum color { RED, GREEN, BLUE = 4 };
static int inner(int n, enum color c)
{
    return n + (int)c;
}
static int outer(int n)
{
    return inner(n, GREEN) + 1;
}
int main(void)
{
    printf("%d\n", outer(3));
    return 0;
}
