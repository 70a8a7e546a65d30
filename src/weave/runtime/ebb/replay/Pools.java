/* Thread pools under a schedule: the queue from which a pool's workers take their tasks is one in which they wait for their turn, so that
 * no worker takes a task before the schedule lets it go on. */
package ebb.replay;

import java.util.AbstractQueue;
import java.util.Collection;
import java.util.Iterator;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
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
        return Workers.stealing(Runtime.getRuntime().availableProcessors());
    }

    public static ExecutorService newWorkStealingPool(int n) {
        return Workers.stealing(n);
    }

    /** The queue that a pool of the program gets instead of its own. */
    public static BlockingQueue<Runnable> queue(BlockingQueue<Runnable> q) {
        return q != null && Turns.on && Waits.isOfLibrary(q) ? new Tasks(q) : q;
    }

    private static final class Tasks extends AbstractQueue<Runnable> implements BlockingQueue<Runnable> {
        private final BlockingQueue<Runnable> q;
        private final boolean isHandOff; // as a SynchronousQueue: tasks are taken only if somebody is idle
        private int idle;

        Tasks(BlockingQueue<Runnable> q) {
            isHandOff = q instanceof SynchronousQueue;
            this.q = isHandOff ? new LinkedBlockingQueue<Runnable>() : q;
        }

        private synchronized void idle(int more) {
            idle += more;
        }

        @Override public synchronized boolean offer(Runnable x) {
            return (!isHandOff || idle > q.size()) && q.offer(x);
        }

        @Override public Runnable take() throws InterruptedException {
            return next(false, 0, null);
        }

        @Override public Runnable poll(long time, TimeUnit unit) throws InterruptedException {
            return next(true, time, unit);
        }

        private Runnable next(boolean isTimed, long time, TimeUnit unit) throws InterruptedException {
            Replay.enter();
            idle(1);
            try {
                Task me = Turns.mine();
                Runnable x = me == null ? null : nextFor(me, isTimed);
                if (x != null || me != null && Turns.on)
                    return x;
                return isTimed ? q.poll(time, unit) : q.take();
            } finally {
                idle(-1);
            }
        }

        /** Null: its time is over, or replay is, or the schedule lets it end. */
        private Runnable nextFor(Task me, boolean isTimed) throws InterruptedException {
            if (Thread.interrupted())
                throw new InterruptedException();
            for (;;) {
                Runnable x = q.poll();
                if (x != null)
                    return x;
                Task.Cause cause = Turns.blockInNone(me, this);
                if (cause == Task.Cause.INTERRUPTED)
                    throw new InterruptedException();
                if (!Turns.on || me.state == Task.State.DYING || isTimed && q.isEmpty())
                    return null;
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
