/* The watchdog: a thread that sees when the program does not do what the schedule says, and tells it, instead of letting it hang.
 *
 * It goes by the states of threads, never by time alone: a thread that runs, or that a debugger has stopped, may take as long as it likes. */
package ebb.replay;

import java.util.ArrayList;

final class Watch extends Thread {
    /** The exit status of a program that has left its schedule; of one whose schedule ends with threads that can't go on. */
    private static final int LEFT = 3, HELD = 4;

    static final String LAST_IS_BLOCKED = "the schedule has ended, and the last thread that it lets run is blocked:";

    private static final long patience = (long) (1000 * Double.parseDouble(System.getProperty("ebb.patience", "5")));
    private static final boolean holds = Boolean.getBoolean("ebb.hold");

    private static final int TIMED = 12;          // so many times the patience for who waits for a time,
    private static final int BLOCKED = 5;         // so many looks until a thread that has the turn outside is blocked there,
    private static final int NOT_WOKEN = 200;     // and until it is not going to be woken

    static volatile boolean isQuick; // there may be threads outside, for which somebody has to look often

    private int serial = -1;  // as long as it stays so, nothing has happened
    private long since;       // from then on
    private int stable;       // how often the owner was seen blocked, since

    Watch() {
        super("ebb-replay-watch");
        setDaemon(true);
    }

    @Override public void run() {
        isQuick |= Turns.schedule.has_outside;
        try {
            while (Turns.on && look())
                sleep(isQuick ? 1 : 20);
        } catch (InterruptedException e) {
            // nobody does that; the program goes on without being watched
        }
    }

    private boolean isStuck() {
        return System.nanoTime() / 1000000 - since > patience;
    }

    /** The same for a thread in that state: one that waits for a time may take longer. */
    private boolean isStuck(Thread.State state) {
        return System.nanoTime() / 1000000 - since > (state == State.TIMED_WAITING ? TIMED * patience : patience);
    }

    /** False: there is nothing more to see. */
    private boolean look() {
        int now = Turns.serial;
        if (now != serial) {
            serial = now;
            since = System.nanoTime() / 1000000;
            stable = 0;
            return true;
        }
        Task t = Turns.task(Turns.turn);
        if (Turns.turn == Schedule.NOBODY)
            return lookAtNobody();
        if (t == null) {
            if (isStuck())
                complain("thread " + Turns.turn + " should go on, but there is none; threads so far: " + Turns.all().size(), Turns.line);
            return true;
        }
        Thread.State state = Overridden.stateOf(t.thread);
        if (Turns.serial != now)
            return true;
        if (Replay.owner == t.thread)
            return lookAtOwner(t, state);
        if (t.is_outside)
            lookOutside(t, state);
        else if (isDying(Turns.dying))
            lookAtDying(Turns.dying);
        else if (isStuck())
            complain(t + " should go on, and does not: it is " + state, Turns.line);
        return true;
    }

    private boolean lookAtOwner(Task t, Thread.State state) {
        if (state == State.TERMINATED && Turns.has_ended)
            return hold("the schedule and the last thread that it lets run have ended; these threads are left:");
        if (state == State.TERMINATED && Turns.is_none) { // it was blocked on its way out
            Turns.actFor(t);
            return true;
        }
        if (state == State.TERMINATED)
            leave(t, "it has ended");
        if (state == State.RUNNABLE || state == State.NEW) {
            stable = 0;
            since = System.nanoTime() / 1000000;
            return true;
        }
        stable++;
        if (stable >= 2 && (Turns.armed || Turns.is_none && (state == State.BLOCKED || isInLibrary(t)) || Turns.is_in && isInCall(t)))
            Turns.actFor(t);
        else if (stable >= 2 && state == State.TIMED_WAITING)
            t.endLimit();
        else if (isStuck(state) && Turns.has_ended)
            return hold(LAST_IS_BLOCKED);
        else if (isStuck(state))
            leave(t, "it is blocked");
        return true;
    }

    private void lookOutside(Task t, Thread.State state) {
        boolean isEnded = state == State.TERMINATED;
        if (!isEnded && state == State.RUNNABLE) {
            stable = 0;
            return;
        }
        boolean isBlocked = ++stable >= BLOCKED && Holds.hasRun(t);
        boolean isBack = isEnded || isBlocked || state != State.TIMED_WAITING && isStuck();
        if (isBack && Turns.stayFor(t, isEnded))
            return;
        if (!isEnded && (isBlocked || stable >= NOT_WOKEN))
            t.endLimit();
        if (isEnded)
            complain(t + " should go on, but it has ended", Turns.line);
        if (isStuck(Turns.schedule.kind() == Schedule.Kind.DIE ? State.BLOCKED : state))
            complain(t + " should go on, but it is still blocked", Turns.line);
    }

    private boolean lookAtNobody() {
        if (!isDying(Turns.dying))
            return hold("the schedule ends with threads that can't go on:");
        lookAtDying(Turns.dying);
        return true;
    }

