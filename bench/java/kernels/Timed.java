package kernels;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** `java kernels.Timed NAME ROUNDS [second]` prints the CPU time in ns of the best round of a kernel: of its own thread, so that neither the compiler's nor other programs' work counts.  `second`: it is not the
 *  main thread, but another one. */
public final class Timed {
    public static void main(String[] args) throws Exception {
        if (args.length < 3) {
            measure(args);
            return;
        }
        Thread second = new Thread(() -> measureInThread(args));
        second.start();
        second.join();
    }

    private static void measureInThread(String[] args) {
        try {
            measure(args);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static void measure(String[] args) throws Exception {
        Kernel k = (Kernel) Class.forName("kernels." + args[0]).getDeclaredConstructor().newInstance();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long best = Long.MAX_VALUE;
        long sum = 0;
        for (int i = Integer.parseInt(args[1]); i > 0; i--) {
            long start = threads.getCurrentThreadCpuTime();
            sum = k.work();
            best = Math.min(best, threads.getCurrentThreadCpuTime() - start);
        }
        System.out.println(best + " " + sum);
    }
}
