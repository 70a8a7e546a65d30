package concurrency;

import java.util.concurrent.locks.LockSupport;

/** Park permits: given before, not counted, ended by interrupt or time. */
public class Park {
    public static void main(String[] args) throws Exception {
        Thread me = Thread.currentThread();
        LockSupport.unpark(me);
        LockSupport.unpark(me);
        LockSupport.park();
        System.out.println("one permit");
        long t = System.nanoTime();
        LockSupport.parkNanos(20_000_000);
        System.out.println(System.nanoTime() - t < 5_000_000_000L);
        LockSupport.parkUntil(System.currentTimeMillis() - 10);
        LockSupport.parkNanos(-5);
        Object blocker = "blocker";
        Thread p = new Thread(() -> LockSupport.park(blocker));
        p.start();
        while (LockSupport.getBlocker(p) == null || p.getState() != Thread.State.WAITING) {
            Thread.sleep(1);
        }
        System.out.println(LockSupport.getBlocker(p));
        LockSupport.unpark(p);
        p.join();
        LockSupport.unpark(null);
        System.out.println("done");
    }
}
