/* All permutations, by exchanging. */
static int items[11];
static long found;

static void exchange(int a, int b)
{
    int t = items[a];
    items[a] = items[b];
    items[b] = t;
}

static void permute(int n)
{
    found++;
    for (int i = n - 1; i >= 1; i--) {
        exchange(n - 1, i - 1);
        permute(n - 1);
        exchange(n - 1, i - 1);
    }
}

int main(void)
{
    for (int i = 0; i < 11; i++)
        items[i] = i;
    for (int round = 0; round < 320; round++)
        permute(10);
    return found > 0 ? 0 : 1;
}
