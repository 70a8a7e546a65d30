import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;

/** Pools, futures, latches, barriers, synchronized methods through lambdas, notifyAll with several waiters. */
public class Pools {
    static final StringBuilder order = new StringBuilder();
    static final AtomicInteger atomic = new AtomicInteger();
    static final Semaphore permits = new Semaphore(1);
    static int stage;

    static synchronized void note(String what) {
        order.append(what).append(' ');
    }

    static synchronized void await(String name, int wanted) {
        try {
            while (stage < wanted)
                Pools.class.wait();
        } catch (InterruptedException e) {
            note("!");
        }
        note(name + stage);
    }

    static synchronized void advance() {
        stage++;
        Pools.class.notifyAll();
    }

    static int task(String name) {
        int n = atomic.getAndIncrement();
        note(name + n);
        Thread.yield();
        try {
            permits.acquire();
            note(name + "p");
            permits.release();
        } catch (InterruptedException e) {
            note(name + "i");
        }
        return atomic.incrementAndGet();
    }

    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        List<Future<Integer>> all = new ArrayList<>();
        for (String name : List.of("x", "y", "z"))
            all.add(pool.submit(() -> task(name)));
        Runnable step = () -> advance();
        Thread a = new Thread(() -> await("a", 1)), b = new Thread(() -> await("b", 2)), c = new Thread(step);
        a.start();
        b.start();
        c.start();
        step.run();
        for (Future<Integer> f : all)
            note("f" + f.get());
        CountDownLatch latch = new CountDownLatch(1);
        CompletableFuture<String> future = new CompletableFuture<>();
        future.thenAccept(text -> note("c" + text));
        Thread d = new Thread(() -> {
            future.complete("d");
            latch.countDown();
        });
        d.start();
        future.complete("m");
        latch.await();
        a.join();
        b.join();
        c.join();
        d.join();
        pool.shutdown();
        System.out.println(order);
    }
}
