package kernels;

/** Sparse matrix times vector, rows stored compressed. */
final class Sparse extends Kernel {
    @Override
    long work() {
        int n = 1000;
        int perRow = 5;
        int[] start = new int[n + 1];
        int[] col = new int[n * perRow];
        double[] val = new double[n * perRow];
        double[] x = new double[n];
        double[] y = new double[n];
        Rng r = new Rng(4);
        for (int i = 0; i < n; i++) {
            x[i] = r.unit();
            start[i + 1] = start[i] + perRow;
            for (int k = start[i]; k < start[i + 1]; k++) {
                col[k] = r.bits(20) % n;
                val[k] = r.unit();
            }
        }
        for (int round = 0; round < 1000; round++) {
            for (int i = 0; i < n; i++) {
                double sum = 0;
                for (int k = start[i]; k < start[i + 1]; k++) {
                    sum += x[col[k]] * val[k];
                }
                y[i] = sum;
            }
        }
        double total = 0;
        for (double v : y) {
            total += v;
        }
        return Math.round(total * 1e9);
    }
}
