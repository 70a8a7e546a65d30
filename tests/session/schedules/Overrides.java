import java.util.concurrent.*;
import java.util.concurrent.locks.*;

/** Classes of the program that override what the replay engine does itself, and call it by `super`. */
public class Overrides {
    static final StringBuffer log = new StringBuffer();

    static class Worker extends Thread {
        volatile boolean isStopped;

        @Override public void interrupt() {
            log.append("i");
            isStopped = true;
            super.interrupt();
        }

        @Override public boolean isInterrupted() {
            return isStopped || super.isInterrupted();
        }

        @Override public Thread.State getState() {
            log.append("?");
            return super.getState();
        }

        @Override public void run() {
            try {
                while (!isInterrupted()) {
                    log.append(".");
                    Thread.sleep(10);
                }
                log.append("s" + Thread.interrupted());
            } catch (InterruptedException e) {
                log.append("x" + isInterrupted());
            }
        }
    }

    static class Second extends Worker {
        @Override public void interrupt() {
            log.append("I");
            super.interrupt();
        }
    }

    static class OwnLock extends ReentrantLock {
        @Override public void lock() {
            log.append("L");
            super.lock();
        }
    }

    static class OwnQueue extends LinkedBlockingQueue<String> {
        @Override public String take() throws InterruptedException {
            log.append("t");
            return super.take();
        }

        @Override public void put(String s) throws InterruptedException {
            log.append("p");
            super.put(s);
        }
    }

    static class OwnSemaphore extends Semaphore {
        OwnSemaphore() {
            super(0);
        }

        @Override public void acquire() throws InterruptedException {
            log.append("a");
            super.acquire();
        }

        @Override public boolean tryAcquire(long time, TimeUnit unit) throws InterruptedException {
            log.append("A");
            return super.tryAcquire(time, unit);
        }
    }

    static class OwnFuture extends CompletableFuture<String> {
        @Override public String get() throws InterruptedException, ExecutionException {
            log.append("g");
            return super.get();
        }
    }

    static class OwnPool extends ThreadPoolExecutor {
        OwnPool() {
            super(1, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
        }

        @Override public boolean awaitTermination(long time, TimeUnit unit) throws InterruptedException {
            log.append("w");
            return super.awaitTermination(time, unit);
        }

        @Override protected void beforeExecute(Thread t, Runnable r) {
            log.append("b");
            super.beforeExecute(t, r);
        }
    }

    static void threads() throws InterruptedException {
        Worker[] all = {new Worker(), new Second()};
        for (Worker w : all)
            w.start();
        Thread.sleep(25);
        for (Worker w : all) {
            log.append(w.getState() == Thread.State.NEW);
            w.interrupt();
            w.interrupt();
            w.join();
        }
    }

    public static void main(String[] args) throws Exception {
        threads();
        Lock lock = new OwnLock();
        OwnQueue queue = new OwnQueue();
        Semaphore permits = new OwnSemaphore();
        OwnFuture future = new OwnFuture();
        Thread t = new Thread(() -> {
            lock.lock();
            log.append("T");
            lock.unlock();
            try {
                queue.put("v");
            } catch (InterruptedException e) {
                log.append("!");
            }
            permits.release(2);
            future.complete("c");
        });
        lock.lock();
        t.start();
        Thread.yield();
        lock.unlock();
        log.append(queue.take());
        permits.acquire();
        log.append(permits.tryAcquire(1, TimeUnit.HOURS)).append(future.get());
        t.join();
        ExecutorService pool = new OwnPool();
        pool.submit(() -> log.append("P"));
        pool.shutdown();
        log.append(pool.awaitTermination(1, TimeUnit.MINUTES));
        System.out.println(log);
    }
}
