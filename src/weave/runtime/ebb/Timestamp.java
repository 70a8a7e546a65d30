/* The counters of a program into which `ebb weave timestamp` has put calls of these methods.
 *
 * The thread that comes here first, which is most often the main thread, has its counter in a static field: a JIT compiler knows that thread as
 * a constant.  The next one that comes has static fields, too, in a class of their own, so that the two counters don't share a cache line; when it
 * has ended, a later thread gets them.  Every other thread has a cell of its own, which only it writes; it finds it by its number in a table, and knows by the
 * owner that it is its own.  Where two threads share a slot, the later one finds its cell in a ThreadLocal, which is slower and right as
 * well.  So no increment is lost, and no thread waits for another.
 *
 * Where exact stops are wanted, each tick compares; STOPS is a constant, so a JIT compiler leaves the comparisons out where they are not.
 * A thread that reaches its stop calls brake(), where the debugger has its breakpoint.
 *
 * Settings: -Debb.stop=N        the first timestamp at which brake() is called; a debugger may change the fields later
 *           -Debb.thread=NAME   only for the thread of this name
 *           -Debb.counts=FILE   at the end of the program, writes a line "NAME TIMESTAMP" for each thread */
package ebb;

public final class Timestamp implements Runnable {
    private static final int SLOTS = 1024; // a power of two

    static final class Cell {
        final Thread owner;
        long count;
        long stop;
        long p1, p2, p3, p4, p5, p6, p7, p8; // a cache line between the counts of two threads

        Cell(Thread owner, long stop) {
            this.owner = owner;
            this.stop = stop;
        }
    }

    /** The counter of the second thread. */
    static final class Second {
        static long p1, p2, p3, p4, p5, p6, p7, p8;
        static long count, stop;
        static long q1, q2, q3, q4, q5, q6, q7, q8;
        static Thread owner; // written by the owner itself, or while nobody is
        static Cell cell;    // of the owner: keeps the count when that has ended
    }

    private static final boolean STOPS = Long.getLong("ebb.stop") != null;
    private static final long firstStop = Long.getLong("ebb.stop", Long.MAX_VALUE);
    private static final String onlyThread = System.getProperty("ebb.thread");
    private static final String countsFile = System.getProperty("ebb.counts");

    private static final Thread first = Thread.currentThread();
    private static long count;
    private static long stop = stopOf(first);

    private static final Cell[] cells = new Cell[SLOTS];
    private static final ThreadLocal<Cell> others = new ThreadLocal<>();
    private static final java.util.ArrayList<Cell> all = new java.util.ArrayList<>(); // only if they are to be written

    static {
        Cell nobody = new Cell(null, Long.MAX_VALUE);
        for (int i = 0; i < SLOTS; i++)
            cells[i] = nobody;
        if (!STOPS && System.getProperty("ebb.stop") != null)
            System.err.println("ebb: -Debb.stop is no timestamp, which is a number: the program runs without a stop.");
        if (countsFile != null)
            Runtime.getRuntime().addShutdownHook(new Thread(null, new Timestamp(), "ebb.counts"));
    }

    private Timestamp() {
    }

    /** A tick in memory. */
    public static void tick() {
        Thread t = Thread.currentThread();
        if (t == first) {
            count++;
            if (STOPS && count == stop)
                brake();
        } else if (t == Second.owner) {
            Second.count++;
            if (STOPS && Second.count == Second.stop)
                brake();
        } else {
            other(1);
        }
    }

    /** A tick of a loop that has counted so many and not handed them in. */
    public static void loop(long pending) {
        if (STOPS)
            look(pending);
    }

    /** What a loop has counted. */
    public static void add(long pending) {
        if (pending == 0)
            return;
        Thread t = Thread.currentThread();
        if (t == first)
            count += pending;
        else if (t == Second.owner)
            Second.count += pending;
        else
            other(pending);
    }

    /** What a loop has counted, and a tick. */
    public static void leave(long pending) {
        add(pending);
        tick();
    }

    /** The timestamp of the thread that asks. */
    public static long now() {
        Thread t = Thread.currentThread();
        return t == first ? count : countOf(find(t));
    }

    /** A debugger stops here. */
    static void brake() {
    }

    private static void other(long more) {
        Thread t = Thread.currentThread();
        Cell c = cells[(int) t.getId() & (SLOTS - 1)];
        if (c.owner != t)
            c = find(t);
        if (t == Second.owner)
            Second.count += more; // it has just become that
        else
            c.count += more;
        if (STOPS && more == 1 && countOf(c) == stopOf(c))
            brake();
    }

    private static long countOf(Cell c) {
        return c == Second.cell ? Second.count : c.count;
    }

    private static long stopOf(Cell c) {
        return c == Second.cell ? Second.stop : c.stop;
    }

    private static void look(long pending) {
        Thread t = Thread.currentThread();
        if (t == first ? count + pending == stop : isStop(find(t), pending))
            brake();
    }

    private static boolean isStop(Cell c, long pending) {
        return countOf(c) + pending == stopOf(c);
    }

    private static long stopOf(Thread t) {
        return onlyThread == null || onlyThread.equals(t.getName()) ? firstStop : Long.MAX_VALUE;
    }

    private static Cell find(Thread t) {
        int slot = (int) t.getId() & (SLOTS - 1);
        Cell c = cells[slot];
        if (c.owner == t)
            return c;
        c = others.get();
        if (c == null) {
            c = new Cell(t, stopOf(t));
            others.set(c);
            keep(slot, c);
        }
        return c;
    }

    private static synchronized void keep(int slot, Cell c) {
        if (countsFile != null)
            all.add(c);
        if (Second.owner == null || !Second.owner.isAlive())
            become(c);
        Thread owner = cells[slot].owner;
        if (owner == null || !owner.isAlive())
            cells[slot] = c;
    }

    /** Who was the second thread has ended, so that nobody writes its counter; the new one's is 0 until now. */
    private static void become(Cell c) {
        if (Second.cell != null)
            Second.cell.count = Second.count;
        Second.count = 0;
        Second.stop = c.stop;
        Second.cell = c;
        Second.owner = c.owner;
    }

    /** At the end of the program: writes the counts. */
    @Override public void run() {
        try (java.io.PrintStream out = new java.io.PrintStream(countsFile, "UTF-8")) {
            synchronized (Timestamp.class) {
                out.println(first.getName() + " " + count);
                for (Cell c : all)
                    out.println(c.owner.getName() + " " + countOf(c));
            }
        } catch (java.io.IOException e) {
            System.err.println("ebb: " + e);
        }
    }
}
