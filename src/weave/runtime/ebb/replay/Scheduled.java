/* A ScheduledThreadPoolExecutor that the program makes or extends: all that it does is done by a pool of the engine's (Delays), which has the engine's clock.  After `terminate`, and
 * without a schedule, it is the JDK's own. */
package ebb.replay;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

public class Scheduled extends ScheduledThreadPoolExecutor {
    private final Delays pool; // null: this is the JDK's own

    public Scheduled(int n) {
        this(n, Executors.defaultThreadFactory());
    }

    public Scheduled(int n, ThreadFactory threads) {
        this(n, threads, new ThreadPoolExecutor.AbortPolicy());
    }

    public Scheduled(int n, RejectedExecutionHandler rejected) {
        this(n, Executors.defaultThreadFactory(), rejected);
    }

    public Scheduled(int n, ThreadFactory threads, RejectedExecutionHandler rejected) {
        super(n, threads, rejected);
        pool = Turns.on ? new Delays(n, threads, this) : null;
        if (pool != null)
            pool.setRejectedExecutionHandler((r, executor) -> getRejectedExecutionHandler().rejectedExecution(r, this));
    }

    // ---- what a class of the program may override ----

    void before(Thread t, Runnable r) {
        beforeExecute(t, r);
    }

    void after(Runnable r, Throwable t) {
        afterExecute(r, t);
    }

    void ended() {
        terminated();
    }

    // ---- tasks ----

    @Override public ScheduledFuture<?> schedule(Runnable r, long delay, TimeUnit unit) {
        return pool == null ? super.schedule(r, delay, unit) : pool.schedule(r, delay, unit);
    }

    @Override public <V> ScheduledFuture<V> schedule(Callable<V> c, long delay, TimeUnit unit) {
        return pool == null ? super.schedule(c, delay, unit) : pool.schedule(c, delay, unit);
    }

    @Override public ScheduledFuture<?> scheduleAtFixedRate(Runnable r, long delay, long period, TimeUnit unit) {
        return pool == null ? super.scheduleAtFixedRate(r, delay, period, unit) : pool.scheduleAtFixedRate(r, delay, period, unit);
    }

    @Override public ScheduledFuture<?> scheduleWithFixedDelay(Runnable r, long delay, long period, TimeUnit unit) {
        return pool == null ? super.scheduleWithFixedDelay(r, delay, period, unit) : pool.scheduleWithFixedDelay(r, delay, period, unit);
    }

    @Override public void execute(Runnable r) {
        schedule(r, 0, TimeUnit.NANOSECONDS);
    }

    @Override public BlockingQueue<Runnable> getQueue() {
        return pool == null ? super.getQueue() : pool.getQueue();
    }

    @Override public boolean remove(Runnable r) {
        return pool == null ? super.remove(r) : pool.remove(r);
    }

    @Override public void purge() {
        if (pool == null)
            super.purge();
        else
            pool.purge();
    }

    // ---- its end ----

    @Override public void shutdown() {
        if (pool == null)
            super.shutdown();
        else
            pool.shutdown(getContinueExistingPeriodicTasksAfterShutdownPolicy(), getExecuteExistingDelayedTasksAfterShutdownPolicy());
    }

    @Override public List<Runnable> shutdownNow() {
        return pool == null ? super.shutdownNow() : pool.shutdownNow();
    }

    @Override public boolean isShutdown() {
        return pool == null ? super.isShutdown() : pool.isShutdown();
    }

    @Override public boolean isTerminating() {
        return pool == null ? super.isTerminating() : pool.isTerminating();
    }

    @Override public boolean isTerminated() {
        return pool == null ? super.isTerminated() : pool.isTerminated();
    }

    @Override public boolean awaitTermination(long time, TimeUnit unit) throws InterruptedException {
        return pool == null ? super.awaitTermination(time, unit) : Waits.awaitTermination(pool, time, unit);
    }

    // ---- its workers ----

    @Override public int getCorePoolSize() {
        return pool == null ? super.getCorePoolSize() : pool.getCorePoolSize();
    }

    @Override public int getPoolSize() {
        return pool == null ? super.getPoolSize() : pool.getPoolSize();
    }

    @Override public int getLargestPoolSize() {
        return pool == null ? super.getLargestPoolSize() : pool.getLargestPoolSize();
    }

    @Override public int getActiveCount() {
        return pool == null ? super.getActiveCount() : pool.getActiveCount();
    }

    @Override public long getTaskCount() {
        return pool == null ? super.getTaskCount() : pool.getTaskCount();
    }

    @Override public long getCompletedTaskCount() {
        return pool == null ? super.getCompletedTaskCount() : pool.getCompletedTaskCount();
    }

    @Override public boolean prestartCoreThread() {
        return pool == null ? super.prestartCoreThread() : pool.prestartCoreThread();
    }

    @Override public int prestartAllCoreThreads() {
        return pool == null ? super.prestartAllCoreThreads() : pool.prestartAllCoreThreads();
    }

    @Override public void setCorePoolSize(int n) {
        super.setCorePoolSize(n);
        if (pool != null)
            pool.setCorePoolSize(n);
    }

    @Override public void setThreadFactory(ThreadFactory threads) {
        super.setThreadFactory(threads);
        if (pool != null)
            pool.setThreadFactory(threads);
    }

    @Override public String toString() {
        return pool == null ? super.toString() : pool.toString();
    }
}
