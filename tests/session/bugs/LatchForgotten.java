import java.util.concurrent.*;

/** A worker that finds its work done by somebody else forgets the latch. */
public class LatchForgotten {
    static final CountDownLatch latch = new CountDownLatch(2);
    static final ConcurrentLinkedQueue<String> work = new ConcurrentLinkedQueue<>();

    static void work() {
        String item;
        while ((item = work.poll()) != null)
            latch.countDown();
    }

    static void refill() {
        if (work.isEmpty())
            return;
        work.add("second");
    }

    public static void main(String[] args) throws Exception {
        work.add("first");
        Thread a = new Thread(LatchForgotten::work);
        a.start();
        refill();
        new Thread(LatchForgotten::work).start();
        latch.await();
    }
}
