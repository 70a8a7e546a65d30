/* java.util.Timer under a schedule: what the JDK's own does, but its thread waits for its turn, and its clock is that of tasks (Clock).  Where the program makes or
 * extends a java.util.Timer it is this one when it is woven.
 *
 * Whether the thread executes a task in its turn is said by the event that is expected of it, as in Delays.  Tasks of the same millisecond come in the order that
 * the JDK's heap gives them, which is not that in which they were scheduled; so this is the same kind of heap. */
package ebb.replay;

import java.util.ArrayList;
import java.util.Date;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.atomic.AtomicInteger;

public class Timers extends Timer {
    private static final long LONGEST = Long.MAX_VALUE / 4000000; // of a delay: in nanoseconds it is a number, too
    private static final AtomicInteger serials = new AtomicInteger();

    private final ArrayList<TimerTasks> heap = new ArrayList<>(); // all under heap
    private boolean isCancelled;

    public Timers() {
        this(false);
    }

    public Timers(boolean isDaemon) {
        this("Timer-" + serials.getAndIncrement(), isDaemon);
    }

    public Timers(String name) {
        this(name, false);
    }

    public Timers(String name, boolean isDaemon) {
        super("ebb-replay-timer", true);
        super.cancel(); // its thread ends
        Thread thread = new Thread(this::work, name);
        thread.setDaemon(isDaemon);
        thread.start();
    }

    static long now() {
        return Clock.now() / 1000000;
    }

    // ---- what the program calls ----

    @Override public void schedule(TimerTask task, long delay) {
        add(task, delay(delay), 0);
    }

    @Override public void schedule(TimerTask task, long delay, long period) {
        add(task, delay(delay), -period(period));
    }

    @Override public void scheduleAtFixedRate(TimerTask task, long delay, long period) {
        add(task, delay(delay), period(period));
    }

    @Override public void schedule(TimerTask task, Date time) {
        add(task, until(time), 0);
    }

    @Override public void schedule(TimerTask task, Date first, long period) {
        add(task, until(first), -period(period));
    }

    @Override public void scheduleAtFixedRate(TimerTask task, Date first, long period) {
        add(task, until(first), period(period));
    }

    private static long delay(long millis) {
        if (millis < 0)
            throw new IllegalArgumentException("Negative delay.");
        return Math.min(millis, LONGEST);
    }

    private static long period(long millis) {
        if (millis <= 0)
            throw new IllegalArgumentException("Non-positive period.");
        return Math.min(millis, LONGEST);
    }

    private static long until(Date time) {
        if (time.getTime() < 0)
            throw new IllegalArgumentException("Illegal execution time.");
        return Math.min(time.getTime() - Clock.nowMillis(), LONGEST);
    }

    private void add(TimerTask any, long delay, long period) {
        synchronized (heap) {
            if (isCancelled)
                throw new IllegalStateException("Timer already cancelled.");
            TimerTasks task = TimerTasks.of(any);
            task.schedule(now() + delay, period);
            heap.add(task);
            rise(heap.size() - 1);
            heap.notifyAll();
        }
    }

    @Override public void cancel() {
        end();
    }

    private void end() {
        synchronized (heap) {
            isCancelled = true;
            heap.clear();
            heap.notifyAll();
        }
    }

    @Override public int purge() {
        synchronized (heap) {
            int before = heap.size();
            for (int i = before - 1; i >= 0; i--)
                if (heap.get(i).isCancelled())
                    moveLastTo(i);
            for (int i = heap.size() / 2 - 1; i >= 0; i--)
                sink(i);
            return before - heap.size();
        }
    }

    // ---- its thread ----

    private void work() {
        try {
            for (TimerTasks task = next(); task != null; task = next())
                task.run();
        } finally {
            end();
        }
    }

    /** Null: the thread ends. */
    private TimerTasks next() {
        Replay.enter();
        Task me = Turns.mine();
        TimerTasks task = me == null ? null : nextFor(me);
        boolean isOver = task != null || me != null && Turns.on || Turns.isDying();
        return isOver ? task : nextReally();
    }

    /** Null: replay is over, or the schedule lets the thread end. */
    private TimerTasks nextFor(Task me) {
        for (;;) {
            TimerTasks task = Turns.is_none ? null : take();
            if (task != null)
                return task;
            Turns.blockInNone(me, this);
            if (!Turns.on || me.state == Task.State.DYING)
                return null;
        }
    }

    /** The first one, whose time has come then; null: there is none. */
    private TimerTasks take() {
        synchronized (heap) {
            dropCancelled();
            if (heap.isEmpty())
                return null;
            TimerTasks task = heap.get(0);
            Clock.skipTo(task.time() * 1000000);
            if (!task.begin(now()))
                moveLastTo(0);
            sink(0);
            return task;
        }
    }

    /** By the system's clock. */
    private TimerTasks nextReally() {
        synchronized (heap) {
            for (;;) {
                dropCancelled();
                if (heap.isEmpty() && isCancelled)
                    return null;
                if (!heap.isEmpty() && waitFor(heap.get(0)))
                    return take();
                if (heap.isEmpty())
                    waitReally(0);
            }
        }
    }

    /** Until its time has come, or something else has happened; whether it has. */
    private boolean waitFor(TimerTasks task) {
        long left = task.time() - now(), since = System.nanoTime();
        if (left > 0)
            waitReally(left);
        return System.nanoTime() - since >= left * 1000000 && !heap.isEmpty() && heap.get(0) == task && !task.isCancelled();
    }

    private void waitReally(long millis) {
        try {
            heap.wait(millis);
        } catch (InterruptedException e) {
            // as in the JDK's, nobody is meant to do that
        }
    }

    // ---- the heap ----

    private void dropCancelled() {
        while (!heap.isEmpty() && heap.get(0).isCancelled()) {
            moveLastTo(0);
            sink(0);
        }
    }

    private void moveLastTo(int i) {
        TimerTasks last = heap.remove(heap.size() - 1);
        if (i < heap.size())
            heap.set(i, last);
    }

    private long time(int i) {
        return heap.get(i).time();
    }

    private void swap(int i, int j) {
        heap.set(i, heap.set(j, heap.get(i)));
    }

    private void rise(int i) {
        for (int up = (i - 1) / 2; i > 0 && time(i) < time(up); up = (i - 1) / 2) {
            swap(i, up);
            i = up;
        }
    }

    private void sink(int i) {
        for (int down = 2 * i + 1; down < heap.size(); down = 2 * i + 1) {
            if (down + 1 < heap.size() && time(down) > time(down + 1))
                down++;
            if (time(i) <= time(down))
                return;
            swap(i, down);
            i = down;
        }
    }
}
