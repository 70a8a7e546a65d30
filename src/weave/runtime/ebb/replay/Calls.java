/* The calls by which threads of a program deal with each other, under a schedule: nothing really waits for anybody but for its turn, nothing takes time,
 * and who is woken is said by the schedule.  Arguments are checked as the JDK does, in the order that HotSpot has.
 *
 * A thread that does not have the turn (left alone by the schedule, dying, or after `terminate`) gets the JDK's own method. */
package ebb.replay;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

public final class Calls {
    private static volatile boolean others; // somebody really waits: then notifications are real, too

    private Calls() {
    }

    // ---- Object ----

    public static void waitOn(Object o) throws InterruptedException {
        if (Turns.mine() != null)
            waitHere(o, 0, 0);
        else
            waitReally(o);
    }

    public static void waitOn(Object o, long millis) throws InterruptedException {
        others |= Turns.mine() == null;
        if (Turns.mine() == null)
            o.wait(millis);
        else
            waitHere(o, millis, 0);
    }

    public static void waitOn(Object o, long millis, int nanos) throws InterruptedException {
        others |= Turns.mine() == null;
        if (Turns.mine() == null)
            o.wait(millis, nanos);
        else
            waitHere(o, millis, nanos);
    }

    private static void waitReally(Object o) throws InterruptedException {
        others = true;
        o.wait();
    }

    private static void waitHere(Object o, long millis, int nanos) throws InterruptedException {
        checkTime(millis, nanos);
        if (!Thread.holdsLock(o))
            throw new IllegalMonitorStateException("current thread is not owner");
        long limit = limit(millis, nanos);
        Task.Cause cause = block(Turns.mine(), Task.State.WAITING, o, o, limit);
        if (!Turns.on && cause == Task.Cause.NONE && limit == NEVER)
            waitReally(o);
    }

    private static long limit(long millis, int nanos) {
        return millis == 0 && nanos == 0 ? NEVER : TimeUnit.MILLISECONDS.toNanos(millis) + nanos;
    }

    private static void checkTime(long millis, int nanos) {
        if (millis < 0)
            throw new IllegalArgumentException("timeout value is negative");
        if (nanos < 0 || nanos > 999999)
            throw new IllegalArgumentException("nanosecond timeout value out of range");
    }

    public static void notifyOn(Object o) {
        if (!mayNotify(o)) {
            o.notify();
            return;
        }
        Task only = null;
        for (Task t : Turns.all())
            if (t.state == Task.State.WAITING && t.target == o) {
                if (only != null)
                    return; // one of several: the schedule says which, where it matters
                only = t;
            }
        if (only != null)
            only.wake(Task.Cause.NOTIFIED);
    }

    public static void notifyAllOn(Object o) {
        if (!mayNotify(o)) {
            o.notifyAll();
            return;
        }
        for (Task t : Turns.all())
            if (t.waitsFor(o))
                t.wake(Task.Cause.NOTIFIED);
    }

    /** Whether the engine does it; the owner of the turn must own the monitor for that. */
    private static boolean mayNotify(Object o) {
        if (Turns.mine() == null)
            return false;
        if (!Thread.holdsLock(o))
            throw new IllegalMonitorStateException("current thread is not owner");
        if (others)
            o.notifyAll();
        return true;
    }

    // ---- Thread ----

    public static void join(Thread t) throws InterruptedException {
        join(t, 0, 0);
    }

    public static void join(Thread t, long millis) throws InterruptedException {
        join(t, millis, 0);
    }

    public static void join(Thread t, long millis, int nanos) throws InterruptedException {
        Task me = Turns.mine();
        if (me == null || Turns.task(t) == null && t.isAlive()) {
            t.join(millis, nanos);
            return;
        }
        checkTime(millis, nanos);
        if (!t.isAlive()) {
            Turns.passed();
            return;
        }
        long limit = limit(millis, nanos);
        block(me, Task.State.JOINING, t, me.own, limit);
        if (!Turns.on && limit == NEVER)
            t.join();
    }

