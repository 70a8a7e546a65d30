/* Bodies of threads and tasks that are methods of the class library, as in `new Thread(latch::countDown)`: no woven code is executed, so the object that
 * stands for the method waits for the turn first. */
package ebb.replay;

import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

public final class Gates {
    private Gates() {
    }

    public static Runnable of(Runnable r) {
        return new Runnable() {
            @Override public void run() {
                Replay.enter();
                r.run();
            }
        };
    }

    public static <T> Callable<T> of(Callable<T> c) {
        return new Callable<T>() {
            @Override public T call() throws Exception {
                Replay.enter();
                return c.call();
            }
        };
    }

    public static <T> Supplier<T> of(Supplier<T> s) {
        return new Supplier<T>() {
            @Override public T get() {
                Replay.enter();
                return s.get();
            }
        };
    }

    public static <T> Consumer<T> of(Consumer<T> c) {
        return new Consumer<T>() {
            @Override public void accept(T x) {
                Replay.enter();
                c.accept(x);
            }
        };
    }

    public static <T, R> Function<T, R> of(Function<T, R> f) {
        return new Function<T, R>() {
            @Override public R apply(T x) {
                Replay.enter();
                return f.apply(x);
            }
        };
    }
}
