package exceptions;

/** finally blocks and locks are kept in order while the stack overflows. */
public class StackOverflowFinally {
    static int in;
    static int out;
    static final Object LOCK = new Object();

    static void down() {
        in++;
        try {
            synchronized (LOCK) {
                down();
            }
        } finally {
            out++;
        }
    }

    public static void main(String[] args) {
        try {
            down();
        } catch (StackOverflowError e) {
            System.out.println("caught " + (in - out <= 1) + " " + Thread.holdsLock(LOCK));
        }
    }
}
