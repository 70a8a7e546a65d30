import java.util.concurrent.*;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/** Threads that wait for each other in every way; `order` differs from run to run, `sum` doesn't. */
public class Threads {
    static final StringBuffer order = new StringBuffer();
    static final AtomicLong sum = new AtomicLong();
    static final ReentrantLock lock = new ReentrantLock();
    static int under_lock;

    static void work(int id, BlockingQueue<Integer> queue) throws Exception {
        for (int item; (item = queue.take()) >= 0;) {
            lock.lock();
            try {
                under_lock += item;
            } finally {
                lock.unlock();
            }
            sum.addAndGet(item);
            order.append(id);
            if (System.nanoTime() % 3 == 0)
                Thread.sleep(1);
        }
    }

    static void done() { }

    public static void main(String[] args) throws Exception {
        BlockingQueue<Integer> queue = new LinkedBlockingQueue<>();
        ExecutorService pool = Executors.newFixedThreadPool(4);
        CountDownLatch ended = new CountDownLatch(4);
        for (int i = 0; i < 4; i++) {
            int id = i;
            pool.submit(() -> { work(id, queue); ended.countDown(); return null; });
        }
        for (int i = 0; i < 200; i++)
            queue.put(i);
        for (int i = 0; i < 4; i++)
            queue.put(-1);
        ended.await();
        pool.shutdown();
        CompletableFuture.supplyAsync(() -> 100).thenApplyAsync(x -> x + 1).thenAccept(sum::addAndGet).get();
        done();
        System.out.println("sum " + sum + " " + under_lock + " " + order.length());
    }
}
