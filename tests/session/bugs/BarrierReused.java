/** A barrier that is used again before everybody has left it. */
public class BarrierReused {
    static final int PARTIES = 2;
    static int waiting;

    static synchronized void await() throws InterruptedException {
        waiting++;
        if (waiting == PARTIES) {
            waiting = 0;
            BarrierReused.class.notifyAll();
            return;
        }
        while (waiting != 0)
            BarrierReused.class.wait();
    }

    static void twice() {
        try {
            await();
            Thread.yield();
            await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Thread other = new Thread(BarrierReused::twice);
        other.start();
        twice();
        other.join();
    }
}
