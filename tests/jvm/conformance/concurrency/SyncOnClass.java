package concurrency;

/** Class objects, strings and boxed values as locks; notify picks one, notifyAll all. */
public class SyncOnClass {
    static int woken;

    public static void main(String[] args) throws Exception {
        Thread[] ts = new Thread[5];
        for (int i = 0; i < ts.length; i++) {
            ts[i] = new Thread(() -> {
                synchronized (SyncOnClass.class) {
                    try {
                        SyncOnClass.class.wait();
                        woken++;
                    } catch (InterruptedException e) {
                        throw new RuntimeException(e);
                    }
                }
            });
            ts[i].start();
            while (ts[i].getState() != Thread.State.WAITING) {
                Thread.sleep(1);
            }
        }
        synchronized (SyncOnClass.class) {
            SyncOnClass.class.notify();
        }
        while (true) {
            synchronized (SyncOnClass.class) {
                if (woken > 0) {
                    break;
                }
            }
            Thread.sleep(1);
        }
        Thread.sleep(20);
        synchronized (SyncOnClass.class) {
            System.out.println(woken);
            SyncOnClass.class.notifyAll();
        }
        for (Thread t : ts) {
            t.join();
        }
        System.out.println(woken);
    }
}
