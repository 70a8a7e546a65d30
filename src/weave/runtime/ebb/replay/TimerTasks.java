/* A task of a timer under a schedule: what the JDK's own knows of it, where Timers can see it.  Classes of the program that extend java.util.TimerTask
 * extend this one when they are woven.  Times are milliseconds of the clock of tasks. */
package ebb.replay;

import java.util.TimerTask;

public abstract class TimerTasks extends TimerTask {
    enum Is { NEW, SCHEDULED, EXECUTED, CANCELLED }

    private Is is = Is.NEW;
    private long time;   // of its next execution
    private long period; // below 0: from the beginning of one execution to the next; 0: there is only one

    /** Of a task whose class is not woven: if it is cancelled, its timer does not know. */
    static final class Foreign extends TimerTasks {
        private final TimerTask task;

        Foreign(TimerTask task) {
            this.task = task;
        }

        @Override public void run() {
            task.run();
        }
    }

    static TimerTasks of(TimerTask task) {
        return task instanceof TimerTasks ? (TimerTasks) task : new Foreign(task);
    }

    final synchronized void schedule(long first, long every) {
        if (is != Is.NEW)
            throw new IllegalStateException("Task already scheduled or cancelled");
        is = Is.SCHEDULED;
        time = first;
        period = every;
    }

    final synchronized long time() {
        return time;
    }

    final synchronized boolean isCancelled() {
        return is == Is.CANCELLED;
    }

    /** It is about to be executed.  Whether it will be again. */
    final synchronized boolean begin(long now) {
        if (period == 0)
            is = Is.EXECUTED;
        else
            time = period < 0 ? now - period : time + period;
        return period != 0;
    }

    @Override public boolean cancel() {
        synchronized (this) {
            boolean was = is == Is.SCHEDULED;
            is = Is.CANCELLED;
            return was;
        }
    }

    @Override public long scheduledExecutionTime() {
        synchronized (this) {
            return Clock.nowMillis() + time - Math.abs(period) - Timers.now();
        }
    }
}
