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

    /** The calling thread, if the engine does this for it.  Null: the JDK does, and whoever is blocked there is outside. */
    static Task taskFor(Object o) {
        Task me = Turns.mine();
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

    // ---- queues ----

    public static Object take(BlockingQueue<?> q) throws InterruptedException {
        Task me = taskFor(q);
        if (me == null)
            return Real.value(() -> q.take());
        checkInterrupt();
        if (q instanceof SynchronousQueue)
            return Meetings.take(me, q, Calls.NEVER);
        if (q instanceof DelayQueue)
            return Dues.take(me, (DelayQueue<?>) q, Calls.NEVER);
        Object x = null;
        for (boolean isAgain = false; Turns.armed || (x = q.poll()) == null; isAgain = true)
            stop(me, q, Calls.NEVER, isAgain);
        return x;
    }

    public static Object poll(BlockingQueue<?> q, long time, TimeUnit unit) throws InterruptedException {
        Task me = taskFor(q);
        if (me == null)
            return Limits.poll(q, time, unit);
        checkInterrupt();
        if (q instanceof SynchronousQueue)
            return Meetings.take(me, q, unit.toNanos(time));
        if (q instanceof DelayQueue)
            return Dues.take(me, (DelayQueue<?>) q, unit.toNanos(time));
        Object x = Turns.armed ? null : q.poll();
        if (x == null && time > 0) {
            stop(me, q, unit.toNanos(time), false);
            x = q.poll();
        }
        return x;
    }

    public static void put(BlockingQueue<Object> q, Object x) throws InterruptedException {
        Task me = taskFor(q);
        if (me == null) {
            Real.run(() -> q.put(x));
            return;
        }
        checkInterrupt();
        if (q instanceof SynchronousQueue) {
            Meetings.put(me, q, x, Calls.NEVER);
            return;
        }
        for (boolean isAgain = false; Turns.armed || !q.offer(x); isAgain = true)
            stop(me, q, Calls.NEVER, isAgain);
    }

    public static boolean offer(BlockingQueue<Object> q, Object x, long time, TimeUnit unit) throws InterruptedException {
        Task me = taskFor(q);
        if (me == null)
            return Real.value(() -> q.offer(x, time, unit));
        checkInterrupt();
        if (q instanceof SynchronousQueue)
            return Meetings.put(me, q, x, unit.toNanos(time));
        boolean ok = !Turns.armed && q.offer(x);
        if (!ok && time > 0) {
            stop(me, q, unit.toNanos(time), false);
            ok = q.offer(x);
        }
        return ok;
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
        if (isOfLibrary(s))
            acquire(s, 1);
        else
            Real.run(() -> s.acquire());
    }

    public static void acquire(Semaphore s, int n) throws InterruptedException {
        Task me = taskFor(s);
        if (me == null) {
            Real.run(() -> s.acquire(n));
            return;
        }
        checkInterrupt();
        for (boolean isAgain = false; Turns.armed || !s.tryAcquire(n); isAgain = true)
            stop(me, s, Calls.NEVER, isAgain);
    }

    public static boolean tryAcquire(Semaphore s, long time, TimeUnit unit) throws InterruptedException {
        return isOfLibrary(s) ? tryAcquire(s, 1, time, unit) : Real.value(() -> s.tryAcquire(time, unit));
    }

    public static boolean tryAcquire(Semaphore s, int n, long time, TimeUnit unit) throws InterruptedException {
        Task me = taskFor(s);
        if (me == null)
            return Real.value(() -> s.tryAcquire(n, time, unit));
        checkInterrupt();
        boolean ok = !Turns.armed && s.tryAcquire(n);
        if (!ok && time > 0) {
            stop(me, s, unit.toNanos(time), false);
            ok = s.tryAcquire(n);
        }
        return ok;
    }

    public static void await(CountDownLatch l) throws InterruptedException {
        Task me = taskFor(l);
        if (me == null) {
            Real.run(() -> l.await());
            return;
        }
        checkInterrupt();
        for (boolean isAgain = false; Turns.armed || l.getCount() > 0; isAgain = true)
            stop(me, l, Calls.NEVER, isAgain);
    }

    public static boolean await(CountDownLatch l, long time, TimeUnit unit) throws InterruptedException {
        Task me = taskFor(l);
        if (me == null)
            return Real.value(() -> l.await(time, unit));
        checkInterrupt();
        if ((Turns.armed || l.getCount() > 0) && time > 0)
            stop(me, l, unit.toNanos(time), false);
        return l.getCount() == 0;
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
        checkInterrupt();
        if ((Turns.armed || !f.isDone()) && time > 0)
            stop(me, f, unit.toNanos(time), false);
        if (!f.isDone())
            throw new TimeoutException();
        return f.get();
    }

    public static boolean awaitTermination(ExecutorService e, long time, TimeUnit unit) throws InterruptedException {
        Task me = taskFor(e);
        if (me == null)
            return Real.value(() -> e.awaitTermination(time, unit));
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
