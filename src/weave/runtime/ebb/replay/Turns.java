/* Who has the turn, and how it goes from one thread to the next.
 *
 * The thread that has the turn executes the commands of the schedule itself: it comes to the place of an event, does the actions, and with a
 * switch gives the turn away and blocks; the thread that gets it goes on with the commands after the switch.  A thread blocks on a lock
 * of its own, or on the object that the program has it wait on.
 *
 * A thread may also be blocked in a call of the class library, or be between two tasks of a pool.  Then it is *outside*: the watch does the
 * actions for it, and it stops by itself where it comes back to woven code (Replay.enter). */
package ebb.replay;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;

final class Turns {
    static final Schedule schedule = Schedule.read();
    private static final int verbosity = Integer.getInteger("ebb.verbosity", Integer.getInteger("jreplay.verbosity", 0));

    static volatile boolean on = true;     // until `terminate`
    static volatile int turn;              // the number of the thread that has it
    static volatile int serial;            // changes with every event and every turn
    static volatile int given;             // how often somebody gave the turn away
    static volatile boolean armed;         // the owner is in the call in which it is expected to block
    static volatile boolean has_ended;     // there are no commands left
    static volatile Thread dying;          // must have ended before the next one goes on
    private static volatile Thread giver;  // must be still before the next one goes on

    static boolean is_in;                  // the event that is waited for: see Replay.wanted
    static boolean is_none;                // it is `in none`
    static long count, remaining;
    static int line;
    static String expected;                // the place in words, for `none` too

    private static final IdentityHashMap<Thread, Task> tasks = new IdentityHashMap<>(); // null: left alone; these three under Turns.class
    private static final HashMap<Integer, Task> numbers = new HashMap<>();
    private static int next = 1;

    private Turns() {
    }

    static void begin() {
        if ("off".equals(System.getProperty("ebb.replay"))) {
            on = false;
            return;
        }
        Thread main = Thread.currentThread();
        Workers.begin(schedule);
        add(new Task(main, 0));
        if (schedule.kind() == Schedule.Kind.BEFORE || schedule.kind() == Schedule.Kind.IN) {
            Replay.owner = main;
            arm();
        } // else the actions are done when main() is entered: nobody may block while this class is initialised
        if (schedule.has_outside || !schedule.names.isEmpty())
            Holds.can(); // before anything depends on how long that takes
        new Watch().start();
        Watch.watchEnd();
    }

    // ---- threads ----

    private static synchronized void add(Task task) {
        tasks.put(task.thread, task);
        numbers.put(task.number, task);
    }

    static synchronized Task task(Thread t) {
        return tasks.get(t);
    }

    static synchronized Task task(int number) {
        return numbers.get(number);
    }

    static synchronized ArrayList<Task> all() {
        return new ArrayList<>(numbers.values());
    }

    /** The task of the calling thread if it has the turn, else null: then the program's calls do what they do without replay. */
    static Task mine() {
        Thread t = Thread.currentThread();
        return t == Replay.owner && on ? task(t) : null;
    }

    /** The schedule has said that the calling thread ends. */
    static boolean isDying() {
        Task me = on ? task(Thread.currentThread()) : null;
        return me != null && me.state == Task.State.DYING;
    }

    static synchronized void starting(Thread t) {
        if (on && Thread.currentThread() == Replay.owner && Overridden.stateOf(t) == Thread.State.NEW && !tasks.containsKey(t))
            add(new Task(t, number(t)));
    }

    private static int number(Thread t) {
        Integer named = named(t);
        if (named != null)
            return named;
        while (schedule.names.containsKey(next) || numbers.containsKey(next))
            next++;
        return next++;
    }

    /** Of several threads with that name: as they were made, not as they come here. */
    private static Integer named(Thread t) {
        ArrayList<Integer> all = schedule.numbers.get(t.getName());
        int older = all == null || all.size() == 1 ? 0 : older(t);
        if (older > 0 && older < all.size() && !numbers.containsKey(all.get(older)))
            return all.get(older);
        if (all != null)
            for (Integer number : all)
                if (!numbers.containsKey(number))
                    return number;
        return null;
    }

    /** How many threads of the same name were made before it. */
    private static int older(Thread t) {
        HashSet<Thread> all = new HashSet<>(tasks.keySet());
        all.addAll(Thread.getAllStackTraces().keySet());
        int n = 0;
        for (Thread other : all)
            if (other.getId() < t.getId() && other.getName().equals(t.getName()))
                n++;
        return n;
    }

