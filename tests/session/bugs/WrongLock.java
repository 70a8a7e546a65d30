/** Each thread locks something, but not the same thing. */
public class WrongLock {
    static Integer lock = 1000;
    static int count;

    static void add() {
        synchronized (lock) {
            lock = lock + 1;
            count++;
        }
    }

    public static void main(String[] args) throws Exception {
        Thread[] all = new Thread[3];
        for (int i = 0; i < all.length; i++)
            (all[i] = new Thread(WrongLock::add)).start();
        for (Thread t : all)
            t.join();
        if (count != all.length)
            throw new AssertionError(count);
    }
}
