package concurrency;

/** A bounded buffer by wait and notifyAll. */
public class WaitNotify {
    static final Object LOCK = new Object();
    static final int[] BUFFER = new int[3];
    static int count;
    static int put;
    static int take;

    static void put(int v) throws InterruptedException {
        synchronized (LOCK) {
            while (count == BUFFER.length) {
                LOCK.wait();
            }
            BUFFER[put++ % BUFFER.length] = v;
            count++;
            LOCK.notifyAll();
        }
    }

    static int take() throws InterruptedException {
        synchronized (LOCK) {
            while (count == 0) {
                LOCK.wait();
            }
            count--;
            LOCK.notifyAll();
            return BUFFER[take++ % BUFFER.length];
        }
    }

    public static void main(String[] args) throws Exception {
        Thread[] producers = new Thread[4];
        for (int p = 0; p < 4; p++) {
            int base = p * 1000;
            producers[p] = new Thread(() -> {
                try {
                    for (int i = 0; i < 250; i++) {
                        put(base + i);
                    }
                } catch (InterruptedException e) {
                    throw new RuntimeException(e);
                }
            });
            producers[p].start();
        }
        long sum = 0;
        for (int i = 0; i < 1000; i++) {
            sum += take();
        }
        for (Thread t : producers) {
            t.join();
        }
        System.out.println(sum + " " + count);
    }
}
