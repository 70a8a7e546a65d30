import java.util.concurrent.*;

/** Two tasks of a pool of two wait for tasks of the same pool. */
public class PoolStarved {
    static final ExecutorService pool = Executors.newFixedThreadPool(2);

    static int outer() throws Exception {
        return pool.submit(() -> 1).get();
    }

    public static void main(String[] args) throws Exception {
        Future<Integer> a = pool.submit(PoolStarved::outer);
        Thread.yield();
        Future<Integer> b = pool.submit(PoolStarved::outer);
        a.get();
        b.get();
        pool.shutdown();
    }
}
