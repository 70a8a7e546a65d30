import java.util.concurrent.*;

/** Threads whose bodies are the class library's, pools that end, meetings in queues, states and clocks: what is printed depends on who was first. */
public class Library {
    static final StringBuilder order = new StringBuilder();
    static int count;

    static void note(Object what) {
        synchronized (order) {
            order.append(what).append(' ');
        }
    }

    static final class Locked implements Runnable {
        final String name;
        int n;

        Locked(String name) {
            this.name = name;
        }

        /** A pool calls it, and nobody of the program. */
        @Override public synchronized void run() {
            int was = n;
            count++;
            n = was + 1;
            note(name + n);
        }
    }

    static void pool() throws Exception {
        Locked a = new Locked("a"), b = new Locked("b");
        CountDownLatch latch = new CountDownLatch(2);
        ExecutorService pool = Executors.newFixedThreadPool(3);
        for (int i = 0; i < 2; i++) {
            pool.execute(a);
            pool.execute(latch::countDown);
            pool.execute(b);
        }
        latch.await();
        note("counted");
        pool.shutdown();
        note(pool.awaitTermination(1, TimeUnit.SECONDS));
        note(pool.isTerminated());
    }

    static void bodies() throws Exception {
        ConcurrentLinkedQueue<String> queue = new ConcurrentLinkedQueue<>();
        Semaphore permits = new Semaphore(0);
        Thread[] all = {new Thread(() -> queue.add("x")), new Thread(permits::release), new Thread(queue::clear), new Thread(() -> queue.add("y"))};
        for (Thread t : all)
            t.start();
        permits.acquire();
        note(queue);
        for (Thread t : all)
            t.join();
        note(queue);
    }

    static void meet() throws Exception {
        SynchronousQueue<Integer> queue = new SynchronousQueue<>();
        Thread[] all = new Thread[3];
        for (int i = 0; i < all.length; i++) {
            int n = i;
            all[i] = new Thread(() -> {
                try {
                    queue.put(n);
                    note("put" + n);
                } catch (InterruptedException e) {
                    note("interrupted");
                }
            });
            all[i].start();
        }
        for (int i = 0; i < all.length; i++)
            note(queue.take());
        for (Thread t : all)
            t.join();
    }

    static void look() throws Exception {
        Object lock = new Object();
        long began = System.nanoTime();
        Thread waiter = new Thread(() -> {
            synchronized (lock) {
                try {
                    lock.wait();
                    note("woken");
                } catch (InterruptedException e) {
                    note("interrupted");
                }
            }
        });
        waiter.start();
        while (waiter.getState() != Thread.State.WAITING)
            Thread.sleep(100);
        Thread.sleep(5000);
        note(System.nanoTime() - began >= 5000000000L);
        waiter.interrupt();
        waiter.join();
    }

    public static void main(String[] args) throws Exception {
        pool();
        bodies();
        meet();
        look();
        System.out.println(order);
    }
}
