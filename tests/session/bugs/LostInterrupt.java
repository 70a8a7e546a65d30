/** The interrupt comes while the worker does not wait, and is cleared by who looks first. */
public class LostInterrupt {
    static final Object lock = new Object();

    static void work() {
        if (Thread.interrupted())
            ; // a log line was here once; the flag is clear now
        try {
            synchronized (lock) {
                lock.wait();
            }
        } catch (InterruptedException e) {
            return;
        }
    }

    public static void main(String[] args) throws Exception {
        Thread worker = new Thread(LostInterrupt::work);
        worker.start();
        Thread.yield();
        worker.interrupt();
        worker.join();
    }
}
