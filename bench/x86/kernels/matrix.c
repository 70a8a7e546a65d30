/* Matrices of doubles. */
enum { N = 320 };
static double a[N][N], b[N][N], c[N][N];

int main(void)
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            a[i][k] = i + k, b[i][k] = i - k;
    for (int round = 0; round < 180; round++)
        for (int i = 0; i < N; i++)
            for (int k = 0; k < N; k++)
                for (int j = 0; j < N; j++)
                    c[i][j] += a[i][k] * b[k][j];
    return c[1][1] != 0 ? 0 : 1;
}
