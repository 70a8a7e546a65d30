/* Time under a schedule: that of the system, and what nobody waited for.  A wait whose time is over is over at once, and the clocks that the program reads
 * go on by what it would have taken. */
package ebb.replay;

public final class Clock {
    private static volatile long skipped; // nanoseconds; changed by who has the turn

    private Clock() {
    }

    public static long nanoTime() {
        return System.nanoTime() + skipped;
    }

    public static long currentTimeMillis() {
        return System.currentTimeMillis() + skipped / 1000000;
    }

    // ---- the clock of tasks that are to be done later (Delays) ----

    private static long tasks;
    private static long sinceEnd; // of the schedule, by the system's clock; 0: it goes on

    static synchronized long tasks() {
        if (!Turns.on && sinceEnd == 0)
            sinceEnd = System.nanoTime();
        return tasks + (Turns.on ? 0 : System.nanoTime() - sinceEnd);
    }

    static synchronized void skipTasksTo(long nanos) {
        tasks = Math.max(tasks, nanos);
    }

    /** At least that late it is now, by nanoTime(). */
    static void skipTo(long nanos) {
        long early = nanos - nanoTime();
        if (early > 0)
            skipped += early;
    }
}
