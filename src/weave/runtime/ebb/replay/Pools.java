/* Thread pools under a schedule: the queue from which a pool's workers take their tasks is one in which they wait for their turn, so that
 * no worker takes a task before the schedule lets it go on. */
package ebb.replay;

import java.util.AbstractQueue;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

public final class Pools {
    private Pools() {
    }

    public static ExecutorService newFixedThreadPool(int n) {
        return newFixedThreadPool(n, Executors.defaultThreadFactory());
    }

    public static ExecutorService newFixedThreadPool(int n, ThreadFactory threads) {
        return new ThreadPoolExecutor(n, n, 0, TimeUnit.MILLISECONDS, queue(new LinkedBlockingQueue<Runnable>()), threads);
    }

    public static ExecutorService newSingleThreadExecutor() {
        return newSingleThreadExecutor(Executors.defaultThreadFactory());
    }

    public static ExecutorService newSingleThreadExecutor(ThreadFactory threads) {
        return Executors.unconfigurableExecutorService(newFixedThreadPool(1, threads));
    }

    public static ExecutorService newCachedThreadPool() {
        return newCachedThreadPool(Executors.defaultThreadFactory());
    }

    public static ExecutorService newCachedThreadPool(ThreadFactory threads) {
        return new ThreadPoolExecutor(0, Integer.MAX_VALUE, 60, TimeUnit.SECONDS, queue(new SynchronousQueue<Runnable>()), threads);
    }

    public static ExecutorService newWorkStealingPool() {
        return Workers.stealing(Workers.processors());
    }

    public static ExecutorService newWorkStealingPool(int n) {
        return Workers.stealing(n);
    }

    public static ScheduledExecutorService newScheduledThreadPool(int n) {
        return newScheduledThreadPool(n, Executors.defaultThreadFactory());
    }

    public static ScheduledExecutorService newScheduledThreadPool(int n, ThreadFactory threads) {
        return Turns.on ? new Delays(n, threads) : Executors.newScheduledThreadPool(n, threads);
    }

    public static ScheduledExecutorService newSingleThreadScheduledExecutor() {
        return Executors.unconfigurableScheduledExecutorService(newScheduledThreadPool(1));
    }

    public static ScheduledExecutorService newSingleThreadScheduledExecutor(ThreadFactory threads) {
        return Executors.unconfigurableScheduledExecutorService(newScheduledThreadPool(1, threads));
    }

    /** The queue that a pool of the program gets instead of its own. */
    public static BlockingQueue<Runnable> queue(BlockingQueue<Runnable> q) {
        return q != null && Turns.on && Waits.isOfLibrary(q) ? new Tasks(q) : q;
    }

    /** That of a scheduled pool: its tasks have their times. */
    static BlockingQueue<Runnable> timed(BlockingQueue<Runnable> q) {
        return new Tasks(q);
    }

    private static final class Idle { // a worker that waits for somebody to hand it a task
        Runnable task;
    }

    private static final class Tasks extends AbstractQueue<Runnable> implements BlockingQueue<Runnable> {
        private final BlockingQueue<Runnable> q;
        private final boolean isHandOff; // as a SynchronousQueue: tasks are taken only if somebody is idle
        private final boolean isTimed;   // tasks have their times (Delays)
        private int idle;
        private final ArrayList<Idle> waiting = new ArrayList<>(); // of a hand-off under a schedule: as in the JDK's, who came last gets the next task

        Tasks(BlockingQueue<Runnable> q) {
            isHandOff = q instanceof SynchronousQueue;
            isTimed = q instanceof DelayQueue;
            this.q = isHandOff ? new LinkedBlockingQueue<Runnable>() : q;
        }

        private synchronized void idle(int more) {
            idle += more;
        }

        @Override public synchronized boolean offer(Runnable x) {
            if (!isHandOff || !Turns.on)
                return (!isHandOff || idle > q.size()) && q.offer(x);
            if (waiting.isEmpty())
                return false;
            waiting.remove(waiting.size() - 1).task = x;
            return true;
        }

        private synchronized Idle waits() {
            Idle me = new Idle();
            waiting.add(me);
            return me;
        }

        private synchronized void leaves(Idle me) {
            waiting.remove(me);
        }

        @Override public Runnable take() throws InterruptedException {
            return next(false, 0, null);
        }

        @Override public Runnable poll(long time, TimeUnit unit) throws InterruptedException {
            return next(true, time, unit);
        }

        private Runnable next(boolean hasLimit, long time, TimeUnit unit) throws InterruptedException {
            Replay.enter();
            idle(1);
            try {
                Task me = Turns.mine();
                Runnable x = me == null ? null : nextFor(me, hasLimit);
                if (x != null || me != null && Turns.on || hasLimit && Turns.isDying())
                    return x;
                return hasLimit ? q.poll(time, unit) : q.take();
            } finally {
                idle(-1);
            }
        }

        /** Of a timed one: where nothing of the program is expected, only what is due because the time of the worker is over. */
        private Runnable first(boolean isLate) {
            if (isTimed && Turns.is_none && !isLate)
                return null;
            if (isTimed && !Turns.is_none)
                Delays.makeDue(q);
            else if (isTimed)
                Delays.first(q);
            return q.poll();
        }

        /** Null: its time is over, or replay is, or the schedule lets it end. */
        private Runnable nextFor(Task me, boolean hasLimit) throws InterruptedException {
            if (Thread.interrupted())
                throw new InterruptedException();
            Idle idle = isHandOff ? waits() : null;
            boolean isLate = false;
            try {
                for (;;) {
                    Runnable x = idle != null ? idle.task : first(isLate);
                    if (x != null)
                        return x;
                    long deadline = isTimed ? Delays.deadline(q) : 0;
                    Task.Cause cause = Turns.blockInNone(me, this);
                    if (cause == Task.Cause.INTERRUPTED)
                        throw new InterruptedException();
                    isLate = isTimed && cause == Task.Cause.TIMED_OUT;
                    if (isLate)
                        Clock.skipTo(deadline);
                    if (!Turns.on || me.state == Task.State.DYING || hasLimit && cause == Task.Cause.TIMED_OUT && q.isEmpty())
                        return idle != null ? idle.task : null;
                }
            } finally {
                leaves(idle);
            }
        }

        @Override public void put(Runnable x) throws InterruptedException {
            q.put(x);
        }

        @Override public boolean offer(Runnable x, long time, TimeUnit unit) throws InterruptedException {
            return isHandOff ? offer(x) : q.offer(x, time, unit);
        }

        @Override public Runnable poll() {
            return q.poll();
        }

        @Override public Runnable peek() {
            return q.peek();
        }

        @Override public int size() {
            return q.size();
        }

        @Override public int remainingCapacity() {
            return isHandOff ? 0 : q.remainingCapacity();
        }

        @Override public int drainTo(Collection<? super Runnable> to) {
            return q.drainTo(to);
        }

        @Override public int drainTo(Collection<? super Runnable> to, int n) {
            return q.drainTo(to, n);
        }

        @Override public boolean remove(Object x) {
            return q.remove(x);
        }

        @Override public Iterator<Runnable> iterator() {
            return q.iterator();
        }
    }
}
