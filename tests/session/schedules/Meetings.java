import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;

/** Threads meet in many ways; what is printed at the end depends on the order in which they do. */
public class Meetings {
    static final StringBuilder order = new StringBuilder();
    static int shared, turns;
    static final Object monitor = new Object();
    static final Lock lock = new ReentrantLock();
    static final Condition changed = lock.newCondition();
    static final BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(1);

    static synchronized void note(String what) {
        order.append(what).append(' ');
    }

    static void race(String name) {
        for (int i = 0; i < 3; i++) {
            int was = shared;
            shared = was + 1;
            note(name + was);
        }
    }

    static void waits() throws InterruptedException {
        synchronized (monitor) {
            turns++;
            monitor.notify();
            long n = turns;
            monitor.wait(50);
            note("w" + n + turns);
        }
    }

    static void locks(String name) throws InterruptedException {
        lock.lock();
        try {
            turns++;
            changed.signal();
            note(name + "l" + turns);
        } finally {
            lock.unlock();
        }
    }

    static void body(String name) {
        try {
            race(name);
            waits();
            locks(name);
            queue.offer(turns);
            Integer got = queue.poll();
            note(name + "q" + got);
            Thread.sleep(5);
            note(name + "s");
        } catch (InterruptedException e) {
            note(name + "i");
        }
    }

    public static void main(String[] args) throws Exception {
        Thread a = new Thread(() -> body("a")), b = new Thread(() -> body("b"));
        a.start();
        b.start();
        race("m");
        b.interrupt();
        a.join();
        b.join();
        System.out.println(order);
    }
}
