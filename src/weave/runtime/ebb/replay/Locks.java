/* Locks and conditions of java.util.concurrent under a schedule.
 *
 * One thread runs at a time, so an attempt that does not wait says all: who can't have a lock gives the turn away and tries again when it is back.  Who is to
 * wait by the schedule does so without an attempt: a fair lock, or one that others queue for, may have made it wait though it was free.  Nobody ever
 * queues in a lock itself, which would hand it to the next one in its own order.  Conditions are the engine's: it notes who waits, and as in the JDK, who
 * has waited longest is signalled.
 *
 * Locks of the program's own, and threads that do not have the turn, use the JDK's methods; they wait for their turn when they come out (Replay.back). */
package ebb.replay;

import java.util.Collections;
import java.util.Date;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

public final class Locks {
    private static final Map<Condition, Lock> locks = Collections.synchronizedMap(new WeakHashMap<Condition, Lock>());

    private Locks() {
    }

    // ---- locks ----

    public static void lock(Lock l) {
        Real.run(l, me -> untilLocked(me, l, false), () -> l.lock());
    }

    public static void lockInterruptibly(Lock l) throws InterruptedException {
        Real.run(l, me -> Waits.until(me, l, () -> Waits.done(l.tryLock())), () -> l.lockInterruptibly());
    }

    public static boolean tryLock(Lock l, long time, TimeUnit unit) throws InterruptedException {
        return Real.value(l, me -> Waits.within(me, l, unit.toNanos(time), () -> Waits.done(l.tryLock())) != null, () -> l.tryLock(time, unit));
    }

    /** Where interrupts do not end it. */
    private static void untilLocked(Task me, Lock l, boolean isAgain) {
        for (; Turns.armed || !l.tryLock(); isAgain = true) {
            if (isAgain)
                Turns.armAgain();
            Calls.stop(me, Task.State.PARKED, l, me.own, Calls.NEVER);
            if (!Turns.on) {
                l.lock();
                return;
            }
        }
    }

    // ---- conditions ----

    public static Condition newCondition(Lock l) {
        Condition c = l.newCondition();
        if (Waits.isOfLibrary(c))
            locks.put(c, l);
        return c;
    }

    public static void await(Condition c) throws InterruptedException {
        Real.run(known(c), me -> awaitHere(me, c, Calls.NEVER), () -> c.await());
    }

    public static void awaitUninterruptibly(Condition c) {
        Real.run(known(c), me -> awaitHereThrough(me, c), () -> c.awaitUninterruptibly());
    }

    private static void awaitHereThrough(Task me, Condition c) {
        Lock l = locks.get(c);
        int n = release(l);
        Calls.stop(me, Task.State.PARKED, c, me.own, Calls.NEVER);
        acquire(me, l, n);
    }

    public static long awaitNanos(Condition c, long nanos) throws InterruptedException {
        return Real.value(known(c), me -> nanos > 0 && awaitHere(me, c, nanos) ? nanos : Math.min(nanos, 0), () -> c.awaitNanos(nanos));
    }

    public static boolean await(Condition c, long time, TimeUnit unit) throws InterruptedException {
        return Real.value(known(c), me -> time > 0 && awaitHere(me, c, unit.toNanos(time)), () -> c.await(time, unit));
    }

    public static boolean awaitUntil(Condition c, Date deadline) throws InterruptedException {
        return Real.value(known(c), me -> awaitHere(me, c, deadline), () -> c.awaitUntil(deadline));
    }

    private static boolean awaitHere(Task me, Condition c, Date deadline) throws InterruptedException {
        long nanos = TimeUnit.MILLISECONDS.toNanos(deadline.getTime() - Clock.nowMillis());
        return nanos > 0 && awaitHere(me, c, nanos);
    }

    public static void signal(Condition c) {
        if (!maySignal(c)) {
            c.signal();
            return;
        }
        Task first = null;
        for (Task t : Turns.all())
            if (t.waitsFor(c) && (first == null || t.since < first.since))
                first = t;
        if (first != null)
            first.wake(Task.Cause.NOTIFIED);
    }

    public static void signalAll(Condition c) {
        if (!maySignal(c)) {
            c.signalAll();
            return;
        }
        for (Task t : Turns.all())
            if (t.waitsFor(c))
                t.wake(Task.Cause.NOTIFIED);
    }

    private static boolean maySignal(Condition c) {
        if (Waits.taskFor(known(c)) == null)
            return false;
        if (holds(locks.get(c)) == 0)
            throw new IllegalMonitorStateException();
        return true;
    }

    /** Null: the condition is not one of a lock whose holder is known. */
    private static Condition known(Condition c) {
        Lock l = locks.get(c);
        return l instanceof ReentrantLock || l instanceof ReentrantReadWriteLock.WriteLock ? c : null;
    }

    /** Whether somebody signalled. */
    private static boolean awaitHere(Task me, Condition c, long limit) throws InterruptedException {
        Lock l = locks.get(c);
        if (holds(l) == 0)
            throw new IllegalMonitorStateException();
        Waits.checkInterrupt();
        int n = release(l);
        Task.Cause cause = Calls.stop(me, Task.State.WAITING, c, me.own, limit);
        acquire(me, l, n);
        if (cause == Task.Cause.INTERRUPTED)
            throw new InterruptedException();
        return cause == Task.Cause.NOTIFIED;
    }

    private static int holds(Lock l) {
        return l instanceof ReentrantLock ? ((ReentrantLock) l).getHoldCount() : ((ReentrantReadWriteLock.WriteLock) l).getHoldCount();
    }

    private static int release(Lock l) {
        int n = holds(l);
        for (int i = 0; i < n; i++)
            l.unlock();
        return n;
    }

    private static void acquire(Task me, Lock l, int n) {
        untilLocked(me, l, true);
        for (int i = 1; i < n; i++)
            l.lock();
    }
}
