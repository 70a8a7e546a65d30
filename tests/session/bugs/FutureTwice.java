import java.util.concurrent.*;

/** Two threads complete a future; the slower one believes that its value counts. */
public class FutureTwice {
    static final CompletableFuture<String> future = new CompletableFuture<>();
    static volatile String mine;

    static void offer(String value) {
        if (!future.isDone()) {
            mine = value;
            future.complete(value);
        }
    }

    public static void main(String[] args) throws Exception {
        Thread a = new Thread(() -> offer("a")), b = new Thread(() -> offer("b"));
        a.start();
        b.start();
        a.join();
        b.join();
        if (!future.get().equals(mine))
            throw new AssertionError(future.get() + " is not " + mine);
    }
}
