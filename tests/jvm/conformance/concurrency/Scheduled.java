package concurrency;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Scheduled executors: order by delay, repetition, cancellation. */
public class Scheduled {
    public static void main(String[] args) throws Exception {
        ScheduledExecutorService s = Executors.newScheduledThreadPool(1);
        StringBuffer order = new StringBuffer();
        CountDownLatch all = new CountDownLatch(3);
        s.schedule(() -> {
            order.append("c");
            all.countDown();
        }, 400, TimeUnit.MILLISECONDS);
        s.schedule(() -> {
            order.append("a");
            all.countDown();
        }, 1, TimeUnit.MILLISECONDS);
        s.schedule(() -> {
            order.append("b");
            all.countDown();
        }, 150, TimeUnit.MILLISECONDS);
        all.await();
        System.out.println(order);
        AtomicInteger n = new AtomicInteger();
        CountDownLatch five = new CountDownLatch(5);
        ScheduledFuture<?> f = s.scheduleAtFixedRate(() -> {
            n.incrementAndGet();
            five.countDown();
        }, 0, 2, TimeUnit.MILLISECONDS);
        five.await();
        System.out.println(f.cancel(false) + " " + (n.get() >= 5) + " " + f.isCancelled());
        System.out.println(s.schedule(() -> 42, 1, TimeUnit.MILLISECONDS).get());
        System.out.println(s.shutdownNow().size());
    }
}
