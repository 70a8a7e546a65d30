package concurrency;

/** Timed wait, sleep and join come back in time and not before. */
public class TimedWait {
    public static void main(String[] args) throws Exception {
        Object o = new Object();
        long t = System.nanoTime();
        synchronized (o) {
            o.wait(30);
        }
        System.out.println(System.nanoTime() - t >= 29_000_000);
        t = System.nanoTime();
        synchronized (o) {
            o.wait(0, 500_000);
        }
        Thread.sleep(20);
        Thread.sleep(1, 500_000);
        System.out.println(System.nanoTime() - t >= 20_000_000);
        Thread sleeper = new Thread(() -> {
            try {
                Thread.sleep(100_000);
            } catch (InterruptedException e) {
                System.out.println("woken " + Thread.currentThread().isInterrupted());
            }
        });
        sleeper.start();
        sleeper.join(20);
        System.out.println(sleeper.isAlive());
        sleeper.interrupt();
        sleeper.join();
        System.out.println(sleeper.isAlive());
        try {
            Thread.sleep(-1);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        try {
            synchronized (o) {
                o.wait(-1);
            }
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        long ms = System.currentTimeMillis();
        System.out.println(ms > 1_600_000_000_000L);
    }
}
