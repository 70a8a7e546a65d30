/* All placements of fourteen queens. */
enum { N = 14 };
static int columns[N], up[2 * N], down[2 * N];
static long found;

static void place(int row)
{
    if (row == N) {
        found++;
        return;
    }
    for (int c = 0; c < N; c++) {
        if (columns[c] || up[row + c] || down[row - c + N])
            continue;
        columns[c] = up[row + c] = down[row - c + N] = 1;
        place(row + 1);
        columns[c] = up[row + c] = down[row - c + N] = 0;
    }
}

int main(void)
{
    place(0);
    return found == 365596 ? 0 : 1;
}
