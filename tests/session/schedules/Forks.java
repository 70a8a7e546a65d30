import java.util.Arrays;
import java.util.concurrent.*;
import java.util.stream.*;

/** Workers of ForkJoinPools, which take tasks from each other: what is printed says who executed what, and when. */
public class Forks {
    static final StringBuilder order = new StringBuilder();

    static <T> T note(T what) {
        synchronized (order) {
            order.append(Thread.currentThread().getName().replaceAll(".*-", "")).append(':').append(what).append(' ');
        }
        return what;
    }

    static final class Fib extends RecursiveTask<Integer> {
        final int n;

        Fib(int n) {
            this.n = n;
        }

        @Override protected Integer compute() {
            note(n);
            if (n < 2)
                return n;
            Fib one = new Fib(n - 1);
            one.fork();
            int two = new Fib(n - 2).compute();
            return note(one.join() + two);
        }
    }

    public static void main(String[] args) throws Exception {
        note(IntStream.range(0, 8).parallel().map(i -> note(i * i)).sum());
        note(Arrays.asList("a", "b", "c", "d").parallelStream().map(s -> note(s + s)).collect(Collectors.toList()));
        ForkJoinPool pool = new ForkJoinPool(3);
        note(pool.invoke(new Fib(4)));
        pool.shutdown();
        CompletableFuture<Integer> x = CompletableFuture.supplyAsync(() -> note(1)), y = CompletableFuture.supplyAsync(() -> note(2));
        x.thenCombineAsync(y, (p, q) -> note(p + q)).thenRunAsync(() -> note("run")).join();
        System.out.println(order);
    }
}
