package programs;

/** Five philosophers eat by an order on forks; a bank that moves money under locks. */
public class Philosophers {
    static final int[] ACCOUNT = new int[10];
    static final Object[] LOCK = new Object[10];

    static void move(int from, int to, int amount) {
        Object a = LOCK[Math.min(from, to)];
        Object b = LOCK[Math.max(from, to)];
        synchronized (a) {
            synchronized (b) {
                ACCOUNT[from] -= amount;
                ACCOUNT[to] += amount;
            }
        }
    }

    public static void main(String[] args) throws Exception {
        for (int i = 0; i < 10; i++) {
            LOCK[i] = new Object();
            ACCOUNT[i] = 1000;
        }
        int[] eaten = new int[5];
        Thread[] ts = new Thread[10];
        for (int i = 0; i < 10; i++) {
            int me = i;
            ts[i] = new Thread(() -> {
                for (int k = 0; k < 500; k++) {
                    if (me < 5) {
                        Object a = LOCK[Math.min(me, (me + 1) % 5)];
                        Object b = LOCK[Math.max(me, (me + 1) % 5)];
                        synchronized (a) {
                            synchronized (b) {
                                eaten[me]++;
                            }
                        }
                    } else {
                        move((me * 7 + k) % 10, (me * 3 + 2 * k + 1) % 10, k % 20);
                    }
                }
            });
            ts[i].start();
        }
        for (Thread t : ts) {
            t.join();
        }
        System.out.println(java.util.Arrays.toString(eaten) + " " + java.util.Arrays.stream(ACCOUNT).sum());
    }
}
