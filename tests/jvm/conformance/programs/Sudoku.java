package programs;

/** A sudoku solved by backtracking with bit sets. */
public class Sudoku {
    final int[] cell = new int[81];
    final int[] row = new int[9];
    final int[] col = new int[9];
    final int[] box = new int[9];
    int tried;

    void set(int i, int v) {
        cell[i] = v;
        row[i / 9] ^= 1 << v;
        col[i % 9] ^= 1 << v;
        box[i / 27 * 3 + i % 9 / 3] ^= 1 << v;
    }

    boolean solve() {
        int best = -1;
        int options = 10;
        for (int i = 0; i < 81; i++) {
            if (cell[i] == 0) {
                int n = 9 - Integer.bitCount((row[i / 9] | col[i % 9] | box[i / 27 * 3 + i % 9 / 3]) & 0x3fe);
                if (n < options) {
                    options = n;
                    best = i;
                }
            }
        }
        if (best < 0) {
            return true;
        }
        int used = row[best / 9] | col[best % 9] | box[best / 27 * 3 + best % 9 / 3];
        for (int v = 1; v <= 9; v++) {
            if ((used >> v & 1) == 0) {
                tried++;
                set(best, v);
                if (solve()) {
                    return true;
                }
                int old = cell[best];
                set(best, old);
                cell[best] = 0;
            }
        }
        return false;
    }

    public static void main(String[] args) {
        Sudoku s = new Sudoku();
        String p = "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..";
        for (int i = 0; i < 81; i++) {
            if (p.charAt(i) != '.') {
                s.set(i, p.charAt(i) - '0');
            }
        }
        System.out.println(s.solve() + " " + s.tried);
        for (int r = 0; r < 9; r++) {
            StringBuilder sb = new StringBuilder();
            for (int c = 0; c < 9; c++) {
                sb.append(s.cell[r * 9 + c]);
            }
            System.out.println(sb);
        }
    }
}
