import java.util.concurrent.*;
import java.util.concurrent.locks.LockSupport;

/** Tasks that are done later, workers to whom tasks are handed, daemons that outlive the program, and what threads that want a monitor look like. */
public class Late {
    static final StringBuilder order = new StringBuilder();
    static int beats;

    static void note(Object what) {
        synchronized (order) {
            order.append(Thread.currentThread().getName().replaceAll(".*-", "")).append(':').append(what).append(' ');
        }
    }

    static void scheduled() throws Exception {
        ScheduledExecutorService pool = Executors.newScheduledThreadPool(2);
        CountDownLatch three = new CountDownLatch(3);
        ScheduledFuture<?> ticks = pool.scheduleAtFixedRate(() -> {
            note("tick" + three.getCount());
            three.countDown();
        }, 1, 2, TimeUnit.MILLISECONDS);
        ScheduledFuture<?> never = pool.schedule(() -> note("never"), 1, TimeUnit.HOURS);
        ScheduledFuture<String> once = pool.schedule(() -> {
            note("once");
            return "done";
        }, 3, TimeUnit.MILLISECONDS);
        three.await();
        note(ticks.cancel(false) + once.get() + never.cancel(false));
        pool.shutdown();
        note(pool.awaitTermination(1, TimeUnit.MINUTES));
    }

    static void handed() throws Exception {
        ExecutorService pool = Executors.newCachedThreadPool();
        for (int round = 0; round < 2; round++) {
            ExecutorCompletionService<String> done = new ExecutorCompletionService<>(pool);
            for (String task : new String[] {"a", "b", "c"})
                done.submit(() -> {
                    note(task);
                    return task;
                });
            for (int i = 0; i < 3; i++)
                note(done.take().get());
        }
        pool.shutdown();
    }

    static void states() throws Exception {
        Object monitor = new Object();
        Thread wants = new Thread(() -> {
            synchronized (monitor) {
                note("in");
            }
        }), looks = new Thread(() -> note(wants.getState()));
        synchronized (monitor) {
            wants.start();
            Thread.sleep(1);
            looks.start();
            looks.join();
        }
        wants.join();
        Thread parked = new Thread(LockSupport::park);
        parked.start();
        Thread.sleep(1);
        note(parked.getState());
        LockSupport.unpark(parked);
        parked.join();
    }

    public static void main(String[] args) throws Exception {
        scheduled();
        handed();
        states();
        Thread heart = new Thread(() -> {
            for (;;) {
                System.out.println("beat " + ++beats);
                try {
                    Thread.sleep(1);
                } catch (InterruptedException e) {
                    return;
                }
            }
        });
        heart.setDaemon(true);
        heart.start();
        Thread.sleep(2);
        System.out.println(order);
    }
}
