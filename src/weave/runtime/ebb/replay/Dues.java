/* A DelayQueue under a schedule.  Who takes from one waits until its first element is due by that element's own clock, which is the engine's (Clock) if the program
 * reads it by System.nanoTime or currentTimeMillis. */
package ebb.replay;

import java.util.concurrent.DelayQueue;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

public final class Dues {
    private Dues() {
    }

    public static Delayed take(DelayQueue<?> q) throws InterruptedException {
        Task me = Waits.taskFor(q);
        return me == null ? Real.value(() -> q.take()) : take(me, q, Calls.NEVER);
    }

    public static Delayed poll(DelayQueue<?> q, long time, TimeUnit unit) throws InterruptedException {
        Task me = Waits.taskFor(q);
        return me == null ? Real.value(() -> q.poll(time, unit)) : take(me, q, unit.toNanos(time));
    }

    /** Null: the limit is over. */
    static Delayed take(Task me, DelayQueue<?> q, long limit) throws InterruptedException {
        Waits.checkInterrupt();
        long end = limit == Calls.NEVER ? Calls.NEVER : Clock.now() + limit;
        for (boolean isAgain = false;; isAgain = true) {
            Delayed x = Turns.armed ? null : q.poll();
            long left = end == Calls.NEVER ? Calls.NEVER : end - Clock.now();
            if (x != null || left <= 0)
                return x;
            if (!Turns.on)
                return left == Calls.NEVER ? q.take() : q.poll(left, TimeUnit.NANOSECONDS);
            stop(me, q, left, isAgain);
        }
    }

    /** If nobody else had a turn meanwhile, nothing but time has let it go on. */
    private static void stop(Task me, DelayQueue<?> q, long left, boolean isAgain) throws InterruptedException {
        Delayed first = q.peek();
        int given = Turns.given;
        long due = first == null ? Calls.NEVER : Math.max(1, first.getDelay(TimeUnit.NANOSECONDS)), until = Clock.now() + due;
        Task.Cause cause = Waits.stop(me, q, Math.min(due, left), isAgain);
        boolean isTime = due < left && q.peek() == first && (cause == Task.Cause.TIMED_OUT || given == Turns.given);
        if (isTime)
            Clock.skipTo(until);
        if (isTime && first.getDelay(TimeUnit.NANOSECONDS) >= due)
            LockSupport.parkNanos(due); // its clock is not ours
    }
}
