/* One of several libraries that a program loads and unloads; FACTOR tells them apart. */
static int calls;

static int twice(int n)
{
    return 2 * n;
}

int answer(int n)
{
    return FACTOR * twice(n) + ++calls;
}
