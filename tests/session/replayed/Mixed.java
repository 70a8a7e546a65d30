import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;

/** Threads that meet in monitors and in java.util.concurrent, in ways that the arguments choose; what it prints depends on their order. */
public class Mixed {
    static final StringBuilder trace = new StringBuilder();
    static final ReentrantLock lock = new ReentrantLock();
    static final Condition turned = lock.newCondition();
    static int turn;
    static void say(String what) { trace.append(what).append('\n'); }

    static void inTurns(int me) {
        for (int i = 0; i < 3; i++) {
            lock.lock();
            try {
                while (turn != me)
                    turned.await();
                say("turn " + me);
                turn = (turn + 1) % 3;
                turned.signalAll();
            } catch (InterruptedException e) {
                say("interrupted");
            } finally {
                lock.unlock();
            }
        }
    }
    static void locks() throws Exception {
        run(() -> inTurns(0), () -> inTurns(1), () -> inTurns(2));
    }
    static void queues() throws Exception {
        BlockingQueue<Integer> q = new ArrayBlockingQueue<>(1);
        Runnable put = () -> { try { for (int i = 0; i < 3; i++) { q.put(i); say("put " + i); } } catch (InterruptedException e) { say("?"); } };
        Runnable take = () -> { try { for (int i = 0; i < 3; i++) say("took " + q.take()); } catch (InterruptedException e) { say("?"); } };
        run(put, put, take, take);
    }
    static void gates() throws Exception {
        Semaphore two = new Semaphore(2);
        CountDownLatch done = new CountDownLatch(3);
        CyclicBarrier barrier = new CyclicBarrier(3);
        Runnable work = () -> {
            try {
                two.acquire();
                say("in");
                Thread.yield();
                say("out");
                two.release();
                barrier.await();
                say("passed");
                done.countDown();
            } catch (InterruptedException | BrokenBarrierException e) { say("?"); }
        };
        run(work, work, work, () -> { try { done.await(); say("all done"); } catch (InterruptedException e) { say("?"); } });
    }
    static void pools() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        List<Future<Integer>> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int n = i;
            all.add(pool.submit(() -> { say("task " + n); return n * n; }));
        }
        for (Future<Integer> f : all)
            say("got " + f.get());
        Future<Integer> bad = pool.submit(() -> { if (all.size() > 3) throw new IllegalStateException("bad"); return 1; });
        try { bad.get(); } catch (ExecutionException e) { say("failed " + e.getCause().getMessage()); }
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.HOURS); // its result is not replayed: docs/schedules.md
        say("ended");
    }
    static void rw() throws Exception {
        ReentrantReadWriteLock rw = new ReentrantReadWriteLock();
        int[] value = new int[1];
        Runnable write = () -> { for (int i = 0; i < 2; i++) { rw.writeLock().lock(); try { value[0]++; say("wrote " + value[0]); } finally { rw.writeLock().unlock(); } } };
        Runnable read = () -> { for (int i = 0; i < 2; i++) { rw.readLock().lock(); try { say("read " + value[0]); Thread.yield(); } finally { rw.readLock().unlock(); } } };
        run(write, read, read, write);
    }
    static void monitors() throws Exception {
        Object m = new Object();
        int[] n = new int[1];
        Runnable wait = () -> { synchronized (m) { while (n[0] == 0) try { m.wait(); } catch (InterruptedException e) { say("interrupted"); } n[0]--; say("one less"); } };
        Runnable wake = () -> { for (int i = 0; i < 2; i++) synchronized (m) { n[0]++; say("one more"); m.notify(); } };
        run(wait, wait, wait, wait, wake, wake);
    }
    static void parks() throws Exception {
        Thread[] t = new Thread[1];
        AtomicBoolean set = new AtomicBoolean();
        t[0] = new Thread(() -> { while (!set.get()) { LockSupport.park(); say("unparked"); } });
        t[0].start();
        LockSupport.unpark(t[0]);
        Thread.yield();
        set.set(true);
        LockSupport.unpark(t[0]);
        t[0].join();
    }
    static void run(Runnable... all) throws Exception {
        Thread[] ts = new Thread[all.length];
        for (int i = 0; i < ts.length; i++)
            (ts[i] = new Thread(all[i])).start();
        for (Thread t : ts)
            t.join();
    }
    public static void main(String[] args) throws Exception {
        for (String one : args)
            switch (one) {
            case "locks": locks(); break;
            case "queues": queues(); break;
            case "gates": gates(); break;
            case "pools": pools(); break;
            case "rw": rw(); break;
            case "monitors": monitors(); break;
            case "parks": parks(); break;
            }
        System.out.print(trace);
    }
}
