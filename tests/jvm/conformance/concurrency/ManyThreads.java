package concurrency;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** A thousand threads alive at once. */
public class ManyThreads {
    public static void main(String[] args) throws Exception {
        int n = 1000;
        AtomicInteger sum = new AtomicInteger();
        CountDownLatch ready = new CountDownLatch(n);
        CountDownLatch go = new CountDownLatch(1);
        Thread[] ts = new Thread[n];
        for (int i = 0; i < n; i++) {
            int k = i;
            ts[i] = new Thread(() -> {
                ready.countDown();
                try {
                    go.await();
                } catch (InterruptedException e) {
                    return;
                }
                sum.addAndGet(k);
            });
            ts[i].start();
        }
        ready.await();
        System.out.println("all up " + sum.get());
        go.countDown();
        for (Thread t : ts) {
            t.join();
        }
        System.out.println(sum.get());
    }
}
