package concurrency;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Exchanger;
import java.util.concurrent.Phaser;
import java.util.concurrent.SubmissionPublisher;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.StampedLock;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Phasers, exchangers, flows and stamped locks; a deadlock that is found. */
public class Coordination {
    static void phases() throws Exception {
        StringBuffer said = new StringBuffer();
        Phaser phaser = new Phaser(3) {
            @Override
            protected boolean onAdvance(int phase, int parties) {
                said.append("phase ").append(phase).append(" of ").append(parties).append("; ");
                return phase == 2;
            }
        };
        List<Thread> threads = IntStream.range(0, 3).mapToObj(i -> new Thread(() -> {
            while (!phaser.isTerminated()) {
                phaser.arriveAndAwaitAdvance();
            }
        })).collect(Collectors.toList());
        threads.forEach(Thread::start);
        for (Thread t : threads) {
            t.join();
        }
        System.out.println(said + "" + phaser.isTerminated());
    }

    static void exchange() throws Exception {
        Exchanger<String> exchanger = new Exchanger<>();
        String[] got = new String[1];
        Thread t = new Thread(() -> {
            try {
                got[0] = exchanger.exchange("from thread");
            } catch (InterruptedException e) {
                got[0] = "interrupted";
            }
        });
        t.start();
        String mine = exchanger.exchange("from main", 10, TimeUnit.SECONDS);
        t.join();
        System.out.println(mine + ", " + got[0]);
    }

    static void flow() throws Exception {
        CountDownLatch done = new CountDownLatch(100);
        long[] sum = new long[1];
        try (SubmissionPublisher<Integer> publisher = new SubmissionPublisher<>()) {
            publisher.consume(x -> {
                sum[0] += x;
                done.countDown();
            });
            for (int i = 0; i < 100; i++) {
                publisher.submit(i);
            }
            System.out.println(done.await(10, TimeUnit.SECONDS) + " " + sum[0]);
        }
    }

    static void stamps() {
        StampedLock lock = new StampedLock();
        long optimistic = lock.tryOptimisticRead();
        System.out.println(lock.validate(optimistic) + " " + lock.isWriteLocked());
        long write = lock.writeLock();
        System.out.println(lock.validate(optimistic) + " " + lock.tryReadLock() + " " + lock.isWriteLocked());
        long read = lock.tryConvertToReadLock(write);
        System.out.println((read != 0) + " " + lock.getReadLockCount());
        lock.unlock(read);
    }

    static Thread locking(String name, Object first, Object second, CyclicBarrier both) {
        Thread t = new Thread(() -> {
            synchronized (first) {
                try {
                    both.await();
                } catch (Exception e) {
                    return;
                }
                synchronized (second) {
                    System.out.println("never");
                }
            }
        }, name);
        t.setDaemon(true);
        t.start();
        return t;
    }

    static void deadlock() throws Exception {
        Object a = new Object();
        Object b = new Object();
        CyclicBarrier both = new CyclicBarrier(2);
        Thread one = locking("one", a, b, both);
        Thread two = locking("two", b, a, both);
        while (one.getState() != Thread.State.BLOCKED || two.getState() != Thread.State.BLOCKED) {
            Thread.sleep(5);
        }
        long[] ids = ManagementFactory.getThreadMXBean().findDeadlockedThreads();
        System.out.println(ids.length);
        for (ThreadInfo info : ManagementFactory.getThreadMXBean().getThreadInfo(ids)) {
            System.out.println(info.getThreadName() + " " + info.getThreadState() + " waits for " + info.getLockOwnerName());
        }
    }

    public static void main(String[] args) throws Exception {
        phases();
        exchange();
        flow();
        stamps();
        deadlock();
    }
}
