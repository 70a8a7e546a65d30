/** Two locks in two orders. */
public class LockOrder {
    static final Object a = new Object(), b = new Object();
    static int n;

    static void both(Object first, Object second) {
        synchronized (first) {
            synchronized (second) {
                n++;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Thread other = new Thread(() -> both(a, b));
        other.start();
        both(b, a);
        other.join();
    }
}
