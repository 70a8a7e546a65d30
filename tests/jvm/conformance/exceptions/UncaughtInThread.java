package exceptions;

/** The end of another thread by an exception does not change the exit status. */
public class UncaughtInThread {
    public static void main(String[] args) throws Exception {
        Thread t = new Thread(() -> {
            throw new RuntimeException("in thread");
        }, "worker");
        t.start();
        t.join();
        System.out.println("main goes on " + t.getState());
    }
}
