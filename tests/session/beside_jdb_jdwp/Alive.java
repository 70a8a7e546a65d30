import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What a debugger asks of a JVM besides breakpoints and values: who is alive, who holds what, and what it can make threads do. */
public class Alive {
    static class Node<T extends Comparable<T>> {
        T value;
        Node<T> next;
        Map<String, ? super List<T>> notes;

        Node(T value, Node<T> next) {
            this.value = value;
            this.next = next;
        }

        <E extends Exception> T check(Class<E> kind) throws E {
            return value;
        }
    }

    static final Object LOCK = new Object(), BELL = new Object();
    static Node<String> head;
    static Object[] holders;
    static int calls;
    static boolean rings;

    static synchronized int twice(int number) {
        Object inner = LOCK;
        synchronized (inner) {
            synchronized (BELL) {
                calls++;
                return number * 2;
            }
        }
    }

    static long wide(long number) {
        return number + 1;
    }

    static String text(List<String> words) {
        String joined = String.join("-", words);
        return joined;
    }

    static void nothing(int number) {
        calls += number;
    }

    static int again(int number) {
        int got = number + calls;
        calls++;
        return got;
    }

    static int spin(int number) {
        int sum = 0;
        for (int i = 0; i < number; i++)
            sum += i;
        return sum;
    }

    static void stage(String name) {
        calls += 0;
    }

    static void makeGarbage() {
        for (int i = 0; i < 50; i++)
            new Node<>("dead" + i, null);
    }

    static void objects() {
        makeGarbage();
        for (int i = 0; i < 7; i++)
            head = new Node<>("n" + i, head);
        holders = new Object[] {head, "other", head.next};
        List<Node<String>> list = new ArrayList<>();
        list.add(head);
        stage("objects");
        System.out.println("kept " + list.size());
    }

    static void returns() {
        System.out.println("twice " + twice(4) + " " + Thread.holdsLock(LOCK) + Thread.holdsLock(Alive.class));
        System.out.println("wide " + wide(4L));
        System.out.println("text " + text(List.of("a", "b")));
        calls = 0;
        nothing(5);
        System.out.println("nothing " + calls);
        calls = 10;
        System.out.println("again " + again(1) + " " + calls);
        try {
            System.out.println("spin " + spin(3));
        } catch (IllegalStateException e) {
            System.out.println("stopped by " + e.getMessage());
        }
    }

    static void sleeper() {
        Thread sleeper = new Thread(() -> {
            try {
                Thread.sleep(100000);
                System.out.println("slept");
            } catch (InterruptedException e) {
                System.out.println("woken");
            }
        }, "sleeper");
        sleeper.start();
        while (sleeper.getState() != Thread.State.TIMED_WAITING)
            Thread.onSpinWait();
        stage("sleeper");
        join(sleeper);
    }

    static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void enter(String who) {
        synchronized (LOCK) {
            System.out.println(who + " is in");
        }
    }

    static void contention() {
        Thread other = new Thread(() -> enter("other"), "other");
        synchronized (LOCK) {
            other.start();
            while (other.getState() != Thread.State.BLOCKED)
                Thread.onSpinWait();
        }
        join(other);
    }

    static void await(long millis) throws InterruptedException {
        synchronized (BELL) {
            if (millis > 0)
                BELL.wait(millis);
            else
                while (!rings)
                    BELL.wait();
        }
    }

    static void waiting() {
        Thread waiter = new Thread(() -> {
            try {
                await(0);
                await(20);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, "waiter");
        waiter.start();
        while (waiter.getState() != Thread.State.WAITING)
            Thread.onSpinWait();
        synchronized (BELL) {
            rings = true;
            BELL.notify();
        }
        join(waiter);
    }

    public static void main(String[] args) {
        objects();
        if (args.length > 0)
            sleeper();
        returns();
        stage("contention");
        contention();
        stage("waiting");
        waiting();
        stage("end");
    }
}
