package concurrency;

import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Exchanger;
import java.util.concurrent.Phaser;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Barriers, semaphores, exchangers and phasers. */
public class Synchronizers {
    public static void main(String[] args) throws Exception {
        AtomicInteger rounds = new AtomicInteger();
        CyclicBarrier barrier = new CyclicBarrier(3, rounds::incrementAndGet);
        Thread[] ts = new Thread[3];
        for (int i = 0; i < 3; i++) {
            ts[i] = new Thread(() -> {
                try {
                    for (int k = 0; k < 5; k++) {
                        barrier.await();
                    }
                } catch (InterruptedException | BrokenBarrierException e) {
                    throw new RuntimeException(e);
                }
            });
            ts[i].start();
        }
        for (Thread t : ts) {
            t.join();
        }
        System.out.println(rounds);
        Semaphore s = new Semaphore(2);
        s.acquire();
        System.out.println(s.tryAcquire() + " " + s.tryAcquire() + " " + s.tryAcquire(5, TimeUnit.MILLISECONDS) + " " + s.availablePermits());
        s.release(3);
        System.out.println(s.drainPermits());
        Exchanger<String> x = new Exchanger<>();
        String[] got = new String[1];
        Thread t = new Thread(() -> {
            try {
                got[0] = x.exchange("from thread");
            } catch (InterruptedException e) {
                throw new RuntimeException(e);
            }
        });
        t.start();
        System.out.println(x.exchange("from main"));
        t.join();
        System.out.println(got[0]);
        Phaser p = new Phaser(1);
        for (int i = 0; i < 3; i++) {
            p.register();
            new Thread(p::arriveAndDeregister).start();
        }
        System.out.println(p.arriveAndAwaitAdvance() + " " + p.getRegisteredParties());
    }
}
