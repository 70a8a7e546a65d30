import java.util.concurrent.TimeUnit;

/** Waits and joins by units of time, which no test could really wait for. */
public class Units {
    static final StringBuilder order = new StringBuilder();
    static final Object lock = new Object();

    static synchronized void note(String what) {
        order.append(Thread.currentThread().getName()).append(':').append(what).append(' ');
    }

    static void waits() {
        try {
            synchronized (lock) {
                note("waits");
                TimeUnit.HOURS.timedWait(lock, 1);
                note("woken");
                TimeUnit.MICROSECONDS.timedWait(lock, 1500);
            }
            note("ends");
        } catch (InterruptedException e) {
            note("interrupted");
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Thread.currentThread().setName("m");
        Thread a = new Thread(Units::waits, "a"), b = new Thread(Units::waits, "b");
        a.start();
        b.start();
        TimeUnit.MINUTES.timedJoin(a, 1);
        note(a.isAlive() ? "before a" : "after a");
        synchronized (lock) {
            lock.notify();
        }
        TimeUnit.NANOSECONDS.timedJoin(b, 1500000);
        note(b.isAlive() ? "before b" : "after b");
        b.interrupt();
        TimeUnit.DAYS.timedJoin(a, 2);
        TimeUnit.DAYS.timedJoin(b, 2);
        note(a.isAlive() || b.isAlive() ? "left" : "all");
        a.join();
        b.join();
        System.out.println(order);
    }
}
