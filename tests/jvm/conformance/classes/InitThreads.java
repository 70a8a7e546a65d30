package classes;

import java.util.concurrent.CountDownLatch;

/** One thread initialises, the other waits until it is done. */
public class InitThreads {
    static CountDownLatch entered = new CountDownLatch(1);
    static CountDownLatch go = new CountDownLatch(1);

    static class Slow {
        static int value;

        static {
            entered.countDown();
            try {
                go.await();
            } catch (InterruptedException e) {
                throw new RuntimeException(e);
            }
            value = 99;
        }
    }

    public static void main(String[] args) throws Exception {
        int[] got = new int[2];
        Thread a = new Thread(() -> got[0] = Slow.value);
        a.start();
        entered.await();
        Thread b = new Thread(() -> got[1] = Slow.value);
        b.start();
        Thread.sleep(50);
        go.countDown();
        a.join();
        b.join();
        System.out.println(got[0] + " " + got[1]);
    }
}
