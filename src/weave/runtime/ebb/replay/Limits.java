/* Calls with a limit in time in which threads meet inside the JDK, so that an attempt would not say all: they are really made, but without the limit.  Its
 * time is over when the schedule says so, or when nobody else is going to have the turn; the thread is interrupted then, and the call ends as if its time were over. */
package ebb.replay;

import java.util.Collection;
import java.util.concurrent.BlockingDeque;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Exchanger;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.TransferQueue;
import java.util.concurrent.locks.StampedLock;

public final class Limits {
    private static final long LONGEST = TimeUnit.DAYS.toNanos(10000);

    private interface Call<T, X extends Exception> {
        T within(long time, TimeUnit unit) throws InterruptedException, TimeoutException, X;
    }

    private Limits() {
    }

    private static <T, X extends Exception> T call(Call<T, X> c, long time, TimeUnit unit) throws InterruptedException, TimeoutException, X {
        Task me = Turns.mine();
        Watch.isQuick = true;
        if (me == null || time <= 0)
            try {
                return c.within(time, unit);
            } finally {
                Replay.back();
            }
        long deadline = Clock.now() + unit.toNanos(time);
        me.limit(true);
        try {
            T x = c.within(LONGEST, TimeUnit.NANOSECONDS);
            if (me.isOver())
                Thread.interrupted(); // it came too late
            return x;
        } catch (InterruptedException e) {
            if (!me.isOver())
                throw e;
            Clock.skipTo(deadline);
            throw new TimeoutException();
        } finally {
            me.limit(false);
            Replay.back();
        }
    }

    /** Of one that has a value for a time that is over. */
    private static <T> T callOr(T over, Call<T, RuntimeException> c, long time, TimeUnit unit) throws InterruptedException {
        try {
            return call(c, time, unit);
        } catch (TimeoutException e) {
            return over;
        }
    }

    public static Object exchange(Exchanger<Object> x, Object item, long time, TimeUnit unit) throws InterruptedException, TimeoutException {
        return call((t, u) -> x.exchange(item, t, u), time, unit);
    }

    public static int await(CyclicBarrier b, long time, TimeUnit unit) throws InterruptedException, TimeoutException, BrokenBarrierException {
        return call((t, u) -> b.await(t, u), time, unit);
    }

    public static int awaitAdvanceInterruptibly(Phaser p, int phase, long time, TimeUnit unit) throws InterruptedException, TimeoutException {
        return call((t, u) -> p.awaitAdvanceInterruptibly(phase, t, u), time, unit);
    }

    public static boolean tryTransfer(TransferQueue<Object> q, Object x, long time, TimeUnit unit) throws InterruptedException {
        return callOr(false, (t, u) -> q.tryTransfer(x, t, u), time, unit);
    }

    public static long tryWriteLock(StampedLock l, long time, TimeUnit unit) throws InterruptedException {
        return callOr(0L, (t, u) -> l.tryWriteLock(t, u), time, unit);
    }

    public static long tryReadLock(StampedLock l, long time, TimeUnit unit) throws InterruptedException {
        return callOr(0L, (t, u) -> l.tryReadLock(t, u), time, unit);
    }

    public static Object pollFirst(BlockingDeque<?> d, long time, TimeUnit unit) throws InterruptedException {
        return callOr(null, (t, u) -> d.pollFirst(t, u), time, unit);
    }

    public static Object pollLast(BlockingDeque<?> d, long time, TimeUnit unit) throws InterruptedException {
        return callOr(null, (t, u) -> d.pollLast(t, u), time, unit);
    }

    public static boolean offerFirst(BlockingDeque<Object> d, Object x, long time, TimeUnit unit) throws InterruptedException {
        return callOr(false, (t, u) -> d.offerFirst(x, t, u), time, unit);
    }

    public static boolean offerLast(BlockingDeque<Object> d, Object x, long time, TimeUnit unit) throws InterruptedException {
        return callOr(false, (t, u) -> d.offerLast(x, t, u), time, unit);
    }

    public static Future<?> poll(CompletionService<?> s, long time, TimeUnit unit) throws InterruptedException {
        return callOr(null, (t, u) -> s.poll(t, u), time, unit);
    }

    public static Object invokeAny(ExecutorService e, Collection<Callable<Object>> tasks, long time, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        return call((t, u) -> e.invokeAny(tasks, t, u), time, unit);
    }

    static Object get(Future<?> f, long time, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        return call((t, u) -> f.get(t, u), time, unit);
    }

    static Object poll(BlockingQueue<?> q, long time, TimeUnit unit) throws InterruptedException {
        return callOr(null, (t, u) -> q.poll(t, u), time, unit);
    }
}
