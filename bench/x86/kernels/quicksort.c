/* Sorts random numbers. */
enum { N = 2000000 };
static int numbers[N];

static void sort(int lo, int hi)
{
    int i = lo, k = hi, middle = numbers[(lo + hi) / 2];
    while (i <= k) {
        while (numbers[i] < middle)
            i++;
        while (numbers[k] > middle)
            k--;
        if (i <= k) {
            int t = numbers[i];
            numbers[i++] = numbers[k];
            numbers[k--] = t;
        }
    }
    if (lo < k)
        sort(lo, k);
    if (i < hi)
        sort(i, hi);
}

int main(void)
{
    unsigned seed = 1;
    for (int round = 0; round < 6; round++) {
        for (int i = 0; i < N; i++)
            numbers[i] = (int)((seed = seed * 1103515245 + 12345) >> 1);
        sort(0, N - 1);
    }
    for (int i = 1; i < N; i++)
        if (numbers[i - 1] > numbers[i])
            return 1;
    return 0;
}
