package concurrency;

/** Deprecated calls: suspend and resume work or are refused as HotSpot does; stop ends a thread. */
public class ThreadStop {
    static volatile int n;

    @SuppressWarnings({"deprecation", "removal"})
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> {
            try {
                while (true) {
                    n++;
                }
            } catch (ThreadDeath d) {
                System.out.println("death seen");
                throw d;
            }
        });
        t.start();
        while (n == 0) {
            Thread.yield();
        }
        t.stop();
        t.join();
        System.out.println(t.isAlive());
    }
}
