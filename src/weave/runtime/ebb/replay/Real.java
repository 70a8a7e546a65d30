/* Calls that the JDK really makes: the thread may be blocked in one where no code is woven, and waits for its turn when it comes out. */
package ebb.replay;

final class Real {
    interface Value<T, X extends Exception> {
        T get() throws X;
    }

    interface Act<X extends Exception> {
        void run() throws X;
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
}
