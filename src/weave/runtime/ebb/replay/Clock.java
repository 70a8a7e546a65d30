/* Time under a schedule goes on where somebody's time is over, and by a little each time that the program asks for it.  So what a program does by the clock does not
 * depend on how fast the computer is, nor on how long a debugger stops it.  After `terminate` it goes on as the system's. */
package ebb.replay;

public final class Clock {
    private static final long STEP = 1000;                        // nanoseconds that a question takes
    private static final long start = System.nanoTime(), startMillis = System.currentTimeMillis();

    private static long passed;                                   // since then; changed by who has the turn
    private static long end = Turns.on ? Long.MIN_VALUE : start;  // of the schedule, by the system's clock; MIN_VALUE: it goes on

    private Clock() {
    }

    public static long nanoTime() {
        return start + ask();
    }

    public static long currentTimeMillis() {
        return startMillis + ask() / 1000000;
    }

    /** Nanoseconds since the program began. */
    static synchronized long now() {
        if (!Turns.on && end == Long.MIN_VALUE)
            end = System.nanoTime();
        return passed + (Turns.on ? 0 : System.nanoTime() - end);
    }

    static long nowMillis() {
        return startMillis + now() / 1000000;
    }

    /** The same, and the question takes its time. */
    static synchronized long ask() {
        if (Turns.on)
            passed += STEP;
        return now();
    }

    /** At least that late it is now. */
    static synchronized void skipTo(long nanos) {
        passed = Math.max(passed, nanos);
    }
}
