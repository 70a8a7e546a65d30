import java.util.*;
import java.util.concurrent.*;

/** Timers and their tasks, futures that time completes, and tasks of a scheduled pool in which nothing of the program is executed. */
public class Times {
    static final StringBuilder order = new StringBuilder();

    static void note(Object what) {
        synchronized (order) {
            order.append(Thread.currentThread().getName().replaceAll(".*-", "")).append(':').append(what).append(' ');
        }
    }

    static class Beat extends TimerTask {
        final String name;
        int left;

        Beat(String name, int left) {
            this.name = name;
            this.left = left;
        }

        @Override public void run() {
            note(name + left);
            if (--left == 0)
                cancel();
        }

        @Override public boolean cancel() {
            boolean was = super.cancel();
            note(name + was);
            return was;
        }
    }

    static class Named extends Timer {
        Named() {
            super("own", true);
        }

        @Override public void schedule(TimerTask task, long delay) {
            note("schedule" + delay);
            super.schedule(task, delay);
        }
    }

    static void timers() throws Exception {
        Timer first = new Timer(), second = new Named();
        Beat a = new Beat("a", 1), b = new Beat("b", 3), c = new Beat("c", 2), d = new Beat("d", 1);
        first.schedule(a, 5);
        first.schedule(d, 5);
        first.schedule(b, 2, 3);
        first.scheduleAtFixedRate(c, 2, 3);
        second.schedule(new Beat("e", 1), 4);
        second.schedule(new TimerTask() {
            @Override public void run() {
                throw new IllegalStateException("ends its timer");
            }
        }, 6);
        Thread.sleep(5);
        d.cancel();
        Thread.sleep(4);
        note("purged" + first.purge());
        Thread.sleep(20);
        first.cancel();
        try {
            first.schedule(new Beat("f", 1), 1);
        } catch (IllegalStateException e) {
            note(e.getMessage());
        }
        try {
            second.schedule(a, 1);
        } catch (IllegalStateException e) {
            note(e.getMessage());
        }
    }

    static void futures() throws Exception {
        CompletableFuture<String> f = new CompletableFuture<>(), g = new CompletableFuture<>(), h = new CompletableFuture<>();
        f.completeOnTimeout("f", 3, TimeUnit.MILLISECONDS);
        CompletableFuture<String> late = g.orTimeout(4, TimeUnit.MILLISECONDS).handle((x, e) -> x + "/" + (e == null ? "" : e.getClass().getSimpleName()));
        h.orTimeout(1, TimeUnit.HOURS);
        Executor later = CompletableFuture.delayedExecutor(2, TimeUnit.MILLISECONDS, r -> {
            note("handed");
            r.run();
        });
        CompletableFuture<Void> k = CompletableFuture.runAsync(() -> h.complete("h"), later);
        Thread t = new Thread(() -> note(g.complete("g")));
        t.start();
        note(f.get() + late.join() + h.get());
        k.join();
        t.join();
    }

    static void bare() throws Exception {
        ScheduledExecutorService pool = Executors.newScheduledThreadPool(1);
        CountDownLatch two = new CountDownLatch(2);
        pool.schedule(two::countDown, 3, TimeUnit.MILLISECONDS);
        pool.schedule(two::countDown, 1, TimeUnit.MILLISECONDS);
        while (!two.await(1, TimeUnit.MILLISECONDS))
            note(two.getCount());
        pool.shutdown();
        note(pool.awaitTermination(1, TimeUnit.MINUTES));
    }

    public static void main(String[] args) throws Exception {
        timers();
        futures();
        bare();
        System.out.println(order);
    }
}
