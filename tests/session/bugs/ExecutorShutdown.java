import java.util.concurrent.*;

/** One thread shuts the pool down while another still submits. */
public class ExecutorShutdown {
    static int n;

    public static void main(String[] args) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(1);
        Thread submitter = new Thread(() -> pool.execute(() -> n++));
        submitter.start();
        Thread.yield();
        pool.shutdown();
        submitter.join();
    }
}
