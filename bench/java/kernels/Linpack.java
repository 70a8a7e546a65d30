package kernels;

/** Solves a dense system by columns, with the three vector routines that Linpack is made of. */
final class Linpack extends Kernel {
    @Override
    long work() {
        int n = 280;
        double[][] a = new double[n][n];       /* by column */
        double[] b = new double[n];
        int[] pivot = new int[n];
        Rng r = new Rng(6);
        for (double[] column : a) {
            for (int i = 0; i < n; i++) {
                column[i] = r.unit() - 0.5;
                b[i] += column[i];
            }
        }
        factor(a, n, pivot);
        solve(a, n, pivot, b);
        double error = 0;
        for (double v : b) {
            error = Math.max(error, Math.abs(v - 1));
        }
        return error < 1e-6 ? Math.round(b[0] * 1000) : -1;
    }

    private static void factor(double[][] a, int n, int[] pivot) {
        for (int k = 0; k < n - 1; k++) {
            double[] ck = a[k];
            int l = largest(ck, k, n);
            pivot[k] = l;
            double t = ck[l];
            ck[l] = ck[k];
            ck[k] = t;
            scale(-1 / t, ck, k + 1, n);
            for (int j = k + 1; j < n; j++) {
                double[] cj = a[j];
                double s = cj[l];
                cj[l] = cj[k];
                cj[k] = s;
                addScaled(s, ck, cj, k + 1, n);
            }
        }
    }

    private static void solve(double[][] a, int n, int[] pivot, double[] b) {
        for (int k = 0; k < n - 1; k++) {
            double t = b[pivot[k]];
            b[pivot[k]] = b[k];
            b[k] = t;
            addScaled(t, a[k], b, k + 1, n);
        }
        for (int k = n - 1; k >= 0; k--) {
            b[k] /= a[k][k];
            addScaled(-b[k], a[k], b, 0, k);
        }
    }

    private static int largest(double[] x, int from, int to) {
        int at = from;
        for (int i = from + 1; i < to; i++) {
            if (Math.abs(x[i]) > Math.abs(x[at])) {
                at = i;
            }
        }
        return at;
    }

    private static void scale(double f, double[] x, int from, int to) {
        for (int i = from; i < to; i++) {
            x[i] *= f;
        }
    }

    private static void addScaled(double f, double[] x, double[] y, int from, int to) {
        for (int i = from; i < to; i++) {
            y[i] += f * x[i];
        }
    }
}
