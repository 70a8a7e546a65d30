package concurrency;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A task that fails in execute kills its worker with a trace; the pool goes on. */
public class UncaughtPool {
    public static void main(String[] args) throws Exception {
        CountDownLatch died = new CountDownLatch(1); // its successor begins before the handler is called
        ExecutorService e = Executors.newSingleThreadExecutor(r -> {
            Thread t = new Thread(r, "worker");
            t.setUncaughtExceptionHandler((x, ex) -> {
                System.out.println(x.getName() + " died of " + ex);
                died.countDown();
            });
            return t;
        });
        e.execute(() -> {
            throw new RuntimeException("boom");
        });
        died.await();
        System.out.println(e.submit(() -> "still here").get());
        e.shutdown();
    }
}
