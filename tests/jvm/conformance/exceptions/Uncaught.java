package exceptions;

/** An exception that nobody catches: text on stderr, exit status 1, buffered output kept. */
public class Uncaught {
    public static void main(String[] args) {
        System.out.println("before");
        level(3);
    }

    static void level(int n) {
        if (n == 0) {
            throw new IllegalStateException("deep", new RuntimeException("cause"));
        }
        level(n - 1);
    }
}
