/* Workers of a ForkJoinPool under a schedule: each begins to look for tasks when the schedule first gives it the turn, and one of which the schedule says
 * nothing never does, so that whoever waits for its tasks executes them by itself.  Where it blocks later it is held (Holds),
 * so that what it takes depends on the order of turns alone. */
package ebb.replay;

import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;

public final class Workers implements ForkJoinPool.ForkJoinWorkerThreadFactory {
    private static final String COMMON = "java.util.concurrent.ForkJoinPool.common.";

    private static final class Worker extends ForkJoinWorkerThread {
        Worker(ForkJoinPool pool) {
            super(pool);
            setDaemon(true);
        }

        @Override public void run() {
            if (Turns.isNamed(this))
                Replay.enter();
            else
                waitForEnd();
            super.run();
        }
    }

    public Workers() {
    }

    @Override public ForkJoinWorkerThread newThread(ForkJoinPool pool) {
        return new Worker(pool);
    }

    /** Before anybody has used the common pool.  If it had no workers, tasks that need one each were given threads of their own. */
    static void begin(Schedule schedule) {
        if (System.getProperty(COMMON + "threadFactory") == null)
            System.setProperty(COMMON + "threadFactory", Workers.class.getName());
        boolean any = false;
        for (String name : schedule.names.values())
            any |= name.startsWith("ForkJoinPool.commonPool-worker-");
        if (!any && !schedule.names.isEmpty() && System.getProperty(COMMON + "parallelism") == null)
            System.setProperty(COMMON + "parallelism", "1");
    }

    private static void waitForEnd() {
        while (Turns.on)
            try {
                Thread.sleep(10);
            } catch (InterruptedException e) {
                return; // the pool is shut down
            }
    }

    /** How many a pool has if nobody says that. */
    public static int processors() {
        return Runtime.getRuntime().availableProcessors();
    }

    /** That of a pool of the program. */
    public static ForkJoinPool.ForkJoinWorkerThreadFactory factory() {
        return Turns.on ? new Workers() : ForkJoinPool.defaultForkJoinWorkerThreadFactory;
    }

    static ForkJoinPool stealing(int parallelism) {
        return new ForkJoinPool(parallelism, factory(), null, true);
    }
}
