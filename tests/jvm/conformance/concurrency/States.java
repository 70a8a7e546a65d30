package concurrency;

import java.util.concurrent.locks.LockSupport;

/** The states of a thread as others see them. */
public class States {
    static void until(Thread t, Thread.State s) throws InterruptedException {
        while (t.getState() != s) {
            Thread.sleep(1);
        }
        System.out.println(t.getName() + " " + s + " " + t.isAlive());
    }

    public static void main(String[] args) throws Exception {
        Object o = new Object();
        Thread waiting = new Thread(() -> {
            synchronized (o) {
                try {
                    o.wait();
                } catch (InterruptedException e) {
                    return;
                }
            }
        }, "waiting");
        System.out.println(waiting.getState());
        waiting.start();
        until(waiting, Thread.State.WAITING);
        Thread blocked = new Thread(() -> {
            synchronized (o) {
                System.out.println("blocked got in");
            }
        }, "blocked");
        synchronized (o) {
            blocked.start();
            until(blocked, Thread.State.BLOCKED);
            o.notify();
            until(waiting, Thread.State.BLOCKED);
        }
        blocked.join();
        waiting.join();
        until(waiting, Thread.State.TERMINATED);
        Thread timed = new Thread(() -> LockSupport.parkNanos(100_000_000_000L), "timed");
        timed.start();
        until(timed, Thread.State.TIMED_WAITING);
        LockSupport.unpark(timed);
        timed.join();
        Thread parked = new Thread(LockSupport::park, "parked");
        parked.start();
        until(parked, Thread.State.WAITING);
        LockSupport.unpark(parked);
        parked.join();
        try {
            parked.start();
        } catch (IllegalThreadStateException e) {
            System.out.println("started twice");
        }
        System.out.println(Thread.currentThread().getState());
    }
}
