import java.lang.management.*;
import java.util.*;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.*;

/** ThreadInfo: which monitors a thread holds in which frame, and which locks. */
public class LockedMonitors {
    static final Object A = new StringBuilder("a"), B = new ArrayList<Object>(), WAITED = new HashMap<Object, Object>();
    static final ReentrantLock LOCK = new ReentrantLock();
    static final ReentrantReadWriteLock BOTH = new ReentrantReadWriteLock();
    static final CountDownLatch ready = new CountDownLatch(3);

    static void park() { LockSupport.park(LockedMonitors.class); }

    static void rest() {
        ready.countDown();
        while (!Thread.interrupted())
            park();
    }

    synchronized void method() {
        synchronized (A) {
            synchronized (this) {
                try {
                    rest();
                } finally {
                    System.out.print("");
                }
            }
            synchronized (B) { System.out.print(""); } // left before
        }
    }

    static void nested() {
        synchronized (B) {
            LOCK.lock();
            BOTH.writeLock().lock();
            new LockedMonitors() {
                @Override synchronized void method() { synchronized (B) { rest(); } }
            }.method();
        }
    }

    static void waiter() {
        synchronized (WAITED) {
            synchronized ("text".intern()) {
                ready.countDown();
                try { WAITED.wait(); } catch (InterruptedException e) { }
            }
        }
    }

    static Thread start(String name, Runnable r) {
        Thread t = new Thread(r, name);
        t.setDaemon(true);
        t.start();
        return t;
    }

    static void tell(ThreadInfo info) {
        System.out.println(info.getThreadName() + " " + info.getThreadState());
        for (MonitorInfo m : info.getLockedMonitors())
            System.out.println("  monitor " + m.getClassName() + " in " + m.getLockedStackFrame().getMethodName() + ":"
                    + m.getLockedStackFrame().getLineNumber());
        List<String> locks = new ArrayList<>();
        for (LockInfo l : info.getLockedSynchronizers())
            locks.add("  lock " + l.getClassName());
        Collections.sort(locks);
        locks.forEach(System.out::println);
    }

    public static void main(String[] args) throws Exception {
        Thread[] all = { start("method", () -> new LockedMonitors().method()), start("nested", LockedMonitors::nested), start("waiter", LockedMonitors::waiter) };
        ready.await();
        ThreadMXBean bean = ManagementFactory.getThreadMXBean();
        for (Thread t : all) {
            while (t.getState() != Thread.State.WAITING)
                Thread.sleep(1);
            tell(bean.getThreadInfo(new long[] { t.getId() }, true, true)[0]);
            System.out.println("plain " + bean.getThreadInfo(t.getId(), 100).getLockedMonitors().length);
            System.out.println("one frame " + bean.getThreadInfo(new long[] { t.getId() }, true, false, 1)[0].getLockedMonitors().length);
        }
        int all_of_them = 0;
        for (ThreadInfo info : bean.dumpAllThreads(true, true))
            all_of_them += Arrays.asList("method", "nested", "waiter").contains(info.getThreadName()) ? info.getLockedMonitors().length : 0;
        System.out.println("all " + all_of_them);
        for (Thread t : all) {
            t.interrupt();
            t.join();
        }
    }
}
