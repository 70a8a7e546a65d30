/* What code into which `ebb weave replay` has put a schedule calls at the places that the schedule names.
 *
 * One thread has the turn: the owner.  Both tests below are plain reads that a JIT compiler inlines; they need no lock, because whoever gets
 * the turn has got it through one, and for another thread it makes no difference which of the values it sees.
 *
 * Settings: -Debb.replay=off         the program runs as if nothing had been woven into it
 *           -Debb.patience=SECONDS  how long a thread may be stuck before that is told (5)
 *           -Debb.hold=true         a program whose threads can't go on stays as it is, for a debugger, instead of being ended
 *           -Debb.verbosity=N       `log` commands up to this level are printed (0); -Djreplay.verbosity=N is the same */
package ebb.replay;

public final class Replay {
    static final int NOWHERE = -1;

    static Thread owner;          // null: nobody runs under the schedule just now
    static int wanted = NOWHERE;  // the place of the event that the schedule waits for

    static {
        Turns.begin();
    }

    private Replay() {
    }

    /** The thread is about to execute the bytecode at that place. */
    public static void at(int place) {
        if (place == wanted)
            Turns.reached(place);
    }

    /** The same before a monitorenter. */
    public static void at(Object lock, int place) {
        if (place == wanted)
            Turns.reached(lock, place);
    }

    /** The thread comes, or may have come, out of code that is not woven: it waits here until it has the turn. */
    public static void enter() {
        if (Thread.currentThread() != owner)
            Turns.enter();
    }

    /** The thread comes out of a call in which the schedule may have wanted it to block. */
    public static void back() {
        if (Thread.currentThread() != owner)
            Turns.enter();
        else if (Turns.armed)
            Turns.passed();
    }

    /** Something is about to be started by `start()`: if it is a thread, it gets its number. */
    public static void starting(Object o) {
        if (o instanceof Thread)
            Turns.starting((Thread) o);
    }
}
