package programs;

/** Dynamic programming over two-dimensional arrays. */
public class EditDistance {
    static String path(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int j = 0; j <= b.length(); j++) {
                d[i][j] = i == 0 ? j : j == 0 ? i : Math.min(Math.min(d[i - 1][j], d[i][j - 1]) + 1, d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1));
            }
        }
        StringBuilder sb = new StringBuilder();
        int i = a.length();
        int j = b.length();
        while (i > 0 || j > 0) {
            if (i > 0 && j > 0 && d[i][j] == d[i - 1][j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1)) {
                sb.append(a.charAt(--i) == b.charAt(--j) ? '=' : '~');
            } else if (i > 0 && d[i][j] == d[i - 1][j] + 1) {
                sb.append('-');
                i--;
            } else {
                sb.append('+');
                j--;
            }
        }
        return d[a.length()][b.length()] + " " + sb.reverse();
    }

    public static void main(String[] args) {
        System.out.println(path("kitten", "sitting"));
        System.out.println(path("", "abc"));
        System.out.println(path("the quick brown fox jumps", "a quack crown box jumped"));
        System.out.println(path("same", "same"));
    }
}
