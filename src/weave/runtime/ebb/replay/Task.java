/* A thread as the engine sees it: where it is blocked, and what happened to it meanwhile.
 *
 * A thread that is blocked in a wait, sleep, join or park is woken by the schedule alone.  What it finds then depends on what came first: an
 * interrupt makes it throw, unless it had been notified or its time was over before; then, as for a thread that is not blocked at all,
 * an interrupt sets its flag only.  The flag of a thread that does not run is kept here; the JVM's own would disturb its waiting. */
package ebb.replay;

final class Task {
    enum State { READY, WAITING, SLEEPING, JOINING, PARKED, DYING }
    enum Cause { NONE, NOTIFIED, TIMED_OUT, INTERRUPTED }

    final Thread thread;
    final int number;
    final Object own = new Object();
    volatile Object lock = own;    // what it waits on for its turn; changed by itself while it has the turn
    volatile State state = State.READY;
    Cause cause = Cause.NONE;
    Object target;                 // what it waits, joins or parks for
    long since;                    // which blocking it is, of all
    int armedAt = Replay.NOWHERE;  // the place at which it was last expected to block
    boolean isTimed;               // it has a limit
    Object wants;                  // the monitor that it is about to enter, if it stands before that,
    boolean hasTried;              // and has tried to: it came to two events there
    boolean isStopped;             // by Thread.stop, while it did not run
    boolean flag;                  // it is interrupted; while it does not run
    volatile boolean isTold;       // interrupts that it gets while it does not run are known already: they came by `super.interrupt()`
    boolean permit;                // of LockSupport
    volatile boolean is_outside;   // it gave its turn away while it was blocked in code that is not woven
    private boolean isLimited;     // it is in a call of Limits,
    private boolean isOver;        // whose time is over
    boolean isHeld;                // and is suspended there; these two are those of Holds
    long used;                     // of the processor's time, when it was last released

    Task(Thread thread, int number) {
        this.thread = thread;
        this.number = number;
    }

    private static long blocks;

    synchronized void block(State why, Object on) {
        since = blocks++; // only the thread that has the turn comes here
        target = on;
        cause = Cause.NONE;
        state = why;
    }

    /** What ended the blocking; it is ready again. */
    synchronized Cause unblock() {
        Cause c = cause;
        if (state != State.DYING)
            state = State.READY;
        cause = Cause.NONE;
        target = null;
        return c;
    }

    synchronized void interrupt() {
        boolean throwing = state == State.WAITING || state == State.SLEEPING || state == State.JOINING;
        if (throwing && cause == Cause.NONE)
            cause = Cause.INTERRUPTED;
        else
            flag = true;
    }

    synchronized boolean wake(Cause why) {
        if (state == State.READY || state == State.DYING || cause != Cause.NONE)
            return false;
        cause = why;
        return true;
    }

    synchronized void limit(boolean is) {
        isLimited = is;
        isOver = false;
    }

    synchronized boolean isOver() {
        return isOver;
    }

    /** The time of the call in which it is is over, if that has a limit. */
    synchronized void endLimit() {
        if (!isLimited || isOver)
            return;
        isOver = true;
        Overridden.interruptReally(thread);
    }

    synchronized boolean waitsFor(Object o) {
        return state == State.WAITING && target == o && cause == Cause.NONE;
    }

    /** Of a thread that does not run: as another one would see it. */
    synchronized Thread.State seen() {
        Object lock = state == State.READY && hasTried ? wants : cause != Cause.NONE && state == State.WAITING ? target : null;
        if (state == State.READY || cause != Cause.NONE || state == State.PARKED && permit)
            return lock != null && Holds.isOwned(lock) ? Thread.State.BLOCKED : Thread.State.RUNNABLE;
        return isTimed ? Thread.State.TIMED_WAITING : Thread.State.WAITING;
    }

    @Override public String toString() {
        return "thread " + number + " (" + thread.getName() + ")";
    }
}
