package process;

import java.util.concurrent.CountDownLatch;
import sun.misc.Signal;

/** Signals that the program handles, raised by itself. */
public class Signals {
    public static void main(String[] args) throws Exception {
        CountDownLatch l = new CountDownLatch(1);
        Signal.handle(new Signal("USR2"), s -> {
            System.out.println("got " + s.getName() + " " + s.getNumber());
            l.countDown();
        });
        Signal.raise(new Signal("USR2"));
        l.await();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> System.out.println("hook runs on TERM")));
        new ProcessBuilder("kill", "-TERM", "" + ProcessHandle.current().pid()).start();
        Thread.sleep(20_000);
        System.out.println("never");
    }
}
