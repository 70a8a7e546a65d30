package system;

import java.util.concurrent.CountDownLatch;

/** Hooks: added, removed, run once, order by a latch. */
public class ShutdownHooks {
    public static void main(String[] args) {
        Thread removed = new Thread(() -> System.out.println("removed"));
        Runtime.getRuntime().addShutdownHook(removed);
        CountDownLatch done = new CountDownLatch(1);
        Thread first = new Thread(() -> {
            System.out.println("first");
            done.countDown();
        });
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                done.await();
            } catch (InterruptedException e) {
                return;
            }
            System.out.println("second");
            try {
                Runtime.getRuntime().addShutdownHook(new Thread());
            } catch (IllegalStateException e) {
                System.out.println(e.getMessage());
            }
        }));
        Runtime.getRuntime().addShutdownHook(first);
        System.out.println(Runtime.getRuntime().removeShutdownHook(removed));
        try {
            Runtime.getRuntime().addShutdownHook(first);
        } catch (IllegalArgumentException e) {
            System.out.println(e.getMessage());
        }
        System.out.println("main ends");
    }
}
