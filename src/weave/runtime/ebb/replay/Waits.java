/* Other classes of java.util.concurrent in which threads wait: queues, semaphores, latches, futures, executors.  As in Locks, an attempt that does not
 * wait is made until it succeeds, but not before the schedule has had the thread wait, and a limit in time is over when the schedule says so. */
package ebb.replay;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinTask;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

public final class Waits {
    private Waits() {
    }

    // ---- common ----

    /** Of the class library, or of the engine, which has its own of some. */
    static boolean isOfLibrary(Object o) {
        String name = o.getClass().getName();
        return name.startsWith("java.util.concurrent.") || name.startsWith("ebb.replay.");
    }

    /** The calling thread, if the engine does this for it; null is no object of its.  Null: the JDK does, and whoever is blocked there is outside. */
    static Task taskFor(Object o) {
        Task me = o == null ? null : Turns.mine();
        boolean meets = o instanceof LinkedTransferQueue || o instanceof ForkJoinTask; // an attempt does not say all of these
        if (me != null && isOfLibrary(o) && !meets)
            return me;
        Watch.isQuick = true;
        return null;
    }

    static void checkInterrupt() throws InterruptedException {
        if (Thread.interrupted()) {
            Turns.passed();
            throw new InterruptedException();
        }
    }

    /** Blocks where an interrupt throws, for the first time in this call, or again. */
    static Task.Cause stop(Task me, Object target, long limit, boolean isAgain) throws InterruptedException {
        if (isAgain)
            Turns.armAgain();
        Task.Cause cause = Calls.stop(me, Task.State.WAITING, target, me.own, limit);
        if (cause == Task.Cause.INTERRUPTED)
            throw new InterruptedException();
        if (!Turns.on && limit == Calls.NEVER)
            Thread.sleep(1); // after `terminate`, until the attempt succeeds
        return cause;
    }

    /** Null: not now. */
    interface Attempt<T> {
        T make();
    }

    static Boolean done(boolean is) {
        return is ? Boolean.TRUE : null;
    }

    /** Until the attempt succeeds. */
    static <T> T until(Task me, Object target, Attempt<T> attempt) throws InterruptedException {
        checkInterrupt();
        T x = null;
        for (boolean isAgain = false; Turns.armed || (x = attempt.make()) == null; isAgain = true)
            stop(me, target, Calls.NEVER, isAgain);
        return x;
    }

    /** The same with a limit in nanoseconds; null: its time is over. */
    static <T> T within(Task me, Object target, long limit, Attempt<T> attempt) throws InterruptedException {
        checkInterrupt();
        T x = Turns.armed ? null : attempt.make();
        if (x != null)
            return x;
        if (limit > 0)
            stop(me, target, limit, false);
        return attempt.make();
    }

    // ---- queues ----

    public static Object take(BlockingQueue<?> q) throws InterruptedException {
        return Real.value(q, me -> takeHere(me, q), () -> q.take());
    }

    private static Object takeHere(Task me, BlockingQueue<?> q) throws InterruptedException {
        if (q instanceof SynchronousQueue || q instanceof DelayQueue)
            return takeOther(me, q, Calls.NEVER);
        return until(me, q, () -> q.poll());
    }

    public static Object poll(BlockingQueue<?> q, long time, TimeUnit unit) throws InterruptedException {
        Task me = taskFor(q);
        if (me == null)
            return Limits.poll(q, time, unit);
        if (q instanceof SynchronousQueue || q instanceof DelayQueue)
            return takeOther(me, q, unit.toNanos(time));
        return within(me, q, unit.toNanos(time), () -> q.poll());
    }

    /** From one of those for which an attempt is not enough. */
    private static Object takeOther(Task me, BlockingQueue<?> q, long limit) throws InterruptedException {
        checkInterrupt();
        return q instanceof SynchronousQueue ? Meetings.take(me, q, limit) : Dues.take(me, (DelayQueue<?>) q, limit);
    }

    public static void put(BlockingQueue<Object> q, Object x) throws InterruptedException {
        Real.run(q, me -> putHere(me, q, x), () -> q.put(x));
    }

    private static void putHere(Task me, BlockingQueue<Object> q, Object x) throws InterruptedException {
        if (q instanceof SynchronousQueue)
            meet(me, q, x, Calls.NEVER);
        else
            until(me, q, () -> done(q.offer(x)));
    }

    public static boolean offer(BlockingQueue<Object> q, Object x, long time, TimeUnit unit) throws InterruptedException {
        return Real.value(q, me -> offerHere(me, q, x, unit.toNanos(time)), () -> q.offer(x, time, unit));
    }

    private static boolean offerHere(Task me, BlockingQueue<Object> q, Object x, long limit) throws InterruptedException {
        return q instanceof SynchronousQueue ? meet(me, q, x, limit) : within(me, q, limit, () -> done(q.offer(x))) != null;
    }

