package programs;

/** Conway's game of life on a torus. */
public class Life {
    public static void main(String[] args) {
        int n = 24;
        boolean[][] g = new boolean[n][n];
        int[][] glider = {{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}, {10, 10}, {11, 10}, {12, 10}, {10, 11}, {12, 12}, {11, 13}};
        for (int[] p : glider) {
            g[p[1]][p[0]] = true;
        }
        for (int t = 0; t < 60; t++) {
            boolean[][] next = new boolean[n][n];
            for (int y = 0; y < n; y++) {
                for (int x = 0; x < n; x++) {
                    int c = 0;
                    for (int d = 0; d < 9; d++) {
                        if (d != 4 && g[(y + d / 3 - 1 + n) % n][(x + d % 3 - 1 + n) % n]) {
                            c++;
                        }
                    }
                    next[y][x] = c == 3 || c == 2 && g[y][x];
                }
            }
            g = next;
        }
        for (boolean[] row : g) {
            StringBuilder sb = new StringBuilder();
            for (boolean b : row) {
                sb.append(b ? '#' : '.');
            }
            System.out.println(sb);
        }
    }
}
