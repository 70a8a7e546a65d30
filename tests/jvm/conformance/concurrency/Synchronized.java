package concurrency;

/** Counting under contention: methods, blocks, static, recursive, and without a lock on volatile flags. */
public class Synchronized {
    static int a;
    int b;
    static volatile boolean stop;

    static synchronized void incA() {
        a++;
    }

    synchronized void incB(int depth) {
        b++;
        if (depth > 0) {
            incB(depth - 1);
        }
    }

    public static void main(String[] args) throws Exception {
        Synchronized o = new Synchronized();
        int[] c = new int[1];
        Thread[] ts = new Thread[8];
        for (int i = 0; i < ts.length; i++) {
            ts[i] = new Thread(() -> {
                for (int k = 0; k < 1000; k++) {
                    incA();
                    o.incB(2);
                    synchronized (c) {
                        c[0]++;
                    }
                    if (k % 100 == 0) {
                        Thread.yield();
                    }
                }
            });
            ts[i].start();
        }
        for (Thread t : ts) {
            t.join();
        }
        System.out.println(a + " " + o.b + " " + c[0]);
        Thread spin = new Thread(() -> {
            while (!stop) {
                Thread.onSpinWait();
            }
        });
        spin.start();
        stop = true;
        spin.join();
        System.out.println("stopped");
    }
}
