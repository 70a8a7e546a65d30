/* Threads that are blocked in code that is not woven: what wakes them there is the class library, and it does so whether they have the turn or not.
 * So they are suspended where they are blocked, and resumed when they have the turn.  Between these two they are what a thread is on a machine that
 * runs one at a time: woken, perhaps, but not going on.  A thread that is suspended only while it is blocked holds no more than it would hold anyway.
 *
 * JVMs since 20 can't suspend threads.  There, who is woken in the class library goes on until it comes back to woven code.
 *
 * Whether a thread that was resumed has gone on is told by the time that it has used: one that was woken, and which the system has not let run yet, looks as if it were
 * blocked still. */
package ebb.replay;

import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Method;

final class Holds {
    private static final int FIRST_WITHOUT = 20;
    private static final Method suspend = find("suspend"), resume = find("resume");
    private static final ThreadMXBean times = findTimes();

    private Holds() {
    }

    static boolean can() {
        return suspend != null && resume != null;
    }

    private static Method find(String name) {
        String version = System.getProperty("java.specification.version", "");
        try {
            boolean has = version.startsWith("1.") || Integer.parseInt(version) < FIRST_WITHOUT;
            return has ? Thread.class.getMethod(name) : null;
        } catch (ReflectiveOperationException | NumberFormatException e) {
            return null;
        }
    }

    private static ThreadMXBean findTimes() {
        try {
            ThreadMXBean bean = ManagementFactory.getThreadMXBean();
            return bean.isThreadCpuTimeSupported() && bean.isThreadCpuTimeEnabled() ? bean : null;
        } catch (LinkageError | UnsupportedOperationException e) {
            return null; // a JVM without that module
        }
    }

    static boolean isBlocked(Thread.State state) {
        return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING || state == Thread.State.BLOCKED;
    }

    /** The thread, which was seen blocked, stays there.  False: it has gone on meanwhile. */
    static synchronized boolean hold(Task t) {
        if (!can() || t.isHeld)
            return true;
        call(suspend, t.thread);
        t.isHeld = true;
        if (isBlocked(Overridden.stateOf(t.thread)))
            return true;
        release(t);
        return false;
    }

    /** It has the turn. */
    static synchronized void release(Task t) {
        t.used = used(t);
        if (t.isHeld) {
            t.isHeld = false;
            call(resume, t.thread);
        }
    }

    private static void call(Method m, Thread t) {
        try {
            m.invoke(t);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("ebb: " + e);
        }
    }

    private static long used(Task t) {
        return times == null ? -1 : times.getThreadCpuTime(t.thread.getId());
    }

    /** Whether some thread owns that monitor. */
    static boolean isOwned(Object lock) {
        if (Thread.holdsLock(lock))
            return true;
        int hash = System.identityHashCode(lock);
        if (times != null && times.isObjectMonitorUsageSupported())
            for (ThreadInfo info : times.dumpAllThreads(true, false))
                for (MonitorInfo monitor : info.getLockedMonitors())
                    if (monitor.getIdentityHashCode() == hash && monitor.getClassName().equals(lock.getClass().getName()))
                        return true;
        return false;
    }

    /** Since it was released. */
    static boolean hasRun(Task t) {
        return t.used < 0 || used(t) != t.used;
    }
}
