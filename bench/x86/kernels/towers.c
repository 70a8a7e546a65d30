/* Towers of Hanoi: calls and little else. */
static long moves;

static void move(int n, int from, int to, int by)
{
    if (n == 0)
        return;
    move(n - 1, from, by, to);
    moves++;
    move(n - 1, by, to, from);
}

int main(void)
{
    for (int round = 0; round < 60; round++, moves = round < 60 ? 0 : moves)
        move(24, 0, 2, 1);
    return moves == (1 << 24) - 1 ? 0 : 1;
}
