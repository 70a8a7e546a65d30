package kernels;

/** Successive over-relaxation on a square grid. */
final class Sor extends Kernel {
    @Override
    long work() {
        int n = 100;
        double[][] g = new double[n][n];
        Rng r = new Rng(2);
        for (double[] row : g) {
            for (int j = 0; j < n; j++) {
                row[j] = r.unit();
            }
        }
        double omega = 1.25;
        double quarter = omega * 0.25;
        double rest = 1 - omega;
        for (int round = 0; round < 300; round++) {
            for (int i = 1; i < n - 1; i++) {
                double[] up = g[i - 1];
                double[] row = g[i];
                double[] down = g[i + 1];
                for (int j = 1; j < n - 1; j++) {
                    row[j] = quarter * (up[j] + down[j] + row[j - 1] + row[j + 1]) + rest * row[j];
                }
            }
        }
        return Math.round(g[n / 2][n / 2] * 1e12);
    }
}
