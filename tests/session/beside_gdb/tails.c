/* Functions that end in a jump to another one, in all the ways that matter to a backtrace. */
#include <stdio.h>

#define APART __attribute__((noinline, noclone))

volatile int turns, sink;
typedef void handler(int);
handler *volatile any;

APART void leaf(int x)
{
    turns += x;
    sink = turns;
}

/* One way: leaf <- middle <- top <- calls_one_way */
APART void middle(int x)
{
    sink = 1;
    leaf(x + 1);
}

APART void top(int x)
{
    sink = 2;
    middle(x * 2);
}

APART int calls_one_way(int x)
{
    top(x);
    return turns + 1;
}

/* Two ways with a common beginning and end: start -> (left | right) -> join -> leaf */
APART void join(int x)
{
    sink = 3;
    leaf(x);
}

APART void left(int x)
{
    sink = 4;
    join(x + 10);
}

APART void right(int x)
{
    sink = 5;
    join(x + 20);
}

APART void fork_here(int x)
{
    sink = 6;
    if (x & 1)
        left(x);
    else
        right(x);
}

APART void start(int x)
{
    sink = 7;
    fork_here(x);
}

APART int calls_two_ways(int x)
{
    start(x);
    return turns + 2;
}

/* Nothing in common. */
APART void either(int x)
{
    if (x & 1)
        leaf(x);
    else
        middle(x);
}

APART int calls_either(int x)
{
    either(x);
    return turns + 3;
}

/* Through a pointer. */
APART void anywhere(int x)
{
    sink = 8;
    any(x);
}

APART int calls_anywhere(int x)
{
    anywhere(x);
    return turns + 4;
}

/* Round and round. */
void pong(int x);

APART void ping(int x)
{
    sink = 9;
    if (x > 0)
        pong(x - 1);
    else
        leaf(x);
}

APART void pong(int x)
{
    sink = 10;
    ping(x - 1);
}

APART int calls_rounds(int x)
{
    ping(x);
    return turns + 5;
}

/* The jump stands in an inlined function. */
static inline __attribute__((always_inline)) void within(int x)
{
    sink = 11;
    middle(x + 7);
}

APART void around(int x)
{
    turns++;
    within(x);
}

APART int calls_inlined(int x)
{
    around(x);
    return turns + 6;
}

int main(int argc, char **argv)
{
    int sum = calls_one_way(argc);
    sum += calls_two_ways(argc);
    sum += calls_either(argc);
    any = leaf;
    sum += calls_anywhere(argc);
    sum += calls_rounds(argc + 4);
    sum += calls_inlined(argc);
    printf("%d\n", sum);
    return 0;
}
