/** Five threads, five locks: each holds one and wants the next. */
public class LockRing {
    static final int N = 5;
    static final Object[] locks = new Object[N];
    static int n;

    static void both(int i) {
        synchronized (locks[i]) {
            synchronized (locks[(i + 1) % N]) {
                n++;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < N; i++)
            locks[i] = new Object();
        for (int i = 0; i < N; i++) {
            int me = i;
            new Thread(() -> both(me)).start();
        }
    }
}
