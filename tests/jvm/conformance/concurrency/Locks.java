package concurrency;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.concurrent.locks.StampedLock;

/** ReentrantLock, conditions, read-write and stamped locks. */
public class Locks {
    static int turn;

    public static void main(String[] args) throws Exception {
        ReentrantLock lock = new ReentrantLock(true);
        Condition c = lock.newCondition();
        StringBuilder out = new StringBuilder();
        Thread[] ts = new Thread[3];
        for (int i = 0; i < 3; i++) {
            int me = i;
            ts[i] = new Thread(() -> {
                for (int k = 0; k < 4; k++) {
                    lock.lock();
                    try {
                        while (turn % 3 != me) {
                            c.awaitUninterruptibly();
                        }
                        out.append((char) ('a' + me));
                        turn++;
                        c.signalAll();
                    } finally {
                        lock.unlock();
                    }
                }
            });
            ts[i].start();
        }
        for (Thread t : ts) {
            t.join();
        }
        System.out.println(out);
        lock.lock();
        lock.lock();
        System.out.println(lock.getHoldCount() + " " + lock.isHeldByCurrentThread() + " " + c.await(5, TimeUnit.MILLISECONDS));
        Thread other = new Thread(() -> {
            try {
                System.out.println(lock.tryLock() + " " + lock.tryLock(5, TimeUnit.MILLISECONDS));
                lock.unlock();
            } catch (InterruptedException | IllegalMonitorStateException e) {
                System.out.println(e.getClass().getSimpleName());
            }
        });
        other.start();
        other.join();
        ReentrantReadWriteLock rw = new ReentrantReadWriteLock();
        rw.writeLock().lock();
        rw.readLock().lock();
        rw.writeLock().unlock();
        System.out.println(rw.getReadLockCount() + " " + rw.isWriteLocked() + " " + rw.writeLock().tryLock());
        StampedLock s = new StampedLock();
        long stamp = s.tryOptimisticRead();
        System.out.println(s.validate(stamp));
        long w = s.writeLock();
        System.out.println(s.validate(stamp) + " " + s.isWriteLocked());
        s.unlockWrite(w);
    }
}
