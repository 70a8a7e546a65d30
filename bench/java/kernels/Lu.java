package kernels;

/** LU factorisation with partial pivoting. */
final class Lu extends Kernel {
    @Override
    long work() {
        int n = 250;
        double[][] a = new double[n][n];
        Rng r = new Rng(5);
        for (double[] row : a) {
            for (int j = 0; j < n; j++) {
                row[j] = r.unit();
            }
        }
        int swaps = 0;
        for (int j = 0; j < n; j++) {
            int p = j;
            for (int i = j + 1; i < n; i++) {
                if (Math.abs(a[i][j]) > Math.abs(a[p][j])) {
                    p = i;
                }
            }
            if (p != j) {
                double[] t = a[p];
                a[p] = a[j];
                a[j] = t;
                swaps++;
            }
            double inverse = 1 / a[j][j];
            for (int i = j + 1; i < n; i++) {
                double[] row = a[i];
                double[] top = a[j];
                double f = row[j] *= inverse;
                for (int k = j + 1; k < n; k++) {
                    row[k] -= f * top[k];
                }
            }
        }
        return swaps * 1000000L + Math.round(Math.abs(a[n - 1][n - 1]) * 1e5);
    }
}
