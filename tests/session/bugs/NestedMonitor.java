/** wait gives back the inner lock only; who should notify needs the outer one. */
public class NestedMonitor {
    static final Object outer = new Object(), inner = new Object();
    static boolean ready;

    static void await() {
        synchronized (outer) {
            synchronized (inner) {
                try {
                    while (!ready)
                        inner.wait();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
    }

    public static void main(String[] args) throws Exception {
        Thread other = new Thread(NestedMonitor::await);
        other.start();
        synchronized (outer) {
            synchronized (inner) {
                ready = true;
                inner.notifyAll();
            }
        }
        other.join();
    }
}