    private static boolean meet(Task me, BlockingQueue<Object> q, Object x, long limit) throws InterruptedException {
        checkInterrupt();
        return Meetings.put(me, q, x, limit);
    }

    public static boolean offer(BlockingQueue<Object> q, Object x) {
        Task me = q instanceof SynchronousQueue ? taskFor(q) : null;
        return me == null ? q.offer(x) : Meetings.offer(q, x);
    }

    public static Object poll(BlockingQueue<?> q) {
        Task me = q instanceof SynchronousQueue ? taskFor(q) : null;
        return me == null ? q.poll() : Meetings.poll(q);
    }

    // ---- semaphores and latches ----

    public static void acquire(Semaphore s) throws InterruptedException {
        Real.run(s, me -> until(me, s, () -> done(s.tryAcquire(1))), () -> s.acquire());
    }

    public static void acquire(Semaphore s, int n) throws InterruptedException {
        Real.run(s, me -> until(me, s, () -> done(s.tryAcquire(n))), () -> s.acquire(n));
    }

    public static boolean tryAcquire(Semaphore s, long time, TimeUnit unit) throws InterruptedException {
        return Real.value(s, me -> tryHere(me, s, 1, unit.toNanos(time)), () -> s.tryAcquire(time, unit));
    }

    public static boolean tryAcquire(Semaphore s, int n, long time, TimeUnit unit) throws InterruptedException {
        return Real.value(s, me -> tryHere(me, s, n, unit.toNanos(time)), () -> s.tryAcquire(n, time, unit));
    }

    private static boolean tryHere(Task me, Semaphore s, int n, long limit) throws InterruptedException {
        return within(me, s, limit, () -> done(s.tryAcquire(n))) != null;
    }

    public static void await(CountDownLatch l) throws InterruptedException {
        Real.run(l, me -> until(me, l, () -> done(l.getCount() == 0)), () -> l.await());
    }

    public static boolean await(CountDownLatch l, long time, TimeUnit unit) throws InterruptedException {
        return Real.value(l, me -> within(me, l, unit.toNanos(time), () -> done(l.getCount() == 0)) != null, () -> l.await(time, unit));
    }

    // ---- futures and executors: their own threads finish them, so without a limit in time the waiting is real ----

    public static Object get(Future<?> f) throws InterruptedException, ExecutionException {
        Watch.isQuick = true;
        try {
            return f.get();
        } finally {
            Replay.back();
        }
    }

    public static Object join(CompletableFuture<?> f) {
        Watch.isQuick = true;
        return Real.value(() -> f.join());
    }

    public static Object get(Future<?> f, long time, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        Task me = taskFor(f);
        if (me == null)
            return Limits.get(f, time, unit);
        if (within(me, f, unit.toNanos(time), () -> done(f.isDone())) == null)
            throw new TimeoutException();
        return f.get();
    }

    public static boolean awaitTermination(ExecutorService e, long time, TimeUnit unit) throws InterruptedException {
        return Real.value(e, me -> awaitHere(me, e, time, unit), () -> e.awaitTermination(time, unit));
    }

    private static boolean awaitHere(Task me, ExecutorService e, long time, TimeUnit unit) throws InterruptedException {
        checkInterrupt();
        boolean waits = (Turns.armed || !e.isTerminated()) && time > 0;
        if (!waits || stop(me, e, unit.toNanos(time), false) == Task.Cause.TIMED_OUT)
            return e.isTerminated();
        return e.awaitTermination(time, unit); // its time is not over: the last way of the workers is the library's own
    }

    // ---- many tasks ----

    public static List<Future<Object>> invokeAll(ExecutorService e, Collection<Callable<Object>> tasks, long time, TimeUnit unit) throws InterruptedException {
        Task me = taskFor(e);
        if (me == null || e instanceof ForkJoinPool)
            return Real.value(() -> e.invokeAll(tasks, time, unit));
        long end = Clock.now() + unit.toNanos(time);
        ArrayList<Future<Object>> futures = new ArrayList<>();
        for (Callable<Object> c : tasks)
            futures.add(new FutureTask<>(c));
        boolean areDone = false;
        try {
            areDone = areDone(me, e, futures, end);
        } finally {
            for (Future<Object> f : areDone ? Collections.<Future<Object>>emptyList() : futures)
                f.cancel(true);
        }
        return futures;
    }

    private static boolean areDone(Task me, ExecutorService e, List<Future<Object>> futures, long end) throws InterruptedException {
        for (Future<Object> f : futures)
            if (end - Clock.now() > 0)
                e.execute((FutureTask<Object>) f);
        boolean isAgain = false;
        for (Future<Object> f : futures)
            for (; Turns.armed || !f.isDone(); isAgain = true) {
                long left = end - Clock.now();
                if (left <= 0)
                    return false;
                if (Turns.on)
                    stop(me, f, left, isAgain);
                else
                    Thread.sleep(1); // after `terminate`
            }
        return true;
    }
}