    private static boolean isDying(Thread t) {
        return t != null && t.isAlive();
    }

    private void lookAtDying(Thread t) {
        State state = t == null ? State.TERMINATED : Overridden.stateOf(t);
        if (state == State.RUNNABLE)
            since = System.nanoTime() / 1000000;
        else if (state != State.TERMINATED && isStuck(state))
            complain(Turns.task(t) + " should have ended, but it is blocked", Turns.line);
    }

    /** Where the thread left the program; null: nothing of that is on its stack. */
    private static StackTraceElement lastOfProgram(Task t) {
        for (StackTraceElement e : t.thread.getStackTrace()) {
            String c = e.getClassName();
            if (!c.contains("$$Lambda") && !c.startsWith("java.") && !c.startsWith("ebb.replay.") && !c.startsWith("jdk.") && !c.startsWith("sun.") && !c.startsWith("javax."))
                return e;
        }
        return null;
    }

    private static boolean isInLibrary(Task t) {
        return lastOfProgram(t) == null;
    }

    /** It is back in the call that is waited for, out of code of the program which that call has called. */
    private static boolean isInCall(Task t) {
        StackTraceElement e = lastOfProgram(t);
        return e != null && Turns.count == 1 && Schedule.isAt(Turns.expected, e);
    }

    // ---- the end of the program ----

    /** The JVM ends when the last thread does, and would not wait for the watch to see that an event never came. */
    static void watchEnd() {
        Runtime.getRuntime().addShutdownHook(new Thread(Watch::lookAtEnd, "ebb-replay-end"));
    }

    private static void lookAtEnd() {
        if (holds && isTold)
            return; // it is ended from outside
        isEnding = true;
        Thread last = Replay.owner;
        Task t = last == null || !Turns.on || Turns.has_ended || Turns.is_none ? null : Turns.task(last);
        if (t != null && !last.isAlive())
            leave(t, "it has ended");
        else if (t != null && !Turns.armed && isExiting(last)) // else it is blocked there, as the schedule says, until hooks of the program have ended
            leave(t, "it ends the program");
    }

    /** By itself: a signal ends the program, too. */
    private static boolean isExiting(Thread t) {
        for (StackTraceElement e : t.getStackTrace())
            if (e.getClassName().equals("java.lang.Runtime") && e.getMethodName().equals("exit"))
                return true;
        return false;
    }

    // ---- what is told ----

    /** The owner does something else than the schedule says. */
    static void leave(Task t, String why) {
        String wanted = Turns.has_ended ? "" : " should come to: " + Schedule.event(Turns.expected, Turns.is_in, Turns.count);
        String come = Turns.has_ended || Turns.count <= 1 ? "" : " (times that it came there: " + (Turns.count - Math.max(Turns.remaining, 0)) + ")";
        complain(t + wanted + "; but " + why + come, Turns.line);
    }

    private static volatile boolean isTold, isEnding;

    private static synchronized void complain(String text, int line) {
        isTold = true;
        System.out.flush();
        System.err.println("ebb: the program has left its schedule");
        System.err.println(Turns.schedule.file + ":" + line + ": " + text);
        if (isQuick && !Holds.can())
            System.err.println("This JVM can't hold threads that the class library wakes; those before version 20 can.");
        tellThreads();
        end(LEFT);
    }

    /** Not a fault of the program's: it was so when the schedule was made.  Nothing to tell if everybody has ended. */
    static synchronized boolean hold(String text) {
        boolean any = false;
        for (Task t : Turns.all())
            any |= t.thread.isAlive() && !t.thread.isDaemon();
        if (any) {
            System.out.flush();
            System.err.println("ebb: " + text);
            tellThreads();
            end(HELD);
        }
        return false;
    }

    private static void end(int status) {
        System.err.flush();
        if (!holds || isEnding)
            Runtime.getRuntime().halt(status);
        for (;;)
            try {
                sleep(Long.MAX_VALUE);
            } catch (InterruptedException e) {
                // stays
            }
    }

    private static void tellThreads() {
        ArrayList<Task> all = Turns.all();
        for (Task t : all)
            if (t.thread.isAlive()) {
                System.err.println("  " + t + (t.thread == Replay.owner ? ", which has the turn" : "") + ":");
                tellStack(t.thread);
            }
    }

    private static void tellStack(Thread t) {
        boolean isOurs = true; // the frames of the engine, and of the wait in it, are nobody's business
        for (StackTraceElement e : t.getStackTrace()) {
            boolean isEngine = e.getClassName().startsWith("ebb.replay.");
            isOurs = isOurs && (isEngine || e.getClassName().equals("java.lang.Object") || e.getClassName().equals("java.lang.Thread"));
            if (!isOurs)
                System.err.println("    at " + e.getClassName() + "." + e.getMethodName() + "(" + e.getFileName() + ":" + e.getLineNumber() + ")");
        }
    }
}
