package concurrency;

import java.util.concurrent.locks.LockSupport;

/** Interruption of wait, sleep, join, park; before and during; the flag. */
public class Interrupts {
    static void self(String what, Body b) {
        Thread.currentThread().interrupt();
        try {
            b.run();
            System.out.println(what + " returned, flag " + Thread.interrupted());
        } catch (InterruptedException e) {
            System.out.println(what + " interrupted, flag " + Thread.interrupted());
        }
    }

    interface Body {
        void run() throws InterruptedException;
    }

    public static void main(String[] args) throws Exception {
        Object o = new Object();
        self("sleep", () -> Thread.sleep(10_000));
        self("wait", () -> {
            synchronized (o) {
                o.wait();
            }
        });
        self("join", () -> Thread.currentThread().join());
        self("park", LockSupport::park);
        self("lock", () -> new java.util.concurrent.locks.ReentrantLock().lockInterruptibly());
        self("queue", () -> new java.util.concurrent.ArrayBlockingQueue<Integer>(1).take());
        Thread waiter = new Thread(() -> {
            synchronized (o) {
                try {
                    o.wait();
                } catch (InterruptedException e) {
                    System.out.println("waiter holds " + Thread.holdsLock(o));
                }
            }
        });
        waiter.start();
        while (waiter.getState() != Thread.State.WAITING) {
            Thread.sleep(1);
        }
        waiter.interrupt();
        waiter.join();
        Thread dead = new Thread(() -> { });
        dead.start();
        dead.join();
        dead.interrupt();
        System.out.println(dead.isInterrupted());
        Thread busy = new Thread(() -> {
            long n = 0;
            while (!Thread.currentThread().isInterrupted()) {
                n++;
            }
            System.out.println("busy loop seen it " + (n >= 0));
        });
        busy.start();
        Thread.sleep(10);
        busy.interrupt();
        busy.join();
    }
}