    /** A thread that the class library has started.  Null: it is left alone. */
    private static synchronized Task adopt(Thread t) {
        Task task = null;
        if ((schedule.names.isEmpty() || named(t) != null) && !isShuttingDown())
            add(task = new Task(t, number(t)));
        else
            tasks.put(t, null);
        return task;
    }

    private static boolean isShuttingDown() {
        Thread hook = new Thread("ebb-nothing");
        try {
            Runtime.getRuntime().addShutdownHook(hook);
            Runtime.getRuntime().removeShutdownHook(hook);
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }

    /** Whether a `thread` command is about it. */
    static synchronized boolean isNamed(Thread t) {
        return tasks.get(t) != null || named(t) != null;
    }

    private static synchronized boolean isKnown(Thread t) {
        return tasks.containsKey(t);
    }

    // ---- places ----

    static void reached(int place) {
        if (Thread.currentThread() != Replay.owner)
            return;
        for (boolean isAgain = false; Replay.wanted == place; isAgain = true) {
            if (--remaining > 0)
                return;
            if (isAgain)
                mine().hasTried = true;
            if (is_in) {
                if (remaining < 0)
                    Watch.leave(mine(), "it has been there and was not blocked");
                armed = true;
                mine().armedAt = place;
                return;
            }
            act(mine());
        }
    }

    static void reached(Object lock, int place) {
        Task me = mine();
        if (me == null)
            return;
        me.wants = lock;
        reached(place);
        me.wants = null;
        me.hasTried = false;
    }

    static void enter() {
        if (!on)
            return;
        Thread t = Thread.currentThread();
        Task me = isKnown(t) ? task(t) : adopt(t);
        if (me == null || me.state == Task.State.DYING)
            return;
        block(me);
        act(me);
    }

    /** The owner comes out of a call in which the schedule may have it block, and was not blocked: what it waited for has been done earlier, outside. */
    static void passed() {
        if (armed && Thread.currentThread() == Replay.owner) {
            Task me = mine();
            blockIn(me, Task.State.PARKED, null, me.own);
        }
    }

    // ---- blocking calls ----

    /** A thread that is back in a call, and can't get out of it yet: the `in` event that is waited for may be about that. */
    static void armAgain() {
        Task me = is_in && Replay.wanted != Replay.NOWHERE ? mine() : null;
        if (me != null && me.armedAt == Replay.wanted)
            armed = true;
    }

    /** Blocks as the schedule says, on `lock`; what ended that. */
    static Task.Cause blockIn(Task me, Task.State why, Object target, Object lock) {
        me.block(why, target);
        me.lock = lock;
        act(me);
        me.lock = me.own;
        return me.unblock();
    }

    /** A worker of a pool without work. */
    static Task.Cause blockInNone(Task me, Object queue) {
        if (!is_none && has_ended)
            Watch.hold(Watch.LAST_IS_BLOCKED);
        if (!is_none)
            Watch.leave(me, "it has nothing to do");
        return blockIn(me, Task.State.WAITING, queue, me.own);
    }

    // ---- commands ----

    private static void arm() {
        is_in = schedule.kind() == Schedule.Kind.IN;
        is_none = schedule.operand() == Replay.NOWHERE;
        count = remaining = schedule.count();
        line = schedule.line();
        expected = schedule.place(schedule.operand());
        Replay.wanted = schedule.operand();
        schedule.advance();
        serial++;
    }

    private static void disarm() {
        armed = false;
        is_none = false;
        Replay.wanted = Replay.NOWHERE;
    }

    /** Does the actions up to the next event, for which the thread then has to go on; it gives its turn away and gets it back on the way. */
    private static void act(Task me) {
        actOn(me);
        if (me.isStopped) {
            me.isStopped = false;
            throw new ThreadDeath();
        }
    }

    private static void actOn(Task me) {
        disarm();
        while (on) {
            switch (schedule.kind()) {
            case BEFORE: case IN:
                arm();
                return;
            case END:
                has_ended = true;
                serial++;
                return;
            case DIE:
                die(me);
                return;
            case SWITCH:
                int to = schedule.operand();
                line = schedule.line();
                schedule.advance();
                if (to != me.number) {
                    giver = me.thread;
                    give(to, null);
                    block(me);
                }
                break;
            default:
                simple();
            }
        }
    }

    private static void die(Task me) {
        int to = schedule.operand();
        line = schedule.line();
        schedule.advance();
        me.state = Task.State.DYING;
        give(to, me.thread);
    }

    private static void simple() {
        Schedule.Kind kind = schedule.kind();
        Task whom = kind == Schedule.Kind.NOTIFY || kind == Schedule.Kind.TIMEOUT ? whom(schedule.operand()) : null;
        if (whom != null)
            whom.wake(kind == Schedule.Kind.NOTIFY ? Task.Cause.NOTIFIED : Task.Cause.TIMED_OUT);
        if (whom != null && kind == Schedule.Kind.TIMEOUT)
            whom.endLimit();
        if (kind == Schedule.Kind.LOG && schedule.operand() <= verbosity)
            Watch.write(schedule.text() + "\n");
        schedule.advance();
        if (kind == Schedule.Kind.TERMINATE)
            terminate();
    }

    /** Null: a thread of the class library that has not come to the program yet. */
    private static Task whom(int number) {
        Task t = task(number);
        if (t == null && !isNameOfSome(schedule.names.get(number)))
            Watch.complain("thread " + number + " should be waiting, but there is none; threads so far: " + all().size(), schedule.line());
        return t;
    }

    private static boolean isNameOfSome(String name) {
        for (Thread t : Thread.getAllStackTraces().keySet())
            if (t.getName().equals(name))
                return true;
        return false;
    }

    private static void terminate() {
        disarm();
        on = false;
        Replay.owner = null;
        for (Task t : all()) {
            if (t.isHeld)
                Holds.release(t);
            wake(t);
        }
    }

    private static void give(int to, Thread after) {
        Replay.owner = null;
        disarm();
        dying = after;
        given++;
        serial++;
        turn = to;
        Task t = task(to);
        if (t != null && t.is_outside)
            Holds.release(t);
        if (t != null)
            wake(t);
    }

    private static void wake(Task t) {
        Object lock = t.lock;
        synchronized (lock) {
            lock.notifyAll();
        }
    }

    /** Until the thread has the turn. */
    private static void block(Task me) {
        if (Thread.interrupted())
            me.interrupt();
        me.isTold = false;
        Object lock = me.lock;
        synchronized (lock) {
            while (turn != me.number && on)
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    if (!me.isTold)
                        me.interrupt();
                }
        }
        me.is_outside = false;
        if (on) {
            waitForDeath(me);
            waitForStillness();
            Replay.owner = me.thread;
            serial++;
        }
        if (Thread.interrupted() && !me.isTold)
            me.interrupt(); // it has come with the turn
        if (me.flag) {
            me.flag = false;
            Overridden.interruptReally(me.thread);
        }
    }

