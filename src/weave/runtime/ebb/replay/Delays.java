/* A scheduled pool under a schedule: what the JDK's own does, but for its clock.  Time goes on where the schedule has a worker take a task, or lets a sleep
 * or a wait end: so which task comes next does not depend on how fast the computer is.  Whether a worker takes one is said by the event that is expected of it:
 * if that is `in none`, it takes none, unless its own time is over, and otherwise something of the program has to come, which can only be a task.  After `terminate` the clock is the system's. */
package ebb.replay;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

final class Delays extends ThreadPoolExecutor implements ScheduledExecutorService {
    private static final long LONGEST = Long.MAX_VALUE / 4; // of a delay: sums stay in order
    private static final AtomicLong serials = new AtomicLong();

    private final DelayQueue<Later<?>> tasks;
    private final Scheduled of;              // what the program knows it as; null: nothing but the interface
    private volatile boolean keepsPeriodic;  // after its end

    Delays(int n, ThreadFactory threads) {
        this(n, threads, null);
    }

    Delays(int n, ThreadFactory threads, Scheduled of) {
        this(n, threads, of, new DelayQueue<Later<?>>());
    }

    private Delays(int n, ThreadFactory threads, Scheduled of, DelayQueue<Later<?>> tasks) {
        super(n, Integer.MAX_VALUE, 10, TimeUnit.MILLISECONDS, Pools.timed(asTasks(tasks)), threads);
        this.of = of;
        this.tasks = tasks;
    }

    @SuppressWarnings("unchecked")
    private static BlockingQueue<Runnable> asTasks(DelayQueue<Later<?>> tasks) {
        return (BlockingQueue<Runnable>) (BlockingQueue<?>) tasks;
    }

    /** The first task, if it was not cancelled; those that were are taken out. */
    static Runnable first(BlockingQueue<Runnable> q) {
        Runnable first = q.peek();
        for (; first != null && ((Later<?>) first).isGone(); first = q.peek())
            q.remove(first);
        return first;
    }

    /** When a worker that waits from now on has waited long enough. */
    static long deadline(BlockingQueue<Runnable> q) {
        Runnable first = first(q);
        return first == null ? Clock.now() : ((Later<?>) first).time;
    }

    /** The first task is due now; called by who has the turn. */
    static void makeDue(BlockingQueue<Runnable> q) {
        Clock.skipTo(deadline(q));
    }

    private final class Later<V> extends FutureTask<V> implements RunnableScheduledFuture<V> {
        private final long serial = serials.getAndIncrement();
        private final long period; // below 0: from the end of one execution to the next; 0: there is only one
        private long time;

        Later(Callable<V> body, long delay, long period) {
            super(body);
            this.period = period;
            time = Clock.now() + Math.min(Math.max(delay, 0), LONGEST);
        }

        /** Cancelled; in a class of the program, something may be executed before and after it nevertheless. */
        boolean isGone() {
            return isCancelled() && (of == null || of.getClass() == Scheduled.class);
        }

        @Override public boolean isPeriodic() {
            return period != 0;
        }

        @Override public long getDelay(TimeUnit unit) {
            return unit.convert(time - Clock.now(), TimeUnit.NANOSECONDS);
        }

        @Override public int compareTo(Delayed o) {
            Later<?> other = (Later<?>) o;
            return time != other.time ? Long.compare(time, other.time) : Long.compare(serial, other.serial);
        }

        @Override public void run() {
            if (!isPeriodic()) {
                super.run();
            } else if (!mayRepeat()) {
                cancel(false);
            } else if (runAndReset()) {
                time = period > 0 ? time + period : Clock.now() - period;
                if (mayRepeat())
                    again(this);
            }
        }
    }

    private boolean mayRepeat() {
        return !isShutdown() || keepsPeriodic;
    }

    private void again(Later<?> task) {
        tasks.add(task);
        if (!isShutdown())
            prestartCoreThread();
    }

    private <V> ScheduledFuture<V> add(Later<V> task) {
        if (isShutdown())
            getRejectedExecutionHandler().rejectedExecution(task, this);
        else
            again(task);
        return task;
    }

    private <V> ScheduledFuture<V> start(Callable<V> body, long delay, long period, TimeUnit unit) {
        Clock.ask(); // of two with the same delay the first is first
        return add(new Later<V>(body, unit.toNanos(delay), unit.toNanos(period)));
    }

    @Override public ScheduledFuture<?> schedule(Runnable r, long delay, TimeUnit unit) {
        return start(Executors.callable(r), delay, 0, unit);
    }

    @Override public <V> ScheduledFuture<V> schedule(Callable<V> c, long delay, TimeUnit unit) {
        return start(Objects.requireNonNull(c), delay, 0, unit);
    }

    @Override public ScheduledFuture<?> scheduleAtFixedRate(Runnable r, long delay, long period, TimeUnit unit) {
        return repeat(r, delay, period, unit, 1);
    }

    @Override public ScheduledFuture<?> scheduleWithFixedDelay(Runnable r, long delay, long period, TimeUnit unit) {
        return repeat(r, delay, period, unit, -1);
    }

    private ScheduledFuture<?> repeat(Runnable r, long delay, long period, TimeUnit unit, int sign) {
        if (period <= 0 && r != null && unit != null)
            throw new IllegalArgumentException();
        return start(Executors.callable(r), delay, sign * period, unit);
    }

    @Override public void execute(Runnable r) {
        schedule(r, 0, TimeUnit.NANOSECONDS);
    }

    @Override public void shutdown() {
        shutdown(false, true);
    }

    void shutdown(boolean keepsPeriodicTasks, boolean keepsOthers) {
        keepsPeriodic = keepsPeriodicTasks;
        for (Later<?> task : tasks.toArray(new Later<?>[0]))
            if ((task.isCancelled() || !(task.isPeriodic() ? keepsPeriodic : keepsOthers)) && tasks.remove(task))
                task.cancel(false);
        super.shutdown();
    }

    @Override public List<Runnable> shutdownNow() {
        keepsPeriodic = false;
        return super.shutdownNow();
    }

    // ---- what a class of the program may have overridden ----

    @Override protected void beforeExecute(Thread t, Runnable r) {
        if (of != null)
            of.before(t, r);
    }

    @Override protected void afterExecute(Runnable r, Throwable t) {
        if (of != null)
            of.after(r, t);
    }

    @Override protected void terminated() {
        if (of != null)
            of.ended();
    }
}
