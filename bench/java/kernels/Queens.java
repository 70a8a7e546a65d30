package kernels;

/** All ways to place eight queens, several times over. */
final class Queens extends Kernel {
    private static final int N = 8;
    private final int[] row = new int[N];
    private int found;

    private boolean free(int column, int r) {
        for (int c = 0; c < column; c++) {
            int d = row[c] - r;
            if (d == 0 || d == column - c || d == c - column) {
                return false;
            }
        }
        return true;
    }

    private void place(int column) {
        if (column == N) {
            found++;
            return;
        }
        for (int r = 0; r < N; r++) {
            if (free(column, r)) {
                row[column] = r;
                place(column + 1);
            }
        }
    }

    @Override
    long work() {
        found = 0;
        for (int i = 0; i < 80; i++) {
            place(0);
        }
        return found;
    }
}