    public static void sleep(long millis) throws InterruptedException {
        sleep(millis, 0);
    }

    public static void sleep(long millis, int nanos) throws InterruptedException {
        Task me = Turns.mine();
        if (me == null) {
            Thread.sleep(millis, nanos);
            return;
        }
        checkTime(millis, nanos);
        boolean isShort = millis == 0 && nanos == 0; // that one only yields: an interrupt that comes meanwhile sets the flag
        block(me, isShort ? Task.State.PARKED : Task.State.SLEEPING, null, me.own, TimeUnit.MILLISECONDS.toNanos(millis) + nanos);
    }

    public static void sleep(TimeUnit unit, long time) throws InterruptedException {
        Task me = Turns.mine();
        if (me == null)
            unit.sleep(time);
        else if (time > 0)
            block(me, Task.State.SLEEPING, null, me.own, unit.toNanos(time));
    }

    public static void timedWait(TimeUnit unit, Object o, long time) throws InterruptedException {
        if (time > 0)
            waitOn(o, unit.toMillis(time), excess(unit, time));
    }

    public static void timedJoin(TimeUnit unit, Thread t, long time) throws InterruptedException {
        if (time > 0)
            join(t, unit.toMillis(time), excess(unit, time));
    }

    /** Nanoseconds beyond the milliseconds. */
    private static int excess(TimeUnit unit, long time) {
        return (int) (unit.toNanos(time) - TimeUnit.MILLISECONDS.toNanos(unit.toMillis(time)));
    }

    public static void yield() {
        if (Turns.mine() == null)
            Thread.yield();
    }

    public static void interrupt(Thread t) {
        Task whom = Overridden.interrupt(t) ? null : interruptible(t);
        if (whom == null)
            t.interrupt();
        else
            whom.interrupt();
    }

    /** By `super.interrupt()`, which is about to be made. */
    public static void superCalled(Thread t) {
        Task whom = interruptible(t);
        if (whom == null)
            return;
        whom.isTold = true;
        whom.interrupt();
    }

    /** The thread, if what an interrupt does to it is the engine's business. */
    private static Task interruptible(Thread t) {
        Task whom = Turns.mine() == null ? null : Turns.task(t);
        boolean isOwn = whom == null || whom.is_outside || whom.state == Task.State.DYING || t == Thread.currentThread() || !t.isAlive();
        return isOwn ? null : whom;
    }

    public static void interrupt(ThreadGroup g) {
        if (Turns.mine() == null) {
            g.interrupt();
            return;
        }
        Thread[] all = new Thread[g.activeCount() + 16];
        int n = g.enumerate(all);
        for (int i = 0; i < n; i++)
            interrupt(all[i]);
    }

    @SuppressWarnings({"deprecation", "removal"})
    public static void stop(Thread t) {
        Task whom = interruptible(t);
        if (whom == null)
            t.stop();
        else
            whom.isStopped = true;
    }

    public static Thread.State getState(Thread t) {
        return Overridden.getState(t) ? t.getState() : superCalled(t, t.getState());
    }

    /** `super.getState()` was called. */
    public static Thread.State superCalled(Thread t, Thread.State real) {
        Task whom = Turns.mine() == null ? null : Turns.task(t);
        boolean isOurs = whom != null && !whom.is_outside && whom.state != Task.State.DYING && t != Thread.currentThread();
        return isOurs && real != Thread.State.NEW && real != Thread.State.TERMINATED ? whom.seen() : real;
    }

    public static boolean isInterrupted(Thread t) {
        return Overridden.isInterrupted(t) ? t.isInterrupted() : superCalled(t, t.isInterrupted());
    }

    /** `super.isInterrupted()` was called. */
    public static boolean superCalled(Thread t, boolean real) {
        Task whom = Turns.mine() == null ? null : Turns.task(t);
        return whom != null && whom.isTold && t != Thread.currentThread() ? whom.flag : real || whom != null && whom.flag;
    }

    // ---- LockSupport ----

