/* Calls that the JDK really makes: the thread may be blocked in one where no code is woven, and waits for its turn when it comes out.  And the choice between
 * them and what the engine does instead, which is the same for all: a thread that has the turn, and an object of the class library, are the engine's business. */
package ebb.replay;

final class Real {
    interface Value<T, X extends Exception> {
        T get() throws X;
    }

    interface Act<X extends Exception> {
        void run() throws X;
    }

    /** What the engine does for that thread. */
    interface Ours<T, X extends Exception> {
        T get(Task me) throws X;
    }

    interface OursAct<X extends Exception> {
        void run(Task me) throws X;
    }

    private Real() {
    }

    static <T, X extends Exception> T value(Value<T, X> call) throws X {
        try {
            return call.get();
        } finally {
            Replay.back();
        }
    }

    static <X extends Exception> void run(Act<X> call) throws X {
        try {
            call.run();
        } finally {
            Replay.back();
        }
    }

    // ---- or ours ----

    static <T, X extends Exception> T value(Object o, Ours<T, X> ours, Value<T, X> call) throws X {
        Task me = Waits.taskFor(o);
        return me == null ? value(call) : ours.get(me);
    }

    static <X extends Exception> void run(Object o, OursAct<X> ours, Act<X> call) throws X {
        Task me = Waits.taskFor(o);
        if (me == null)
            run(call);
        else
            ours.run(me);
    }
}
