/* The watchdog: a thread that sees when the program does not do what the schedule says, and tells it, instead of letting it hang.
 *
 * It goes by the states of threads, never by time alone: a thread that runs, or that a debugger has stopped, may take as long as it likes.  But whatever
 * threads do, it is told once in a while if no event comes.
 *
 * It must not depend on what threads of the program have or wait for: it writes to the file, not to System.err, whose monitor one of them may own. */
package ebb.replay;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;

final class Watch extends Thread {
    /** The exit status of a program that has left its schedule; of one whose schedule ends with threads that can't go on. */
    private static final int LEFT = 3, HELD = 4;

    static final String LAST_IS_BLOCKED = "the schedule has ended, and the last thread that it lets run is blocked:";

    private static final long patience = patience(System.getProperty("ebb.patience", "5"));
    private static final boolean holds = Boolean.getBoolean("ebb.hold");

    private static final int TIMED = 12;          // so many times the patience for who waits for a time,
    private static final int BLOCKED = 5;         // so many looks until a thread that has the turn outside is blocked there,
    private static final int NOT_WOKEN = 200;     // and until it is not going to be woken
    private static final long LONGEST_LOOK = 200; // milliseconds
    private static final long FLUSHING = 1000;    // milliseconds for what the program has printed

    static volatile boolean isQuick; // there may be threads outside, for which somebody has to look often

    private int serial = -1;  // as long as it stays so, nothing has happened
    private long since;       // from then on, or since a thread that may take its time was seen to run
    private long silent;      // from then on, whatever was seen
    private long mostSilent;  // so long until that is told
    private int stable;       // how often the owner was seen blocked, since
    private long now;         // milliseconds in which it has looked: a debugger may stop it
    private long lastLook = System.nanoTime();

    private static final class Flusher extends Thread {
        Flusher() {
            super("ebb-replay-flush");
            setDaemon(true);
        }

        @Override public void run() {
            System.out.flush();
        }
    }

