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

    /** At least that late it is now, by nanoTime(). */
    static void skipTo(long nanos) {
        long early = nanos - nanoTime();
        if (early > 0)
            skipped += early;
    }
}
