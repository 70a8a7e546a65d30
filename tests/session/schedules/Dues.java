import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.*;

/** What is due by a clock: elements of a DelayQueue, tasks of a ScheduledThreadPoolExecutor and of a class that extends it, invokeAll, deques and completion services with a limit. */
public class Dues {
    private static final StringBuffer order = new StringBuffer();

    static final class Letter implements Delayed {
        final String name;
        final long at;

        Letter(String name, long millis) {
            this.name = name;
            at = System.nanoTime() + millis * 1000000;
        }

        public long getDelay(TimeUnit unit) {
            return unit.convert(at - System.nanoTime(), TimeUnit.NANOSECONDS);
        }

        public int compareTo(Delayed o) {
            return Long.compare(at, ((Letter) o).at);
        }
    }

    static final class Counting extends ScheduledThreadPoolExecutor {
        Counting() {
            super(2);
        }

        @Override protected void beforeExecute(Thread t, Runnable r) {
            order.append('(');
        }

        @Override protected void afterExecute(Runnable r, Throwable t) {
            order.append(')');
        }

        @Override protected void terminated() {
            order.append('.');
        }
    }

    static String name(Letter letter) {
        return letter == null ? "-" : letter.name;
    }

    static void letters() throws InterruptedException {
        DelayQueue<Letter> q = new DelayQueue<>();
        BlockingQueue<Letter> same = q;
        Thread reader = new Thread(() -> {
            try {
                for (int i = 0; i < 2; i++)
                    order.append(name(q.poll(10, TimeUnit.MILLISECONDS))).append(name(same.take()));
            } catch (InterruptedException e) {
                order.append('!');
            }
        });
        reader.start();
        q.add(new Letter("c", 30));
        q.add(new Letter("a", 1));
        q.add(new Letter("d", 45));
        q.add(new Letter("b", 12));
        reader.join();
        order.append(q.size()).append(' ');
    }

    static void tasks(ScheduledThreadPoolExecutor pool) throws Exception {
        int[] ticks = new int[1];
        ScheduledFuture<?> ticker = pool.scheduleAtFixedRate(() -> order.append("t" + ticks[0]++), 1, 5, TimeUnit.MILLISECONDS);
        Future<String> late = pool.schedule(() -> "late" + ticks[0], 12, TimeUnit.MILLISECONDS);
        pool.execute(() -> order.append("now"));
        order.append(late.get());
        ticker.cancel(false);
        pool.schedule(() -> order.append("last"), 3, TimeUnit.MILLISECONDS);
        pool.shutdown();
        order.append(pool.awaitTermination(1, TimeUnit.SECONDS)).append(' ');
    }

    static void limits() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        CompletionService<String> service = new ExecutorCompletionService<>(pool);
        LinkedBlockingDeque<String> deque = new LinkedBlockingDeque<>(1);
        List<Callable<String>> calls = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            int n = i;
            calls.add(() -> {
                Thread.sleep(10 * n + 1);
                order.append(n);
                return "c" + n;
            });
        }
        for (Future<String> f : pool.invokeAll(calls, 15, TimeUnit.MILLISECONDS))
            order.append(f.isCancelled() ? "x" : "y");
        service.submit(() -> deque.offerFirst("one", 5, TimeUnit.MILLISECONDS) + "" + deque.offerLast("two", 5, TimeUnit.MILLISECONDS));
        order.append(deque.pollLast(3, TimeUnit.MILLISECONDS));
        Future<String> done = service.poll(4, TimeUnit.MILLISECONDS);
        order.append(done == null ? "late" : done.get()).append(deque.pollFirst(1, TimeUnit.SECONDS));
        pool.shutdown();
    }

    public static void main(String[] args) throws Exception {
        letters();
        tasks(new ScheduledThreadPoolExecutor(1));
        tasks(new Counting());
        limits();
        long end = System.currentTimeMillis() + 50;
        while (System.currentTimeMillis() < end)
            Thread.onSpinWait();
        System.out.println(order);
    }
}
