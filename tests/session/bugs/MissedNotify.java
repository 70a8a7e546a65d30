/** The flag is looked at outside of the lock: the notification comes between that and the wait. */
public class MissedNotify {
    static final Object lock = new Object();
    static boolean ready;

    static void await() {
        try {
            if (!ready)
                synchronized (lock) {
                    lock.wait();
                }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Thread other = new Thread(MissedNotify::await);
        other.start();
        ready = true;
        synchronized (lock) {
            lock.notify();
        }
        other.join();
    }
}
