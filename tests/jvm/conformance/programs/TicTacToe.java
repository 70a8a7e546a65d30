package programs;

/** Perfect play by minimax, counted. */
public class TicTacToe {
    static int nodes;

    static int win(int b) {
        for (int m : new int[] {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124}) {
            if ((b & m) == m) {
                return 1;
            }
        }
        return 0;
    }

    static int best(int me, int you) {
        nodes++;
        if (win(you) != 0) {
            return -1;
        }
        if ((me | you) == 0777) {
            return 0;
        }
        int best = -2;
        for (int i = 0; i < 9; i++) {
            int bit = 1 << i;
            if (((me | you) & bit) == 0) {
                best = Math.max(best, -best(you, me | bit));
            }
        }
        return best;
    }

    public static void main(String[] args) {
        System.out.println(best(0, 0) + " " + nodes + " " + best(1, 2) + " " + best(0421 & 0400, 020));
    }
}
