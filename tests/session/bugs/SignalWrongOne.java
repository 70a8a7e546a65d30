import java.util.concurrent.locks.*;

/** One condition for two reasons to wait, and signal instead of signalAll. */
public class SignalWrongOne {
    static final Lock lock = new ReentrantLock();
    static final Condition changed = lock.newCondition();
    static int value;

    static void awaitAtLeast(int wanted) {
        lock.lock();
        try {
            while (value < wanted)
                changed.awaitUninterruptibly();
        } finally {
            lock.unlock();
        }
    }

    static void increment() {
        lock.lock();
        value++;
        changed.signal();
        lock.unlock();
    }

    public static void main(String[] args) throws Exception {
        Thread one = new Thread(() -> awaitAtLeast(1)), two = new Thread(() -> awaitAtLeast(2));
        one.start();
        two.start();
        increment();
        one.join();
        increment();
        two.join();
    }
}
