package system;

import java.lang.management.*;

/** What ThreadMXBean counts, suspending and resuming, and memory outside of the heap. */
public class ThreadBeans {
    static final Object lock = new Object();
    static volatile int turns;
    static volatile boolean ends;

    static void counts() throws Exception {
        ThreadMXBean bean = ManagementFactory.getThreadMXBean();
        Thread t = new Thread(() -> {
            synchronized (lock) { }
            try {
                synchronized (lock) {
                    lock.wait(10);
                    lock.wait(10);
                }
                Thread.sleep(100_000);
            } catch (InterruptedException e) {
            }
        });
        synchronized (lock) {
            t.start();
            while (t.getState() != Thread.State.BLOCKED)
                Thread.sleep(1);
            ThreadInfo info = bean.getThreadInfo(t.getId());
            System.out.println(info.getThreadState() + " " + info.getLockOwnerName() + " " + info.getBlockedCount() + " " + info.getWaitedCount());
        }
        while (bean.getThreadInfo(t.getId()).getWaitedCount() < 3)
            Thread.sleep(1);
        System.out.println(bean.getThreadInfo(t.getId()).getBlockedCount() + " " + bean.getThreadInfo(t.getId()).getWaitedCount());
        System.out.println(bean.isThreadCpuTimeSupported() + " " + (bean.getThreadCpuTime(t.getId()) >= 0) + " " + bean.getThreadCpuTime(987654321));
        t.interrupt();
        t.join();
        long before = bean.getCurrentThreadCpuTime();
        for (int i = 0; i < 3_000_000; i++)
            turns += i;
        System.out.println(bean.getCurrentThreadCpuTime() > before);
        MemoryUsage usage = ManagementFactory.getMemoryMXBean().getNonHeapMemoryUsage();
        System.out.println((usage.getUsed() > 0) + " " + (usage.getCommitted() >= usage.getUsed()));
    }

    /** How long threads wait is counted only if somebody asked for it. */
    static void times() throws Exception {
        com.sun.management.ThreadMXBean bean = (com.sun.management.ThreadMXBean)ManagementFactory.getThreadMXBean();
        System.out.println(bean.isThreadContentionMonitoringSupported() + " " + bean.isThreadContentionMonitoringEnabled());
        System.out.println(bean.getThreadInfo(Thread.currentThread().getId()).getWaitedTime());
        bean.setThreadContentionMonitoringEnabled(true);
        Thread t = new Thread(() -> {
            try {
                Thread.sleep(30);
                synchronized (lock) { }
                Thread.sleep(100_000);
            } catch (InterruptedException e) {
            }
        });
        synchronized (lock) {
            t.start();
            while (t.getState() != Thread.State.BLOCKED)
                Thread.sleep(1);
            Thread.sleep(20);
        }
        while (bean.getThreadInfo(t.getId()).getWaitedCount() < 2)
            Thread.sleep(1);
        ThreadInfo info = bean.getThreadInfo(t.getId());
        System.out.println((info.getWaitedTime() >= 29) + " " + (info.getBlockedTime() >= 19) + " " + info.getBlockedCount());
        System.out.println(bean.getThreadCpuTime(new long[] { t.getId(), 987654321 })[1] + " " + (bean.getThreadUserTime(new long[] { t.getId() })[0] >= 0));
        bean.setThreadContentionMonitoringEnabled(false);
        System.out.println(bean.getThreadInfo(t.getId()).getBlockedTime());
        int live = bean.getThreadCount();
        t.interrupt();
        t.join();
        System.out.println((bean.getPeakThreadCount() >= live) + " " + (bean.getTotalStartedThreadCount() > bean.getThreadCount()));
        bean.resetPeakThreadCount();
        System.out.println(bean.getPeakThreadCount() - bean.getThreadCount());
        long before = bean.getThreadAllocatedBytes(Thread.currentThread().getId());
        byte[] some = new byte[100_000];
        long used = bean.getCurrentThreadAllocatedBytes() - before;
        System.out.println(bean.isThreadAllocatedMemorySupported() + " " + bean.isThreadAllocatedMemoryEnabled() + " " + (used >= some.length && used < 3 * some.length));
        System.out.println(bean.getThreadAllocatedBytes(new long[] { 987654321 })[0]);
    }

    @SuppressWarnings({"deprecation", "removal"})
    static void stops() throws Exception {
        Thread t = new Thread(() -> System.out.println("a thread that was stopped before it began"));
        t.stop();
        t.start();
        t.join();
        System.out.println(t.getState());
    }

    @SuppressWarnings({"deprecation", "removal"})
    static void suspends() throws Exception {
        turns = 0;
        Thread t = new Thread(() -> {
            while (!ends)
                turns++;
        });
        t.start();
        while (turns < 1000)
            Thread.yield();
        t.suspend();
        int then = turns;
        Thread.sleep(30);
        System.out.println((then == turns) + " " + t.isAlive() + " " + t.getState());
        t.resume();
        while (turns == then)
            Thread.yield();
        Thread sleeper = new Thread(() -> {
            try {
                Thread.sleep(10);
            } catch (InterruptedException e) {
            }
            turns = -1;
        });
        ends = true;
        t.join();
        sleeper.start();
        sleeper.suspend();
        Thread.sleep(60); // its time is over, but it must not go on
        System.out.println(turns != -1);
        sleeper.resume();
        sleeper.join();
        System.out.println(turns);
        Thread self = new Thread(() -> {
            Thread.currentThread().suspend();
            turns = 5;
        });
        self.start();
        Thread.sleep(20);
        System.out.println(turns);
        self.resume();
        self.join();
        System.out.println(turns);
    }

    public static void main(String[] args) throws Exception {
        counts();
        times();
        stops();
        suspends();
    }
}