    public static void park() {
        park(null, true, NEVER);
    }

    public static void park(Object blocker) {
        park(blocker, true, NEVER);
    }

    public static void parkNanos(long nanos) {
        if (Turns.mine() == null)
            LockSupport.parkNanos(nanos);
        else if (nanos > 0)
            park(null, false, nanos);
    }

    public static void parkNanos(Object blocker, long nanos) {
        if (Turns.mine() == null)
            LockSupport.parkNanos(blocker, nanos);
        else if (nanos > 0)
            park(blocker, false, nanos);
    }

    public static void parkUntil(long deadline) {
        if (Turns.mine() == null)
            LockSupport.parkUntil(deadline);
        else
            park(null, false, until(deadline));
    }

    public static void parkUntil(Object blocker, long deadline) {
        if (Turns.mine() == null)
            LockSupport.parkUntil(blocker, deadline);
        else
            park(blocker, false, until(deadline));
    }

    private static long until(long deadline) {
        return Math.max(1, TimeUnit.MILLISECONDS.toNanos(deadline - Clock.nowMillis()));
    }

    private static void park(Object blocker, boolean isReal, long limit) {
        Task me = Turns.mine();
        if (me == null && isReal) {
            LockSupport.park(blocker);
            return;
        }
        if (me.permit || Thread.currentThread().isInterrupted())
            Turns.passed();
        else
            stop(me, Task.State.PARKED, blocker, me.own, limit);
        me.permit = false;
    }

    public static Object getBlocker(Thread t) {
        Task whom = Turns.mine() == null || t == null ? null : Turns.task(t);
        boolean isOurs = whom != null && !whom.is_outside && whom.state == Task.State.PARKED;
        return isOurs ? whom.target : LockSupport.getBlocker(t);
    }

    public static void unpark(Thread t) {
        Task whom = Turns.mine() == null || t == null ? null : Turns.task(t);
        if (whom == null || whom.is_outside)
            LockSupport.unpark(t);
        else
            whom.permit = true;
    }

    // ---- common ----

    static final long NEVER = Long.MAX_VALUE; // the limit of a wait that has none; others are in nanoseconds

    /** Blocks where an interrupt throws. */
    static Task.Cause block(Task me, Task.State why, Object target, Object lock, long limit) throws InterruptedException {
        if (Thread.interrupted()) {
            Turns.passed();
            throw new InterruptedException();
        }
        Task.Cause cause = stop(me, why, target, lock, limit);
        if (cause == Task.Cause.INTERRUPTED)
            throw new InterruptedException();
        return cause;
    }

    private static final int MOST_IDLE = 1000000;
    private static int idle, idleSince; // how often who has the turn waited for time alone since that event

    /** It may wait that way for another thread, which is not going to have a turn. */
    private static void countIdle(Task me) {
        idle = idleSince == Turns.serial ? idle + 1 : 0;
        idleSince = Turns.serial;
        if (idle > MOST_IDLE && !Turns.has_ended)
            Watch.leave(me, "it waits again and again until a time is over");
    }

    /** Where the schedule has no switch, nobody else runs meanwhile: time passes in no time, and without a limit this would never end. */
    static Task.Cause stop(Task me, Task.State why, Object target, Object lock, long limit) {
        boolean isTimed = limit != NEVER;
        long deadline = isTimed ? Clock.now() + limit : 0;
        Task.Cause cause = Task.Cause.TIMED_OUT;
        if (Turns.armed) {
            me.isTimed = isTimed;
            cause = Turns.blockIn(me, why, target, lock);
        } else if (!isTimed) {
            if (Turns.has_ended)
                Watch.hold(Watch.LAST_IS_BLOCKED);
            Watch.leave(me, "it is blocked");
        } else {
            countIdle(me);
        }
        if (isTimed && (cause == Task.Cause.TIMED_OUT || cause == Task.Cause.NONE && why == Task.State.SLEEPING))
            Clock.skipTo(deadline);
        return cause;
    }
}
