/* Sorts slowly. */
enum { N = 22000 };
static int numbers[N];

int main(void)
{
    unsigned seed = 1;
    for (int i = 0; i < N; i++)
        numbers[i] = (int)((seed = seed * 1103515245 + 12345) >> 8);
    for (int end = N - 1; end > 0; end--)
        for (int i = 0; i < end; i++)
            if (numbers[i] > numbers[i + 1]) {
                int t = numbers[i];
                numbers[i] = numbers[i + 1];
                numbers[i + 1] = t;
            }
    return numbers[0] <= numbers[N - 1] ? 0 : 1;
}
