/* CompletableFutures that time completes, under a schedule: the JDK's own thread for them is a pool of the engine's (Delays), with the same name.  It is used without a
 * schedule, too: what the JDK has instead came with Java 9. */
package ebb.replay;

import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

public final class Lates {
    private static final Delays pool = new Delays(1, Lates::newThread);

    private Lates() {
    }

    private static Thread newThread(Runnable r) {
        Thread t = new Thread(r); // as the JDK: it takes one of the numbers that threads without a name get
        t.setDaemon(true);
        t.setName("CompletableFutureDelayScheduler");
        return t;
    }

    public static CompletableFuture<Object> orTimeout(CompletableFuture<Object> f, long time, TimeUnit unit) {
        return later(f, () -> f.completeExceptionally(new TimeoutException()), time, unit);
    }

    public static CompletableFuture<Object> completeOnTimeout(CompletableFuture<Object> f, Object value, long time, TimeUnit unit) {
        return later(f, () -> f.complete(value), time, unit);
    }

    private static CompletableFuture<Object> later(CompletableFuture<Object> f, Runnable end, long time, TimeUnit unit) {
        Objects.requireNonNull(unit);
        if (f.isDone())
            return f;
        Future<?> waits = pool.schedule(end, time, unit);
        f.whenComplete((value, problem) -> {
            if (problem == null && !waits.isDone())
                waits.cancel(false);
        });
        return f;
    }

    public static Executor delayedExecutor(long time, TimeUnit unit) {
        return delayedExecutor(time, unit, ForkJoinPool.getCommonPoolParallelism() > 1 ? ForkJoinPool.commonPool() : r -> new Thread(r).start());
    }

    public static Executor delayedExecutor(long time, TimeUnit unit, Executor to) {
        Objects.requireNonNull(unit);
        Objects.requireNonNull(to);
        return r -> pool.schedule(() -> to.execute(r), time, unit);
    }
}