    private static final Thread flusher = new Flusher(); // made now: a thread of the program may own what loading a class needs

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
        } catch (Throwable e) {
            complain("the watchdog has failed: " + e, Turns.line);
        }
    }

    private static long patience(String seconds) {
        try {
            return (long) (1000 * Double.parseDouble(seconds));
        } catch (NumberFormatException e) {
            System.err.println("ebb: -Debb.patience is a number of seconds, not \"" + seconds + "\"; it is 5");
            return 5000;
        }
    }

    /** Time goes on by looks; one in which the whole program was stopped is as long as another. */
    private void goOn() {
        long real = System.nanoTime();
        now += Math.min((real - lastLook) / 1000000, LONGEST_LOOK);
        lastLook += (real - lastLook) / 1000000 * 1000000;
    }

    private boolean isStuck() {
        return now - since > patience;
    }

    /** The same for a thread in that state: one that waits for a time may take longer. */
    private boolean isStuck(Thread.State state) {
        return now - since > (state == State.TIMED_WAITING ? TIMED * patience : patience);
    }

    private void startOver() {
        serial = Turns.serial;
        since = silent = now;
        mostSilent = TIMED * patience;
        stable = 0;
    }

    /** Sooner of a thread that only waits for a time. */
    private void tellSilence() {
        Task t = Turns.task(Turns.turn);
        boolean waits = t != null && !Turns.has_ended && Overridden.stateOf(t.thread) == State.TIMED_WAITING;
        if (now - silent <= (waits ? mostSilent / TIMED : mostSilent))
            return;
        write("ebb: " + Turns.schedule.file + ":" + Turns.line + ": " + silence() + (waits ? "; it waits for a time" + where(t) : "") + "; nothing else has happened for "
            + (now - silent) / 1000 + " seconds\n");
        mostSilent *= 2;
    }

    private static String where(Task t) {
        StackTraceElement e = lastOfProgram(t);
        return e == null ? "" : " in " + text(e);
    }

    /** Without the name of a class loader.  Where a thread waits for its first turn there is no line. */
    private static String text(StackTraceElement e) {
        return e.getClassName() + "." + e.getMethodName() + "(" + e.getFileName() + (e.getLineNumber() < 0 ? "" : ":" + e.getLineNumber()) + ")";
    }

    private static String silence() {
        Thread last = Turns.dying;
        Task t = Turns.task(Turns.turn);
        if (isDying(last))
            return Turns.task(last) + " is to end";
        if (t == null)
            return "thread " + Turns.turn + " is to go on";
        return t + (Replay.owner != t.thread ? " has the turn, outside of the program" : Turns.has_ended ? " goes on" : wanted());
    }

    /** False: there is nothing more to see. */
    private boolean look() {
        goOn();
        int seen = Turns.serial;
        if (seen != serial) {
            startOver();
            return true;
        }
        tellSilence();
        Task t = Turns.task(Turns.turn);
        if (Turns.turn == Schedule.NOBODY)
            return lookAtNobody();
        if (t == null) {
            if (isStuck())
                complain("thread " + Turns.turn + " should go on, but there is none; threads so far: " + Turns.all().size(), Turns.line);
            return true;
        }
        Thread.State state = Overridden.stateOf(t.thread);
        if (Turns.serial != seen)
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
            since = now;
            return true;
        }
        if (state == State.BLOCKED && isInEngine(t))
            return true; // for a moment
        stable++;
        if (stable >= 2 && (Turns.armed || Turns.is_none && (state == State.BLOCKED || isInLibrary(t)) || Turns.is_in && isInCall(t)))
            Turns.actFor(t);
        else if (isStuck(state) && Turns.has_ended && state != State.TIMED_WAITING)
            return hold(LAST_IS_BLOCKED);
        else if (isStuck(state) && !Turns.has_ended)
            leave(t, "it is blocked");
        else if (stable >= 2 && state == State.TIMED_WAITING)
            t.endLimit();
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
            since = now;
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

    /** What it waits for is a monitor of the engine's. */
    private static boolean isInEngine(Task t) {
        StackTraceElement[] stack = t.thread.getStackTrace();
        return stack.length > 0 && stack[0].getClassName().startsWith("ebb.replay.");
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

    private static String wanted() {
        return " should come to: " + Schedule.event(Turns.expected, Turns.is_in, Turns.count);
    }

    /** The owner does something else than the schedule says. */
    static void leave(Task t, String why) {
        String wanted = Turns.has_ended ? "" : wanted();
        String come = Turns.has_ended || Turns.count <= 1 ? "" : " (times that it came there: " + (Turns.count - Math.max(Turns.remaining, 0)) + ")";
        complain(t + wanted + "; but " + why + come, Turns.line);
    }

    private static volatile boolean isTold, isEnding;

    static synchronized void complain(String text, int line) {
        isTold = true;
        String unable = isQuick && !Holds.can() ? "This JVM can't hold threads that the class library wakes; those before version 20 can.\n" : "";
        end(LEFT, "ebb: the program has left its schedule\n" + Turns.schedule.file + ":" + line + ": " + text + "\n" + unable);
    }

    /** Not a fault of the program's: it was so when the schedule was made.  Nothing to tell if everybody has ended. */
    static synchronized boolean hold(String text) {
        boolean any = false;
        for (Task t : Turns.all())
            any |= t.thread.isAlive() && !t.thread.isDaemon();
        if (any)
            end(HELD, "ebb: " + text + "\n");
        return false;
    }

    private static void end(int status, String text) {
        flushOutput();
        write(text + stacks());
        if (!holds || isEnding)
            Runtime.getRuntime().halt(status);
        for (;;)
            try {
                sleep(Long.MAX_VALUE);
            } catch (InterruptedException e) {
                // stays
            }
    }

    /** What the program has printed comes first; but one of its threads may own the stream. */
    private static void flushOutput() {
        try {
            flusher.start();
            flusher.join(FLUSHING);
        } catch (InterruptedException | IllegalThreadStateException e) {
            // it is told all the same
        }
    }

    /** To standard error, in one piece. */
    static void write(String text) {
        try {
            new FileOutputStream(FileDescriptor.err).write(text.getBytes());
        } catch (IOException e) {
            // there is nobody to be told
        }
    }

    private static String stacks() {
        StringBuilder text = new StringBuilder();
        for (Task t : Turns.all())
            if (t.thread.isAlive()) {
                text.append("  " + t + (t.thread == Replay.owner ? ", which has the turn" : "") + ":\n");
                addStack(text, t.thread);
            }
        return text.toString();
    }

    private static void addStack(StringBuilder text, Thread t) {
        boolean isOurs = true; // the frames of the engine, and of the wait in it, are nobody's business
        for (StackTraceElement e : t.getStackTrace()) {
            boolean isEngine = e.getClassName().startsWith("ebb.replay.");
            isOurs = isOurs && (isEngine || e.getClassName().equals("java.lang.Object") || e.getClassName().equals("java.lang.Thread"));
            if (!isOurs)
                text.append("    at " + text(e) + "\n");
        }
    }
}