    private static void waitForDeath(Task me) {
        for (Thread t = dying; t != null;)
            try {
                t.join();
                t = dying = null;
            } catch (InterruptedException e) {
                me.interrupt();
            }
    }

    /** Who looks at the threads, as a debugger does, sees one that runs.  A wish: it must not hang if the other one is held up. */
    private static void waitForStillness() {
        Thread t = giver;
        giver = null;
        for (int i = 0; i < 1000 && t != null && Overridden.stateOf(t) == Thread.State.RUNNABLE; i++)
            Thread.yield();
    }

    // ---- for a thread that is outside: called by the watch ----

    /** The owner is blocked where the schedule says so, but in code that is not woven. */
    static void actFor(Task t) {
        if (t.thread.isAlive() && !Holds.hold(t))
            return;
        t.is_outside = true;
        Replay.owner = null;
        goOnFor(t);
    }

    /** Actions for a thread that has the turn and is outside: up to an event for which it must come back, or until another has the turn. */
    private static void goOnFor(Task t) {
        disarm();
        while (on) {
            switch (schedule.kind()) {
            case BEFORE: case IN: case END: case DIE:
                serial++;
                Holds.release(t);
                return;
            case SWITCH:
                int to = schedule.operand();
                line = schedule.line();
                schedule.advance();
                if (to != t.number) {
                    give(to, null);
                    return;
                }
                break;
            default:
                simple();
            }
        }
    }

    /** It has the turn and is outside, blocked or ended: whether the schedule says so. */
    static boolean stayFor(Task t, boolean isEnded) {
        if (isEnded && schedule.kind() == Schedule.Kind.DIE) {
            die(t);
            return true;
        }
        if (schedule.kind() != Schedule.Kind.IN || isEnded && schedule.operand() != Replay.NOWHERE)
            return false;
        if (!isEnded && !Holds.hold(t))
            return true;
        schedule.advance();
        goOnFor(t);
        return true;
    }
}
