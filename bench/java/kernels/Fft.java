package kernels;

/** Radix-2 complex Fourier transform, forward and back. */
final class Fft extends Kernel {
    private static final int N = 4096;

    @Override
    long work() {
        double[] d = new double[2 * N];
        Rng r = new Rng(1);
        for (int i = 0; i < d.length; i++) {
            d[i] = r.unit();
        }
        for (int i = 0; i < 20; i++) {
            transform(d, -1);
            transform(d, 1);
            for (int j = 0; j < d.length; j++) {
                d[j] /= N;
            }
        }
        double sum = 0;
        for (double v : d) {
            sum += v;
        }
        return Math.round(sum * 1e6);
    }

    private static void transform(double[] d, int sign) {
        reverse(d);
        for (int span = 1; span < N; span *= 2) {
            double theta = sign * Math.PI / span;
            double s = Math.sin(theta / 2);
            double wr = -2 * s * s;
            double wi = Math.sin(theta);
            double cr = 1;
            double ci = 0;
            for (int m = 0; m < span; m++) {
                for (int i = m; i < N; i += 2 * span) {
                    int a = 2 * i;
                    int b = 2 * (i + span);
                    double tr = cr * d[b] - ci * d[b + 1];
                    double ti = cr * d[b + 1] + ci * d[b];
                    d[b] = d[a] - tr;
                    d[b + 1] = d[a + 1] - ti;
                    d[a] += tr;
                    d[a + 1] += ti;
                }
                double t = cr;
                cr += cr * wr - ci * wi;
                ci += ci * wr + t * wi;
            }
        }
    }

    private static void reverse(double[] d) {
        for (int i = 0, j = 0; i < N; i++) {
            if (i < j) {
                double re = d[2 * i];
                double im = d[2 * i + 1];
                d[2 * i] = d[2 * j];
                d[2 * i + 1] = d[2 * j + 1];
                d[2 * j] = re;
                d[2 * j + 1] = im;
            }
            int bit = N >> 1;
            while ((j & bit) != 0) {
                j ^= bit;
                bit >>= 1;
            }
            j |= bit;
        }
    }
}
