/* Synchronous queues under a schedule: who gives and who takes meet in the engine, since in the JDK's own queue they would do so whenever they like.  As in a
 * queue that is not fair, who came last is met first. */
package ebb.replay;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.concurrent.BlockingQueue;

final class Meetings {
    private static final class Party {
        final boolean gives;
        Object item;
        boolean isMet;

        Party(boolean gives, Object item) {
            this.gives = gives;
            this.item = item;
        }
    }

    private static final IdentityHashMap<BlockingQueue<?>, ArrayList<Party>> waiting = new IdentityHashMap<>(); // of who has the turn

    private Meetings() {
    }

    private static ArrayList<Party> of(BlockingQueue<?> q) {
        synchronized (waiting) {
            ArrayList<Party> all = waiting.get(q);
            if (all == null)
                waiting.put(q, all = new ArrayList<>());
            return all;
        }
    }

    /** Who waits for one that gives, or that takes; null: nobody does. */
    private static Party meet(BlockingQueue<?> q, boolean gives) {
        ArrayList<Party> all = of(q);
        for (int i = all.size() - 1; i >= 0; i--)
            if (all.get(i).gives != gives) {
                all.get(i).isMet = true;
                return all.remove(i);
            }
        return null;
    }

    static boolean offer(BlockingQueue<?> q, Object x) {
        if (x == null)
            throw new NullPointerException();
        Party other = meet(q, true);
        if (other != null)
            other.item = x;
        return other != null;
    }

    static Object poll(BlockingQueue<?> q) {
        Party other = meet(q, false);
        return other == null ? null : other.item;
    }

    /** Whether it was met within the limit; else it is taken back. */
    private static boolean await(Task me, BlockingQueue<?> q, Party mine, long limit) throws InterruptedException {
        boolean isMet = false;
        of(q).add(mine);
        try {
            for (boolean isAgain = false; !mine.isMet; isAgain = true)
                if (Waits.stop(me, q, limit, isAgain) == Task.Cause.TIMED_OUT || limit != Calls.NEVER || !Turns.on)
                    break;
        } finally {
            isMet = mine.isMet;
            of(q).remove(mine);
        }
        return isMet;
    }

    static boolean put(Task me, BlockingQueue<Object> q, Object x, long limit) throws InterruptedException {
        if (x == null)
            throw new NullPointerException();
        if (!Turns.armed && offer(q, x))
            return true;
        if (limit <= 0)
            return false;
        boolean isMet = await(me, q, new Party(true, x), limit);
        if (!isMet && !Turns.on && limit == Calls.NEVER) { // after `terminate`
            q.put(x);
            return true;
        }
        return isMet;
    }

    static Object take(Task me, BlockingQueue<?> q, long limit) throws InterruptedException {
        Object x = Turns.armed ? null : poll(q);
        if (x != null || limit <= 0)
            return x;
        Party mine = new Party(false, null);
        if (await(me, q, mine, limit))
            return mine.item;
        return !Turns.on && limit == Calls.NEVER ? q.take() : null;
    }
}
