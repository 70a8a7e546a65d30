package concurrency;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Thread pools: results, failures, cancellation, shutdown. */
public class ThreadPools {
    public static void main(String[] args) throws Exception {
        ExecutorService e = Executors.newFixedThreadPool(4);
        List<Callable<Integer>> jobs = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            int n = i;
            jobs.add(() -> n * n);
        }
        int sum = 0;
        for (Future<Integer> f : e.invokeAll(jobs)) {
            sum += f.get();
        }
        System.out.println(sum);
        Future<Object> bad = e.submit(() -> {
            throw new IllegalStateException("job");
        });
        try {
            bad.get();
        } catch (ExecutionException x) {
            System.out.println(x.getMessage() + " " + bad.isDone());
        }
        Future<?> endless = e.submit(() -> {
            try {
                Thread.sleep(100_000);
            } catch (InterruptedException x) {
                return;
            }
        });
        try {
            endless.get(10, TimeUnit.MILLISECONDS);
        } catch (TimeoutException x) {
            System.out.println("timeout " + endless.cancel(true) + " " + endless.isCancelled());
        }
        String any = e.invokeAny(List.of(() -> "only"));
        System.out.println(any);
        e.shutdown();
        System.out.println(e.awaitTermination(10, TimeUnit.SECONDS) + " " + e.isTerminated());
        try {
            e.submit(() -> 1);
        } catch (RejectedExecutionException x) {
            System.out.println("rejected");
        }
        ExecutorService single = Executors.newSingleThreadExecutor(r -> new Thread(r, "mine"));
        StringBuilder sb = new StringBuilder();
        for (int i = 0; i < 5; i++) {
            int n = i;
            single.execute(() -> sb.append(n));
        }
        System.out.println(single.submit(() -> Thread.currentThread().getName() + sb).get());
        single.shutdownNow();
        ExecutorService cached = Executors.newCachedThreadPool();
        System.out.println(cached.submit(() -> "cached").get());
        cached.shutdown();
    }
}
