/* A fast Fourier transform, there and back. */
#include <complex.h>
#include <math.h>

enum { BITS = 17, N = 1 << BITS };
static double complex data[N];

static void transform(int sign)
{
    for (unsigned i = 0, k = 0; i < N; i++) {
        if (i < k) {
            double complex t = data[i];
            data[i] = data[k];
            data[k] = t;
        }
        unsigned bit = N >> 1;
        for (; k & bit; bit >>= 1)
            k ^= bit;
        k |= bit;
    }
    for (unsigned size = 2; size <= N; size *= 2) {
        double complex step = cexp(sign * 2 * M_PI * I / size);
        for (unsigned at = 0; at < N; at += size) {
            double complex w = 1;
            for (unsigned i = 0; i < size / 2; i++, w *= step) {
                double complex u = data[at + i], v = data[at + i + size / 2] * w;
                data[at + i] = u + v;
                data[at + i + size / 2] = u - v;
            }
        }
    }
}

int main(void)
{
    for (int i = 0; i < N; i++)
        data[i] = i % 17;
    for (int round = 0; round < 120; round++) {
        transform(1);
        transform(-1);
        for (int i = 0; i < N; i++)
            data[i] /= N;
    }
    return fabs(creal(data[5]) - 5) < 1e-3 ? 0 : 1;
}
