/* A planted cause, found by running again: `limit` is overwritten by the loop that fills `cells`. */
#include <stdio.h>

static struct {
    int cells[8];
    int limit;
} table = {.limit = 100};

static void fill(int n)
{
    for (int i = 0; i < n; i++)
        table.cells[i] = i * 3;
}

static int check(void)
{
    return table.limit == 100;
}

int main(void)
{
    for (int round = 1; round < 10; round++) {
        fill(round);
        if (!check())
            printf("broken\n");
    }
    return 0;
}
