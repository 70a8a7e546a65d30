package system;

import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.CountDownLatch;
import javax.management.ObjectName;

/** Beans of java.lang.management that programs ask: what holds for every machine. */
// options: -Dmine=1
public class Management {
    static void deadlock() throws Exception {
        Object a = new Object();
        Object b = new Object();
        CountDownLatch both = new CountDownLatch(2);
        for (int i = 0; i < 2; i++) {
            Object first = i == 0 ? a : b;
            Object second = i == 0 ? b : a;
            Thread t = new Thread(() -> {
                synchronized (first) {
                    both.countDown();
                    try {
                        both.await();
                    } catch (InterruptedException e) {
                        return;
                    }
                    synchronized (second) {
                        System.out.println("not reached");
                    }
                }
            }, "stuck" + i);
            t.setDaemon(true);
            t.start();
        }
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long[] ids = null;
        for (int i = 0; i < 500 && ids == null; i++) {
            Thread.sleep(5);
            ids = threads.findDeadlockedThreads();
        }
        for (ThreadInfo info : threads.getThreadInfo(ids)) {
            System.out.println(info.getThreadName().startsWith("stuck") + " " + info.getThreadState() + " " + info.getLockOwnerName().startsWith("stuck"));
        }
    }

    public static void main(String[] args) throws Exception {
        RuntimeMXBean runtime = ManagementFactory.getRuntimeMXBean();
        System.out.println(runtime.getName().startsWith(ProcessHandle.current().pid() + "@") + " " + (runtime.getUptime() >= 0)
                + " " + runtime.getSpecVersion() + " " + runtime.getInputArguments().contains("-Dmine=1"));
        System.out.println(ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getMax() > 1 << 20);
        System.out.println(ManagementFactory.getClassLoadingMXBean().getLoadedClassCount() > 100);
        System.out.println(ManagementFactory.getThreadMXBean().getThreadInfo(Thread.currentThread().getId()).getThreadName());
        System.out.println(ManagementFactory.getThreadMXBean().dumpAllThreads(true, true).length > 2);
        System.out.println(ManagementFactory.getGarbageCollectorMXBeans().isEmpty() + " " + ManagementFactory.getMemoryPoolMXBeans().isEmpty());
        System.out.println(ManagementFactory.getPlatformMBeanServer().getAttribute(new ObjectName("java.lang:type=Runtime"), "SpecName"));
        deadlock();
    }
}
