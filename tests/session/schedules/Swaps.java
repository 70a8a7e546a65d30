import java.util.concurrent.*;
import java.util.concurrent.locks.StampedLock;

/** Threads that meet inside the class library, some of them for a limited time. */
public class Swaps {
    static final StringBuilder order = new StringBuilder();
    static int x, y;

    interface Body {
        void run() throws Exception;
    }

    static void note(Object what) {
        synchronized (order) {
            order.append(Thread.currentThread().getName().replaceAll(".*-", "")).append(':').append(what).append(' ');
        }
    }

    static Thread start(Body body) {
        Thread t = new Thread(() -> {
            try {
                body.run();
            } catch (Exception e) {
                note(e.getClass().getSimpleName());
            }
        });
        t.start();
        return t;
    }

    static void exchange() throws Exception {
        Exchanger<String> swap = new Exchanger<>();
        Thread[] all = new Thread[3];
        for (int i = 0; i < all.length; i++) {
            String item = "item" + i;
            all[i] = start(() -> note(swap.exchange(item, 5, TimeUnit.MILLISECONDS)));
        }
        for (Thread t : all)
            t.join();
    }

    static void transfer() throws Exception {
        LinkedTransferQueue<String> q = new LinkedTransferQueue<>();
        Thread gives = start(() -> {
            q.transfer("one");
            note(q.tryTransfer("two", 5, TimeUnit.MILLISECONDS));
        }), takes = start(() -> {
            note(q.take());
            note(q.poll(3, TimeUnit.MILLISECONDS));
        });
        gives.join();
        takes.join();
    }

    static void stamps() throws Exception {
        StampedLock lock = new StampedLock();
        Thread writes = start(() -> {
            for (int i = 1; i < 3; i++) {
                long stamp = lock.writeLock();
                x = i;
                y = i;
                lock.unlockWrite(stamp);
                note("wrote");
            }
        }), reads = start(() -> {
            for (int i = 0; i < 2; i++) {
                long stamp = lock.tryReadLock(5, TimeUnit.MILLISECONDS);
                note(stamp == 0 ? "late" : "read" + x + y);
                if (stamp != 0)
                    lock.unlockRead(stamp);
            }
        });
        writes.join();
        reads.join();
    }

    static void barrier() throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(2, () -> note("both"));
        Thread a = start(() -> note(barrier.await(5, TimeUnit.MILLISECONDS))), b = start(() -> note(barrier.await(5, TimeUnit.MILLISECONDS)));
        a.join();
        b.join();
    }

    public static void main(String[] args) throws Exception {
        exchange();
        transfer();
        stamps();
        barrier();
        System.out.println(order);
    }
}
